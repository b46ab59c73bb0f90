// Properties of texts that several folders need.
#pragma once

#include <cstddef>
#include <string_view>

namespace gateway {

/// The number of characters of a text in valid UTF-8.
constexpr std::size_t count_characters(std::string_view utf8) noexcept {
  std::size_t count = 0;
  for (const char c : utf8)
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++count;
  return count;
}

}  // namespace gateway
