// What the rooms must know of a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace gateway {

/// How many characters a text in valid UTF-8 has.
constexpr std::size_t count_characters(std::string_view utf8) noexcept {
  std::size_t count = 0;
  for (const char c : utf8)
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++count;
  return count;
}

}  // namespace gateway
