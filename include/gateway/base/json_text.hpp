// Writes JSON directly, where building a tree of values would cost too much.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace gateway {

namespace detail {
void append_escaped_json_string(std::string& out, std::string_view text);
}  // namespace detail

/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD. Nearly all texts are plain
/// ASCII, which is copied in one piece.
inline void append_json_string(std::string& out, std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
  });
  if (plain)
    out.append(1, '"').append(text).append(1, '"');
  else
    detail::append_escaped_json_string(out, text);
}

}  // namespace gateway
