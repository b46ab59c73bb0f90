// Reads a row's columns and checks their bounds. Internal to persistence/.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "persistence/connection/rows.hpp"

namespace gateway::persistence {

// The times whose year has four digits.
inline constexpr std::int64_t first_ms = -62'135'596'800'000;  ///< 0001-01-01T00:00:00.000Z
inline constexpr std::int64_t last_ms = 253'402'300'799'999;   ///< 9999-12-31T23:59:59.999Z

/// Reads a row from left to right, in the order of its SELECT. Throws corrupt_row for a value that the program could
/// not have written.
class cursor {
 public:
  explicit cursor(const result_row& row) noexcept : row_(row) {}

  std::string text() { return row_.text(at_++); }
  template <class Number = std::int64_t>
  Number number(const char* what, std::int64_t least = 0, std::int64_t most = std::numeric_limits<Number>::max()) {
    const auto stored = row_.integer(at_++);
    if (stored < least || stored > most) throw corrupt_row(std::string{what} + " out of bounds");
    return static_cast<Number>(stored);
  }
  bool flag(const char* what) { return number(what, 0, 1) != 0; }
  time_point time() { return from_unix_ms(number("time", first_ms, last_ms)); }
  bool is_null() const { return row_.is_null(at_); }
  bool skip_null() {
    if (!is_null()) return false;
    ++at_;
    return true;
  }
  std::optional<time_point> optional_time() { return skip_null() ? std::nullopt : std::optional{time()}; }

  /// Reads a name, which must be one that this program knows.
  template <class Parse>
  auto named(Parse parse, const char* what) {
    const auto parsed = parse(std::string_view{text()});
    if (!parsed) throw corrupt_row(std::string{"unknown "} + what);
    return *parsed;
  }

 private:
  const result_row& row_;
  unsigned at_ = 0;
};

}  // namespace gateway::persistence
