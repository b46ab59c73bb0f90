// A small PNG file, part by part, for tests of logos.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gateway::testing {

class png_file {
 public:
  explicit png_file(std::uint32_t width = 2, std::uint32_t height = 2, int depth = 8, int colour_type = 2) {
    std::string header = number(width) + number(height);
    header.append(1, static_cast<char>(depth)).append(1, static_cast<char>(colour_type)).append(3, '\0');
    head_ = std::string{"\x89PNG\r\n\x1a\n", 8} + chunk("IHDR", header);
  }
  png_file& with_chunk(std::string_view type, std::string_view data) {
    more_ += chunk(type, data);
    return *this;
  }
  png_file& without_picture() {
    picture_.clear();
    return *this;
  }
  std::string text() const { return head_ + more_ + picture_ + chunk("IEND", {}); }

 private:
  static std::string number(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
  }
  static std::uint32_t crc(std::string_view bytes) {
    std::uint32_t rest = 0xffffffffu;
    for (const char c : bytes) {
      rest ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) rest = (rest & 1) != 0 ? 0xedb88320u ^ (rest >> 1) : rest >> 1;
    }
    return rest ^ 0xffffffffu;
  }
  static std::string chunk(std::string_view type, std::string_view data) {
    const auto checked = std::string{type}.append(data);
    return number(static_cast<std::uint32_t>(data.size())) + checked + number(crc(checked));
  }

  /// The rows of 2 by 2 red pixels, in one block of zlib that is not compressed.
  static std::string pixels() {
    std::string rows;
    for (int row = 0; row < 2; ++row) rows += std::string{"\0\xff\0\0\xff\0\0", 7};
    std::uint32_t a = 1, b = 0;
    for (const char c : rows) {
      a = (a + static_cast<unsigned char>(c)) % 65521;
      b = (b + a) % 65521;
    }
    return std::string{"\x78\x01\x01\x0e\x00\xf1\xff", 7} + rows + number(b << 16 | a);
  }

  std::string head_;
  std::string more_;
  std::string picture_ = chunk("IDAT", pixels());
};

}  // namespace gateway::testing
