#include "authorization.hpp"

#include <algorithm>
#include <utility>

#include "http/codec/body_fields.hpp"
#include "http/codec/query.hpp"

namespace gateway::http {
namespace {

std::string_view name_of(scope wanted) {
  const auto at = std::ranges::find(scope_names, wanted, &scope_name::value);
  return at == std::end(scope_names) ? std::string_view{} : at->name;
}

rejection another_merchant(std::string_view named_by) {
  return {error_code::merchant_id_mismatch, std::string{named_by} + ": not the merchant whose key signed the request"};
}

std::string description_of(scope needed) {
  return "This operation needs the scope " + std::string{name_of(needed)} + ".";
}

error_code code_of_refusal(acting_refusal why) noexcept {
  switch (why) {
    case acting_refusal::grant_not_found: return error_code::not_granted;
    case acting_refusal::merchant_grant_required: return error_code::grant_elsewhere;
    case acting_refusal::scope_denied: return error_code::scope_denied;
    case acting_refusal::scope_not_granted: return error_code::scope_not_granted;
    case acting_refusal::key_lacks_scope: return error_code::forbidden;
  }
  return error_code::internal_error;
}

/// A merchant's key determines environment and merchant. A request that names another merchant is rejected.
ruling judge(merchant_key key, const request& in, scope needed, const directory&, bool of_platforms) {
  if (in.service_merchant && *in.service_merchant != key.merchant.value) return another_merchant("Service-Merchant");
  if (!of_platforms && !key.scopes.permits(needed)) return rejection{error_code::forbidden, description_of(needed)};
  return permit{std::move(key.merchant), key.env, {}, false, {std::move(key.id), {}, needed}};
}

ruling judge(platform_caller key, const request& in, scope needed, const directory& known, bool) {
  const auto chosen = read_environment(in);
  if (const auto* wrong = std::get_if<rejection>(&chosen)) return *wrong;
  const auto env = std::get<environment>(chosen);
  if (!in.service_merchant || in.service_merchant->empty()) return rejection{error_code::service_merchant_required, {}};

  platform_and_merchant who{std::move(key.platform), merchant_id{std::string{*in.service_merchant}}};
  if (const auto why = judge_acting(known, who, env, needed, key.scopes)) {
    const bool names_scope = *why == acting_refusal::scope_not_granted || *why == acting_refusal::key_lacks_scope;
    return rejection{code_of_refusal(*why), names_scope ? description_of(needed) : std::string{}};
  }
  asked_by by{std::move(key.id), who.platform, needed};
  return permit{std::move(who.merchant), env, std::move(who.platform.value), true, std::move(by)};
}

}  // namespace

ruling authorize(caller who, const request& in, scope needed, const directory& known, bool of_platforms) {
  return std::visit([&](auto& credential) { return judge(std::move(credential), in, needed, known, of_platforms); },
                    who);
}

ruling authorize_reader_of_events(caller who, const request& in, scope needed, const directory& known) {
  const auto* platform = std::get_if<platform_caller>(&who);
  if (!platform) return authorize(std::move(who), in, needed, known);
  const auto chosen = read_environment(in);
  if (const auto* wrong = std::get_if<rejection>(&chosen)) return *wrong;
  const auto env = std::get<environment>(chosen);
  const bool of_one = in.service_merchant && !in.service_merchant->empty();
  merchant_id merchant{of_one ? std::string{*in.service_merchant} : std::string{}};
  if (of_one && known.find_grants({platform->platform, merchant}).in(env).state != grant_state::revoked)
    return authorize(std::move(who), in, needed, known);
  if (!platform->scopes.permits(needed)) return rejection{error_code::forbidden, description_of(needed)};
  asked_by by{platform->id, platform->platform, needed};
  return permit{std::move(merchant), env, platform->platform.value, true, std::move(by)};
}

permit permit_of_signer(caller who) {
  if (auto* platform = std::get_if<platform_caller>(&who)) {
    asked_by by{std::move(platform->id), platform->platform, scope::all};
    return {{}, environment::live, std::move(platform->platform.value), true, std::move(by)};
  }
  auto& key = std::get<merchant_key>(who);
  return {std::move(key.merchant), key.env, {}, false, {std::move(key.id), {}, scope::all}};
}

std::variant<environment, rejection> read_environment(const request& in) {
  const auto pairs = read_query(in.query);
  if (!pairs) return rejection{error_code::invalid_environment, {}};
  std::optional<environment> chosen;
  for (const auto& each : *pairs) {
    if (each.name != environment_parameter) continue;
    const auto named = parse_environment(each.value);
    if (chosen || !named) return rejection{error_code::invalid_environment, {}};
    chosen = named;
  }
  return chosen.value_or(environment::live);
}

std::optional<rejection> check_merchant(const permit& allowed, const merchant_id& named) {
  if (named.empty() || named == allowed.merchant) return std::nullopt;
  if (allowed.by_platform)
    return rejection{error_code::merchant_id_mismatch, "merchant_id: not the merchant that Service-Merchant names"};
  return another_merchant("merchant_id");
}

}  // namespace gateway::http
