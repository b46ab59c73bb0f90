#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

/// Decodes the hexadecimal text of a published test vector.
inline std::string from_hex(std::string_view text) {
  const auto nibble = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    throw std::invalid_argument("not hexadecimal");
  };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(nibble(text[i]) * 16 + nibble(text[i + 1]));
  return bytes;
}
