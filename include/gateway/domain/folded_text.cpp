#include "gateway/domain/folded_text.hpp"

#include <cstdint>

#include "gateway/domain/text.hpp"

namespace gateway {
namespace {

/// For characters of two bytes, U+0080 to U+07FF.
constexpr std::uint32_t lower_of(std::uint32_t c) noexcept {
  const auto within = [c](std::uint32_t first, std::uint32_t last) { return c >= first && c <= last; };
  if ((within(0xc0, 0xde) && c != 0xd7) || (within(0x391, 0x3a9) && c != 0x3a2) || within(0x410, 0x42f)) return c + 32;
  if (within(0x400, 0x40f)) return c + 80;
  // Pairs with an even capital, and pairs with an odd one. The lower case of the dotted capital I has two code points.
  if ((within(0x100, 0x12f) || within(0x132, 0x137) || within(0x14a, 0x177) || within(0x218, 0x21b)) && c % 2 == 0)
    return c + 1;
  if ((within(0x139, 0x148) || within(0x179, 0x17e)) && c % 2 == 1) return c + 1;
  if (c == 0x178) return 0xff;
  switch (c) {
    case 0x386: return 0x3ac;
    case 0x388: return 0x3ad;
    case 0x389: return 0x3ae;
    case 0x38a: return 0x3af;
    case 0x38c: return 0x3cc;
    case 0x38e: return 0x3cd;
    case 0x38f: return 0x3ce;
    case 0x3c2: return 0x3c3;  // the sigma at the end of a word
    default: return c;
  }
}

constexpr bool begins_two_bytes(char c) noexcept { return (static_cast<unsigned char>(c) & 0xe0) == 0xc0; }
constexpr bool continues_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string folded_text(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    if (!begins_two_bytes(utf8[i]) || i + 1 == utf8.size() || !continues_character(utf8[i + 1])) {
      out += to_lower(utf8[i]);
      continue;
    }
    const auto first = static_cast<unsigned char>(utf8[i]), second = static_cast<unsigned char>(utf8[++i]);
    const auto lower = lower_of((first & 0x1fu) << 6 | (second & 0x3fu));
    out += static_cast<char>(0xc0 | lower >> 6);
    out += static_cast<char>(0x80 | (lower & 0x3f));
  }
  return out;
}

}  // namespace gateway
