#include "console_token.hpp"

#include <fstream>
#include <stdexcept>

namespace gateway {
namespace {

constexpr std::size_t least_token = 32;
constexpr std::size_t most_token = 1'024;

[[noreturn]] void unfit_token(const std::filesystem::path& file, const std::string& why) {
  throw std::runtime_error{"console-token-file " + file.string() + ": " + why};
}

}  // namespace

std::string read_console_token(const std::filesystem::path& file) {
  using std::filesystem::perms;
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (failure || !std::filesystem::is_regular_file(status)) unfit_token(file, "is not a file that can be read");
  if ((status.permissions() & (perms::group_all | perms::others_all)) != perms::none)
    unfit_token(file, "others than its owner have rights to it: chmod 600");
  std::string token;
  std::ifstream in{file};
  if (!std::getline(in, token)) unfit_token(file, "cannot be read, or is empty");
  if (token.size() < least_token || token.size() > most_token) unfit_token(file, "must hold 32 to 1024 characters");
  return token;
}

}  // namespace gateway
