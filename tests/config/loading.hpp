// Loads settings as gatewayd does, from arguments and from a file's text.
#pragma once

#include <string>
#include <vector>

#include "config/settings_loader.hpp"
#include "tests/base/temporary_directory.hpp"

namespace gateway {

inline parsed load(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv{"gatewayd"};
  for (const auto& a : arguments) argv.push_back(a.c_str());
  return load_settings(static_cast<int>(argv.size()), argv.data());
}

inline parsed load_file(const std::string& text, std::vector<std::string> arguments = {}) {
  const temporary_directory directory;
  arguments.push_back("--config-file=" + directory.write("gateway.toml", text).string());
  return load(arguments);
}

}  // namespace gateway
