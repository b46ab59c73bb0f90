#include "npm_package.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

#include "child_process.hpp"
#include "paths.hpp"
#include "text.hpp"

namespace gateway::e2e {

namespace {

/// A lock, because test programs run in parallel and several may install the same package.
class one_at_a_time {
 public:
  explicit one_at_a_time(const std::filesystem::path& file)
      : file_{open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)} {
    if (file_ < 0 || flock(file_, LOCK_EX) != 0) throw std::runtime_error("cannot lock " + file.string());
  }
  ~one_at_a_time() { close(file_); }
  one_at_a_time(const one_at_a_time&) = delete;
  one_at_a_time& operator=(const one_at_a_time&) = delete;

 private:
  int file_;
};

bool same(const std::filesystem::path& a, const std::filesystem::path& b) {
  return std::filesystem::exists(b) && read_file(a) == read_file(b);
}

}  // namespace

std::filesystem::path npm_package(const std::string& name) {
  const auto folder = work_folder() / name;
  const auto source = project_root() / "tests" / "end_to_end" / name;
  const auto installed = folder / "installed-package-lock.json";
  std::filesystem::create_directories(folder);
  const one_at_a_time turn{work_folder() / (name + ".lock")};
  for (const auto& file : std::filesystem::directory_iterator{source})
    if (const auto copy = folder / file.path().filename(); !same(file, copy))
      std::filesystem::copy_file(file, copy, std::filesystem::copy_options::overwrite_existing);
  if (!same(source / "package-lock.json", installed)) {
    const auto npm = run_command({"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"}, {}, {{}, {}, folder},
                                 std::chrono::seconds{90});
    if (npm.code != 0) throw std::runtime_error("npm ci: " + npm.err + npm.out);
    std::filesystem::copy_file(folder / "package-lock.json", installed,
                               std::filesystem::copy_options::overwrite_existing);
  }
  return folder;
}

std::string axe_core(std::string& why) {
  try {
    return read_file(npm_package("axe") / "node_modules" / "axe-core" / "axe.min.js");
  } catch (const std::runtime_error& failure) {
    why = failure.what();
    return {};
  }
}

}  // namespace gateway::e2e
