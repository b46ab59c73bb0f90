// The token of the operators' console, from the file that console-token-file names.
#pragma once

#include <filesystem>
#include <string>

namespace gateway {

/// Throws std::runtime_error with one line if there is none that is fit for it: one line of 32 characters or more, in a
/// file that only its owner may read.
std::string read_console_token(const std::filesystem::path& file);

}  // namespace gateway
