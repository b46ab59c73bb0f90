// Ids that begin with the time at which they were made. New rows are adjacent in an index of such ids, and rows that
// are stored by time can be found by their ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/text.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

/// The hex digits of the time, in milliseconds since 1970.
inline constexpr std::size_t timed_id_digits = 12;

/// Writes the digits of the time to `to`, which has room for timed_id_digits.
constexpr void write_id_time(char* to, std::uint64_t unix_ms) noexcept {
  for (auto left = timed_id_digits; left > 0; unix_ms >>= 4) to[--left] = hex_digits[unix_ms & 15];
}

/// `<prefix><time><random>`.
inline std::string timed_id(std::string_view prefix, time_point at, std::string_view random) {
  std::string id{prefix};
  id.resize(prefix.size() + timed_id_digits);
  write_id_time(id.data() + prefix.size(), static_cast<std::uint64_t>(to_unix_ms(at)));
  return id.append(random);
}

/// When the id was made. nullopt if it does not have that form.
inline std::optional<time_point> time_of_id(std::string_view prefix, std::string_view id) {
  if (!id.starts_with(prefix) || id.size() < prefix.size() + timed_id_digits) return std::nullopt;
  std::int64_t unix_ms = 0;
  for (const char c : id.substr(prefix.size(), timed_id_digits)) {
    if (!is_lower_hex_digit(c)) return std::nullopt;
    unix_ms = unix_ms << 4 | hex_value(c);
  }
  return from_unix_ms(unix_ms);
}

}  // namespace gateway
