#include "auth_codes.hpp"

#include <cstddef>

namespace gateway::http {
namespace {

constexpr std::string_view code_purpose = "authorization code";
constexpr std::size_t random_size = 16;
constexpr std::size_t longest_code = 1024;

/// A sealed text that names its key contains a full stop. It is encoded again, because clients expect only letters,
/// digits, `-` and `_`.
std::string without_full_stop(std::string sealed) {
  return crypto::sealing_key_of(sealed).empty() ? sealed : crypto::base64url(sealed);
}

}  // namespace

new_code make_code(const entity_key& binding, const crypto::derived_keys& key) {
  auto inside = crypto::random_bytes(random_size);
  inside.append(1, binding.env == environment::live ? 'l' : 't').append(binding.merchant.value);
  inside.append(1, '\n').append(binding.id);
  auto text = without_full_stop(key.seal(inside, code_purpose));
  auto hash = code_hash(text);
  return {std::move(text), std::move(hash)};
}

std::optional<entity_key> binding_of(std::string_view code, const crypto::derived_keys& key) {
  if (code.size() > longest_code) return std::nullopt;
  auto opened = key.open(code, code_purpose);
  if (const auto named = opened ? std::nullopt : crypto::from_base64url(code)) opened = key.open(*named, code_purpose);
  if (!opened || opened->size() <= random_size) return std::nullopt;
  const auto said = std::string_view{*opened}.substr(random_size);
  const auto line_end = said.find('\n');
  if (line_end == said.npos) return std::nullopt;
  const auto env = said.front() == 'l' ? environment::live : environment::test;
  return entity_key{merchant_id{std::string{said.substr(1, line_end - 1)}}, env, entity_kind::grant,
                    std::string{said.substr(line_end + 1)}};
}

std::string code_hash(std::string_view code) { return crypto::hex(crypto::sha256(code)); }

}  // namespace gateway::http
