#include "paths.hpp"

#include <stdexcept>
#include <string>

#include "text.hpp"

namespace gateway::e2e {

namespace {

std::filesystem::path own_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace

std::filesystem::path program(std::string_view name) {
  const auto file = std::filesystem::path{environment_or("GATEWAY_BIN_DIR", own_folder().string())} / name;
  if (!std::filesystem::exists(file))
    throw std::runtime_error(file.string() + " is not built (GATEWAY_BIN_DIR says where programs lie)");
  return file;
}

std::filesystem::path project_root() { return GATEWAY_PROJECT_ROOT; }

std::filesystem::path work_folder() {
  const auto folder = own_folder() / "end_to_end";
  std::filesystem::create_directories(folder);
  return folder;
}

std::filesystem::path new_folder(std::string_view prefix) {
  const auto folder = work_folder() / (std::string{prefix} + '-' + random_hex(4));
  std::filesystem::create_directory(folder);
  return folder;
}

bool keeps_data() { return !environment_or("GATEWAY_KEEP_DATA", "").empty(); }

}  // namespace gateway::e2e
