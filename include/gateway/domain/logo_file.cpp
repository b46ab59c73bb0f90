// The check of a logo: a PNG file (ISO/IEC 15948) that is complete and small, and contains nothing else.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "branding.hpp"

namespace gateway {

namespace {

constexpr std::string_view png_signature{"\x89PNG\r\n\x1a\n", 8};

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest & 1) != 0 ? 0xedb88320u ^ (rest >> 1) : rest >> 1;
    table[i] = rest;
  }
  return table;
}();

std::uint32_t crc_of(std::string_view bytes) noexcept {
  std::uint32_t rest = 0xffffffffu;
  for (const char c : bytes) rest = crc_table[(rest ^ static_cast<unsigned char>(c)) & 0xff] ^ (rest >> 8);
  return rest ^ 0xffffffffu;
}

/// Four bytes, the highest first.
std::uint32_t number_at(std::string_view bytes, std::size_t at) noexcept {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

struct png_chunk {
  std::string_view type;
  std::string_view data;
};

/// Takes the first chunk from `rest`; nullopt if it is cut off or its checksum is wrong.
std::optional<png_chunk> take_chunk(std::string_view& rest) noexcept {
  constexpr std::size_t frame = 12;  // length, type and checksum
  if (rest.size() < frame) return std::nullopt;
  const auto length = number_at(rest, 0);
  if (length > rest.size() - frame) return std::nullopt;
  const auto checked = rest.substr(4, 4 + length);
  if (crc_of(checked) != number_at(rest, 8 + length)) return std::nullopt;
  rest.remove_prefix(frame + length);
  return png_chunk{checked.substr(0, 4), checked.substr(4)};
}

/// The combinations of depth and colour type that the standard permits.
bool is_valid_format(std::string_view header) noexcept {
  const auto depth = static_cast<unsigned char>(header[8]), type = static_cast<unsigned char>(header[9]);
  const bool small = depth == 1 || depth == 2 || depth == 4, usual = depth == 8 || depth == 16;
  const bool fits = (type == 0 && (small || usual)) || (type == 3 && (small || depth == 8)) ||
                    ((type == 2 || type == 4 || type == 6) && usual);
  return fits && header[10] == 0 && header[11] == 0 && (header[12] == 0 || header[12] == 1);
}

/// The chunks of the standard that a still picture has. Others, such as an animation or a camera's notes, are refused.
bool is_permitted_chunk(std::string_view type) noexcept {
  constexpr std::array permitted{"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB",
                                 "iCCP", "sBIT", "bKGD", "pHYs", "tIME", "tEXt", "zTXt", "iTXt"};
  return std::ranges::any_of(permitted, [&](const char* each) { return type == each; });
}

constexpr const char* not_whole = "The file is not a whole PNG picture.";

}  // namespace

std::optional<std::string> fault_of_logo(std::string_view file) {
  if (file.size() > most_logo_bytes) return "The file is too large: at most 64 KiB.";
  if (!file.starts_with(png_signature)) return "The file must be a PNG picture.";
  auto rest = file.substr(png_signature.size());
  const auto header = take_chunk(rest);
  if (!header || header->type != "IHDR" || header->data.size() != 13 || !is_valid_format(header->data))
    return not_whole;
  for (const auto side : {number_at(header->data, 0), number_at(header->data, 4)}) {
    if (side == 0) return not_whole;
    if (side > most_logo_side) return "The picture is too large: at most 1024 by 1024 pixels.";
  }
  bool has_picture = false;
  for (;;) {
    const auto chunk = take_chunk(rest);
    if (!chunk || chunk->type == "IHDR") return not_whole;
    if (chunk->type == "acTL" || chunk->type == "fcTL" || chunk->type == "fdAT")
      return "The picture must not be animated.";
    if (!is_permitted_chunk(chunk->type))
      return "The file has parts that a logo does not need. Save it again as a PNG.";
    if (chunk->type == "IDAT" && !chunk->data.empty()) has_picture = true;
    if (chunk->type != "IEND") continue;
    return has_picture && chunk->data.empty() && rest.empty() ? std::nullopt : std::optional<std::string>{not_whole};
  }
}

}  // namespace gateway
