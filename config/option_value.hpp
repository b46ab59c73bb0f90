// A trap of CLI11: `--name=` takes the next argument for its value, whatever that is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

/// The first option that is followed by an equals sign and nothing.
inline std::optional<std::string> option_without_value(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") break;
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1)
      return std::string{argument.substr(0, argument.size() - 1)};
  }
  return std::nullopt;
}

}  // namespace gateway
