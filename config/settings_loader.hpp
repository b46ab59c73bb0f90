// Loads `settings` from the command line and the configuration file. The command line has priority.
#pragma once

#include <string>
#include <vector>

#include "gateway/settings.hpp"
#include "setting_values.hpp"

namespace gateway {

enum class load_outcome {
  run,          ///< `config` is complete and valid
  help,         ///< print `text` on standard output, exit 0
  version,      ///< print `text` on standard output, exit 0
  usage_error,  ///< print `text` (one line) on standard error, exit 2
};

struct parsed {
  load_outcome outcome = load_outcome::run;
  settings config;
  std::string text;  ///< ends with a newline; never holds a password
  bool shows_password = false;  ///< the command line holds a password, which `ps` shows to every user

  int exit_code() const noexcept { return outcome == load_outcome::usage_error ? 2 : 0; }
};

parsed load_settings(int argc, const char* const* argv);

/// Every name that the configuration file may set, in the order of --help.
std::vector<std::string> setting_names();

}  // namespace gateway
