// The token of the operators' console, from the file that console-token-file names.
#pragma once

#include <filesystem>
#include <string>

namespace gateway {

/// The file must hold one line of 32 characters or more, and only its owner may read it. Otherwise throws
/// std::runtime_error with one line.
std::string read_console_token(const std::filesystem::path& file);

}  // namespace gateway
