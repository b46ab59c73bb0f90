// Characters, numbers and comparisons of texts that several folders need. Letters and digits are those of ASCII,
// whatever the locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gateway {

inline constexpr std::string_view hex_digits = "0123456789abcdef";
inline constexpr std::string_view upper_hex_digits = "0123456789ABCDEF";

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_lower_letter(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper_letter(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) noexcept { return is_lower_letter(c) || is_upper_letter(c); }
constexpr bool is_letter_or_digit(char c) noexcept { return is_letter(c) || is_digit(c); }
constexpr bool is_lower_hex_digit(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f'); }
constexpr bool is_hex_digit(char c) noexcept { return is_lower_hex_digit(c) || (c >= 'A' && c <= 'F'); }
/// Letters, digits, `-` and `_`: the characters of callers' and providers' ids.
constexpr bool is_id_character(char c) noexcept { return is_letter_or_digit(c) || c == '_' || c == '-'; }
/// Includes the tab.
constexpr bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

constexpr char to_lower(char c) noexcept { return is_upper_letter(c) ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char to_upper(char c) noexcept { return is_lower_letter(c) ? static_cast<char>(c - 'a' + 'A') : c; }

/// The value of a hexadecimal digit in either case; -1 for any other character.
constexpr int hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  return true;
}

/// The text without the blanks at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") noexcept {
  const auto first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Removes the text up to and including the first `end`, and returns the part before it; all of the text if there is no
/// `end`.
constexpr std::string_view cut_before(std::string_view& text, char end) noexcept {
  const auto at = text.find(end);
  const auto before = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return before;
}

inline constexpr std::int64_t most_port = 65'535;

/// nullopt unless the whole text is a decimal number within the bounds. A minus is accepted only if `least` is
/// negative, a plus never.
std::optional<std::int64_t> parse_whole(std::string_view text, std::int64_t least, std::int64_t most) noexcept;

/// The number of characters of a text in valid UTF-8.
constexpr std::size_t count_characters(std::string_view utf8) noexcept {
  std::size_t count = 0;
  for (const char c : utf8)
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++count;
  return count;
}

}  // namespace gateway
