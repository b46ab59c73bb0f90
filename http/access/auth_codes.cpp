#include "auth_codes.hpp"

#include <cstddef>

namespace gateway::http {
namespace {

constexpr std::string_view code_purpose = "authorization code";
constexpr std::size_t random_size = 16;
constexpr std::size_t longest_code = 1024;

}  // namespace

new_code make_code(const entity_key& binding, const crypto::derived_keys& key) {
  auto inside = crypto::random_bytes(random_size);
  inside.append(1, binding.env == environment::live ? 'l' : 't').append(binding.merchant.value);
  inside.append(1, '\n').append(binding.id);
  // Encoded again, so that the full stop behind the key's id does not show.
  auto text = crypto::base64url(key.seal(inside, code_purpose));
  auto hash = code_hash(text);
  return {std::move(text), std::move(hash)};
}

std::optional<entity_key> binding_of(std::string_view code, const crypto::derived_keys& key) {
  if (code.size() > longest_code) return std::nullopt;
  const auto sealed = crypto::from_base64url(code);
  const auto opened = sealed ? key.open(*sealed, code_purpose) : std::nullopt;
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
