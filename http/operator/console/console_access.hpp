// Access to the operators' console: for clients on this machine with the token in `console-token-file`. Sessions are in
// memory, by the hash of a cookie, so they are valid on this node and in this process only.
// Concurrency: any thread, once enabled.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/access/sign_in_throttle.hpp"

namespace gateway::http {

inline constexpr std::string_view console_cookie_name = "console-session";
inline constexpr std::size_t console_cookie_digits = 64;
inline constexpr std::chrono::minutes console_unused{30};
inline constexpr std::chrono::hours console_lifetime{12};
inline constexpr std::size_t most_console_sessions = 256;  ///< when exceeded, the least recently used one ends

class console_access {
 public:
  using time = std::chrono::steady_clock::time_point;

  /// Call once, before requests arrive. Only the token's hash is kept.
  void enable(std::string_view token);
  bool enabled() const noexcept { return !token_hash_.empty(); }
  bool is_token(std::string_view text) const;

  /// Starts a session, and returns its cookie's value.
  std::string begin(time now);
  /// Whether the cookie's session is valid; records its use.
  bool use(std::string_view cookie, time now);
  void end(std::string_view cookie);

  sign_in_throttle throttle{};  ///< limits guesses of the token

 private:
  struct session {
    time used_at;
    time ends_at;

    bool is_good(time now) const noexcept { return now < ends_at && now < used_at + console_unused; }
  };

  std::string token_hash_;
  std::mutex lock_;
  std::unordered_map<std::string, session> sessions_;  ///< by the cookie's hash
};

/// Whether the connection comes over loopback. The console is served without TLS, so only to this machine.
bool is_from_this_machine(std::string_view remote_address);

/// A Set-Cookie for the console's cookie. It has no `Secure`, because the listener speaks plain HTTP, on this machine.
/// An empty value removes it.
std::string console_cookie(std::string_view value);

}  // namespace gateway::http
