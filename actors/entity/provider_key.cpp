#include "provider_key.hpp"

#include <span>
#include <string_view>

#include "gateway/base/crypto.hpp"

namespace gateway::actors {

std::string provider_key_of(const entity_key& subject, const command_key& command, std::int64_t claim) {
  std::string text;
  text.reserve(160);
  for (const std::string_view part :
       {std::string_view{command.merchant.value}, to_string(command.env), std::string_view{command.principal},
        std::string_view{command.key}, std::string_view{subject.id}})
    text.append(part).append(1, '\n');
  text.append(std::to_string(claim));
  const auto hash = crypto::sha256(text);
  return "pk_" + crypto::hex(std::span{hash}.first(16));
}

std::string sandbox_reference(std::string_view prefix, std::string_view provider_key) {
  constexpr std::string_view of_key = "pk_";
  if (provider_key.starts_with(of_key)) provider_key.remove_prefix(of_key.size());
  return std::string{prefix}.append(provider_key);
}

}  // namespace gateway::actors
