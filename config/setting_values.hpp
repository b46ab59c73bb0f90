// The text forms of single settings: durations, addresses, URLs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

/// `1500`, `1500ms`, `15s`, `5m`, `24h`, `30d`, `18mo`, `7y`; without a unit, milliseconds.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
/// Formats a duration in the largest unit of which it is a whole number: `15s`, `1500ms`.
std::string format_duration(std::chrono::milliseconds duration);
/// The value of a retention time without limit.
inline constexpr std::string_view forever = "forever";
/// Returns `forever` for nullopt.
std::string format_retention(const std::optional<std::chrono::milliseconds>& duration);

struct socket_address {
  std::string address;  ///< IPv4 or IPv6, numeric, without brackets
  std::uint16_t port = 0;

  bool operator==(const socket_address&) const = default;
};
/// `127.0.0.1:8443`, `[::1]:8443`.
std::optional<socket_address> parse_socket_address(std::string_view text);

/// The URL with its password as `***`, for messages. Everything before the last @ counts as user and password, so that
/// a malformed URL reveals no password either.
std::string without_password(std::string_view store_url);
/// The sentence with the password of every URL in it replaced in the same way.
std::string without_passwords(std::string_view sentence);

/// Empty if `text` is an absolute http(s) URL with a host and perhaps a path; otherwise what is wrong.
std::string base_url_fault(std::string_view text);

/// Whether both URLs have the same scheme, host and port, so that a browser sends the same cookies to both. Both must
/// be valid as above.
bool have_one_origin(std::string_view a, std::string_view b);

}  // namespace gateway
