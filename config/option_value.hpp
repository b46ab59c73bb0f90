// Detects `--name=` without a value, for which CLI11 would take the next argument as the value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

/// The first option that ends with an equals sign.
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
