#include "authenticator.hpp"

#include <array>
#include <cstdint>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace gateway::e2e {

namespace {

std::string base32_decoded(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    if (c == ' ') continue;
    const auto value = alphabet.find(c);
    if (value == alphabet.npos) throw std::runtime_error("not base32: " + std::string{text});
    bits = bits << 5 | static_cast<std::uint32_t>(value);
    held += 5;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xff);
  }
  return bytes;
}

}  // namespace

std::string totp_code(std::string_view secret, std::chrono::seconds ahead) {
  using namespace std::chrono;
  const auto seconds_now = duration_cast<seconds>(system_clock::now().time_since_epoch() + ahead).count();
  auto step = static_cast<std::uint64_t>(seconds_now / 30);
  std::array<unsigned char, 8> counter{};
  for (std::size_t i = 8; i > 0; --i, step >>= 8) counter[i - 1] = static_cast<unsigned char>(step & 0xff);
  const auto key = base32_decoded(secret);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  HMAC(EVP_sha1(), key.data(), static_cast<int>(key.size()), counter.data(), counter.size(), digest.data(), &length);
  const auto at = static_cast<std::size_t>(digest[length - 1] & 0x0f);
  const auto number = (digest[at] & 0x7fu) << 24 | digest[at + 1] * 0x10000u | digest[at + 2] * 0x100u | digest[at + 3];
  auto digits = std::to_string(number % 1'000'000);
  digits.insert(0, 6 - digits.size(), '0');
  return digits;
}

}  // namespace gateway::e2e
