// The trace that a request belongs to, as its caller sent it and as it is passed on: the header `traceparent`. Pure,
// and small enough to be copied with every message.
//
// Source: W3C Trace Context, https://www.w3.org/TR/trace-context/ (level 1), and /trace-context-2/ for the random flag.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gateway/domain/text.hpp"

namespace gateway {

/// 128 bits; zero means no trace.
struct trace_id {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  explicit operator bool() const noexcept { return (high | low) != 0; }
  bool operator==(const trace_id&) const = default;
};

struct trace_context {
  static constexpr std::uint8_t sampled = 1;  ///< the caller may have recorded it
  static constexpr std::uint8_t random = 2;  ///< the right half of the trace id is random

  trace_id trace{};
  std::uint64_t span = 0;  ///< the parent of everything that follows
  std::uint8_t flags = 0;  ///< the header's, limited to these two bits
  bool recorded = false;  ///< whether this gateway records spans of it

  bool present() const noexcept { return static_cast<bool>(trace); }
  bool operator==(const trace_context&) const = default;
};

namespace detail {

inline void write_hex(char* to, std::uint64_t number, std::size_t digits) noexcept {
  for (auto left = digits; left > 0; number >>= 4) to[--left] = hex_digits[number & 15];
}

/// Lower case only, as the header requires.
inline bool read_hex(std::string_view text, std::uint64_t& into) noexcept {
  into = 0;
  for (const char c : text) {
    if (!is_lower_hex_digit(c)) return false;
    into = into << 4 | static_cast<std::uint64_t>(hex_value(c));
  }
  return true;
}

}  // namespace detail

/// 32 and 16 hex digits, not terminated.
inline std::array<char, 32> hex_of(const trace_id& id) noexcept {
  std::array<char, 32> text;
  detail::write_hex(text.data(), id.high, 16);
  detail::write_hex(text.data() + 16, id.low, 16);
  return text;
}
inline std::array<char, 16> hex_of_span(std::uint64_t id) noexcept {
  std::array<char, 16> text;
  detail::write_hex(text.data(), id, 16);
  return text;
}

/// Strict: anything but an exact traceparent counts as absent. A version after 00 may have more content after another
/// dash, which is ignored and not passed on.
inline std::optional<trace_context> parse_traceparent(std::string_view text) noexcept {
  constexpr std::size_t whole = 55;  // 00-<32>-<16>-<2>
  std::uint64_t version = 0, flags = 0;
  trace_context found;
  if (text.size() < whole || text[2] != '-' || text[35] != '-' || text[52] != '-') return std::nullopt;
  if (!detail::read_hex(text.substr(0, 2), version) || version == 0xff) return std::nullopt;
  if (text.size() > whole && (version == 0 || text[whole] != '-')) return std::nullopt;
  if (!detail::read_hex(text.substr(3, 16), found.trace.high) ||
      !detail::read_hex(text.substr(19, 16), found.trace.low) || !detail::read_hex(text.substr(36, 16), found.span) ||
      !detail::read_hex(text.substr(53, 2), flags))
    return std::nullopt;
  if (!found.trace || found.span == 0) return std::nullopt;
  found.flags = static_cast<std::uint8_t>(flags & (trace_context::sampled | trace_context::random));
  return found;
}

/// Requires a context that is present; writes version 00.
inline std::array<char, 55> traceparent_of(const trace_context& context) noexcept {
  std::array<char, 55> text;
  text[0] = text[1] = '0';
  text[2] = text[35] = text[52] = '-';
  detail::write_hex(text.data() + 3, context.trace.high, 16);
  detail::write_hex(text.data() + 19, context.trace.low, 16);
  detail::write_hex(text.data() + 36, context.span, 16);
  detail::write_hex(text.data() + 53, context.flags, 2);
  return text;
}

}  // namespace gateway
