#include "form_key.hpp"

#include <cstddef>

#include "gateway/base/crypto.hpp"

namespace gateway::http {

std::string key_of_form(std::string_view id, std::int64_t version, std::string_view action) {
  std::string text{id};
  text.append(1, '\n').append(std::to_string(version)).append(1, '\n').append(action);
  constexpr std::size_t uuid_digits = 32;
  auto digits = crypto::hex(crypto::sha256(text)).substr(0, uuid_digits);
  digits[12] = '8';
  digits[16] = "89ab"[static_cast<unsigned char>(digits[16]) % 4];
  for (const std::size_t at : {20u, 16u, 12u, 8u}) digits.insert(at, 1, '-');
  return digits;
}

}  // namespace gateway::http
