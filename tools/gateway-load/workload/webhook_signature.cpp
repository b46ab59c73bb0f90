#include "webhook_signature.hpp"

#include <array>
#include <string>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "gateway/domain/text.hpp"

namespace gateway::load {
namespace {

constexpr std::int64_t tolerance = 300;

std::string hmac_hex(std::string_view secret, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex.append(1, hex_digits[digest[i] >> 4]).append(1, hex_digits[digest[i] & 15]);
  return hex;
}

}  // namespace

bool rightly_signed(std::string_view header, std::string_view body, std::string_view secret, std::int64_t now) {
  if (secret.empty() || !header.starts_with("t=")) return false;
  const auto comma = header.find(',');
  if (comma == std::string_view::npos) return false;
  const auto at_text = header.substr(2, comma - 2);
  if (!parse_whole(at_text, now - tolerance, now + tolerance)) return false;
  std::string text{at_text};
  const auto expected = hmac_hex(secret, text.append(1, '.').append(body));
  // While the secret is being changed there is a v1 for the old one and one for the new one.
  for (auto rest = header.substr(comma); !rest.empty();) {
    rest.remove_prefix(1);
    const auto part = rest.substr(0, rest.find(','));
    rest.remove_prefix(part.size());
    if (part.size() != 3 + expected.size() || !part.starts_with("v1=")) continue;
    if (CRYPTO_memcmp(part.data() + 3, expected.data(), expected.size()) == 0) return true;
  }
  return false;
}

}  // namespace gateway::load
