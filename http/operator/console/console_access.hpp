// Sessions on the operators' console. They are in memory, by the hash of a cookie, so they are valid on this node and
// in this process only. A session names the operator, whose role is read for each request.
// Concurrency: any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gateway/ports/store/operator_questions.hpp"
#include "http/access/sign_in_throttle.hpp"

namespace gateway::http {

inline constexpr std::string_view console_cookie_name = "console-session";
inline constexpr std::size_t console_cookie_digits = 64;
inline constexpr std::chrono::hours console_lifetime{12};
inline constexpr std::size_t most_console_sessions = 256;  ///< when exceeded, the least recently used session ends

/// The most names, existing or not, whose failures are counted.
inline constexpr std::size_t most_throttled_operators = 4'096;
/// Operators share the addresses of this machine, so an address may have as many failures as this many accounts.
inline constexpr std::size_t operators_at_one_address = 10;

/// A digest of the password's hash: it changes when the operator is set up again.
std::string credentials_of(const stored_operator& who);

class console_access {
 public:
  using time = std::chrono::steady_clock::time_point;

  /// A session ends after `idle` without use.
  explicit console_access(std::chrono::milliseconds idle) : idle_{idle} {}

  struct signed_in {
    std::string name;
    std::string credentials;  ///< credentials_of() at sign-in: the session ends when they change
  };

  /// Starts a session, and returns its cookie's value.
  std::string begin(signed_in who, time now);
  /// The operator of the cookie's session, if it is valid. Records its use.
  std::optional<signed_in> use(std::string_view cookie, time now);
  void end(std::string_view cookie);

  sign_in_throttle throttle{most_throttled_operators, operators_at_one_address};  ///< limits guesses

 private:
  struct session {
    signed_in who;
    time used_at;
    time ends_at;
  };

  bool is_valid(const session& one, time now) const noexcept { return now < one.ends_at && now < one.used_at + idle_; }

  const std::chrono::milliseconds idle_;
  std::mutex lock_;
  std::unordered_map<std::string, session> sessions_;  ///< by the cookie's hash
};

/// Whether the connection comes over loopback. The console is served without TLS, so only to this machine.
bool is_from_this_machine(std::string_view remote_address);

/// A Set-Cookie with the console's cookie. It is not `Secure`, because the listener speaks plain HTTP on this machine.
/// An empty value removes the cookie.
std::string console_cookie(std::string_view value);

}  // namespace gateway::http
