#include "npm_package.hpp"

#include <chrono>
#include <stdexcept>

#include "child_process.hpp"
#include "paths.hpp"
#include "text.hpp"

namespace gateway::e2e {

std::filesystem::path npm_package(const std::string& name) {
  const auto folder = work_folder() / name;
  const auto source = project_root() / "tests" / "end_to_end" / name;
  const auto installed = folder / "installed-package-lock.json";
  std::filesystem::create_directories(folder);
  for (const auto& file : std::filesystem::directory_iterator{source})
    std::filesystem::copy_file(file, folder / file.path().filename(),
                               std::filesystem::copy_options::overwrite_existing);
  if (!std::filesystem::exists(installed) || read_file(installed) != read_file(source / "package-lock.json")) {
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
