// Which gateway the program talks to, and with which key: from the environment or from a profile.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace gateway::cli {

/// The program cannot do what the command line says. One line for the user; exit status 1.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct gateway_access {
  std::string url;  ///< without a slash at its end
  std::string key_id;
  std::string secret;
  std::string ca_file{};  ///< authorities that are trusted besides the system's; empty: none
};

enum class key_mode : unsigned char { test, live, platform };

/// By the key's id. A key of unknown form counts as live, because live is what needs care.
key_mode mode_of_key(const std::string& key_id) noexcept;

/// The value of an environment variable; nothing if it is not set or empty.
using environment_reader = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> read_environment(const char* name);

/// `profile` empty: from the environment alone. What a profile lacks is taken from the environment. Throws failure if
/// the profile cannot be used, or a setting is missing.
gateway_access read_access(const std::string& profile, const environment_reader& environment);

}  // namespace gateway::cli
