#include "admission.hpp"

#include <algorithm>

#include "http/codec/decode.hpp"
#include "http/errors.hpp"

namespace gateway::http {
namespace {

std::string_view name_of(scope wanted) {
  const auto at = std::ranges::find(scope_names, wanted, &scope_name::value);
  return at == std::end(scope_names) ? std::string_view{} : at->name;
}

}  // namespace

std::optional<response> admit(call& c, const endpoint& way) {
  if (way.needs == access::open) return std::nullopt;

  // First of all, before any work is done for it: under overload this is what most requests get.
  auto& shared = c.here.shared;
  if (way.needs == access::signed_write && shared.writes.reached()) {
    shared.meters.shed("waiting").Increment();
    return refuse(error_code::overloaded);
  }

  auto who = authenticate(c.in, shared.merchants, shared.clock.now());
  if (auto* no = std::get_if<unauthenticated>(&who)) return refuse(no->code, no->description);
  c.who = std::get<principal>(std::move(who));

  // A merchant's key fixes environment and merchant; naming another merchant is a mistake worth telling.
  if (c.in.service_merchant && *c.in.service_merchant != c.who.merchant.value)
    return refuse(error_code::merchant_id_mismatch, "Service-Merchant: not the merchant whose key signed the request");

  if (!c.who.scopes.permits(way.allowed_by))
    return refuse(error_code::forbidden,
                  "This operation needs the scope " + std::string{name_of(way.allowed_by)} + ".");

  if (way.needs == access::signed_write) {
    auto key = decode_idempotency_key(c.in.idempotency_key);
    if (auto* wrong = std::get_if<bad_request>(&key)) return refuse(*wrong);
    c.idempotency_key = std::get<std::string>(std::move(key));
  }
  return std::nullopt;
}

std::optional<response> require_json(const request& in) {
  if (is_json_request(in.body, in.content_type)) return std::nullopt;
  return refuse(error_code::unsupported_media_type);
}

}  // namespace gateway::http
