// Stored passwords: `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`, so that the cost can rise later.
#include <array>

#include "gateway/base/crypto.hpp"
#include "gateway/base/primitives.hpp"
#include "gateway/domain/text.hpp"

namespace gateway::crypto {

namespace {

struct stored_password {
  scrypt_cost cost;
  std::string salt;
  std::string hash;
};

std::optional<std::uint32_t> number_within(std::string_view text, std::uint32_t most) {
  const auto value = parse_whole(text, 1, most);
  return value ? std::optional{static_cast<std::uint32_t>(*value)} : std::nullopt;
}

std::optional<stored_password> parse(std::string_view text) {
  std::array<std::string_view, 6> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto end = text.find('$');
    if ((end == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
    parts[i] = text.substr(0, end);
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  // The parameters are bounded, so that a manipulated row cannot make one sign-in take all memory.
  const auto log2_n = number_within(parts[1], 18), r = number_within(parts[2], 16), p = number_within(parts[3], 8);
  const auto salt = from_base64url(parts[4]), hash = from_base64url(parts[5]);
  if (parts[0] != "scrypt" || !log2_n || !r || !p || !salt || !hash) return std::nullopt;
  return stored_password{{*log2_n, *r, *p}, *salt, *hash};
}

}  // namespace

std::string hash_password(std::string_view password) {
  const scrypt_cost cost;
  const auto salt = random_bytes(16);
  return "scrypt$" + std::to_string(cost.log2_n) + '$' + std::to_string(cost.r) + '$' + std::to_string(cost.p) + '$' +
         base64url(salt) + '$' + base64url(scrypt(password, salt, cost));
}

bool verify_password(std::string_view password, std::string_view stored) {
  const auto expected = parse(stored);
  return expected && equal_constant_time(scrypt(password, expected->salt, expected->cost), expected->hash);
}

}  // namespace gateway::crypto
