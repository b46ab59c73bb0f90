// The text forms of crypto.hpp: hexadecimal and base64url (RFC 4648, section 5).
#include <cstdint>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/text.hpp"

namespace gateway::crypto {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr auto sextets = [] {
  std::array<std::int8_t, 256> table{};
  table.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  return table;
}();

}  // namespace

std::string hex(std::span<const unsigned char> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const auto byte : bytes) {
    text += hex_digits[byte >> 4];
    text += hex_digits[byte & 15];
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_value(text[i]), low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string to_text(const digest& d) { return {reinterpret_cast<const char*>(d.data()), d.size()}; }

std::string base64url(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t gathered = 0;
  unsigned bits = 0;
  for (const char c : bytes) {
    gathered = (gathered << 8) | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6;) {
      bits -= 6;
      text += alphabet[(gathered >> bits) & 63];
    }
  }
  if (bits > 0) text += alphabet[(gathered << (6 - bits)) & 63];
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t gathered = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const auto sextet = sextets[static_cast<unsigned char>(c)];
    if (sextet < 0) return std::nullopt;
    gathered = (gathered << 6) | static_cast<std::uint32_t>(sextet);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>((gathered >> bits) & 0xff);
    }
  }
  // The unused bits of the last digit must be zero, so that no two texts decode to the same bytes.
  if ((gathered & ((1u << bits) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace gateway::crypto
