#include "gateway/base/json_text.hpp"
#include "gateway/domain/text.hpp"

#include <cstddef>
#include <cstdint>

namespace gateway {

namespace {

/// The length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none.
/// Overlong forms, surrogates and points past U+10FFFF are not well formed (Unicode, table 3-7).
std::size_t utf8_length(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0}; };
  const auto within = [&](std::size_t i, int low, int high) { return at(i) >= low && at(i) <= high; };
  const auto follows = [&](std::size_t i) { return within(i, 0x80, 0xbf); };
  const auto first = at(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool second = within(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool second = within(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (static_cast<unsigned char>(c) >= 0x20) {
    out += c;
    return;
  }
  out += "\\u00";
  out += hex_digits[static_cast<unsigned char>(c) >> 4];
  out += hex_digits[c & 15];
}

}  // namespace

void detail::append_escaped_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto length = utf8_length(text);
    if (length == 1) append_escaped(out, text.front());
    if (length > 1) out += text.substr(0, length);
    if (length == 0) out += "\xef\xbf\xbd";
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace gateway
