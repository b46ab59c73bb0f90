#include "authorization.hpp"

#include <algorithm>
#include <utility>

namespace gateway::http {
namespace {

std::string_view name_of(scope wanted) {
  const auto at = std::ranges::find(scope_names, wanted, &scope_name::value);
  return at == std::end(scope_names) ? std::string_view{} : at->name;
}

rejection another_merchant(std::string_view named_by) {
  return {error_code::merchant_id_mismatch, std::string{named_by} + ": not the merchant whose key signed the request"};
}

rejection lacks(scope needed) {
  return {error_code::forbidden, "This operation needs the scope " + std::string{name_of(needed)} + "."};
}

/// A merchant's key fixes environment and merchant; naming another merchant is a mistake worth telling.
ruling judge(merchant_key key, const request& in, scope needed) {
  if (in.service_merchant && *in.service_merchant != key.merchant.value) return another_merchant("Service-Merchant");
  if (!key.scopes.permits(needed)) return lacks(needed);
  return permit{std::move(key.merchant), key.env, {}};
}

}  // namespace

authorization authorize(caller who, const request& in, scope needed) {
  return std::visit([&](auto& credential) -> authorization { return judge(std::move(credential), in, needed); }, who);
}

std::optional<rejection> check_merchant(const permit& allowed, const merchant_id& named) {
  if (named.empty() || named == allowed.merchant) return std::nullopt;
  return another_merchant("merchant_id");
}

}  // namespace gateway::http
