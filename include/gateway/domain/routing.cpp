#include "gateway/domain/routing.hpp"

#include <algorithm>

namespace gateway {

namespace detail {

bool takes(const route& way, environment env, merchant_kind entity, const create_payment& wanted) {
  const auto& provider = traits_of(way.provider);
  if (way.env != env || !supports(provider, wanted.how)) return false;
  if (provider.wallet && entity != merchant_kind::wallet) return false;
  if (wanted.customer && !provider.customers) return false;
  const auto only = env == environment::test ? provider.test_currency : provider.live_currency;
  if (!only.empty() && wanted.amount.unit.code() != only) return false;
  if (!way.currencies.empty() && std::ranges::find(way.currencies, wanted.amount.unit) == way.currencies.end())
    return false;
  const bool for_subscriptions_only =
      !way.methods.empty() &&
      std::ranges::all_of(way.methods, [](payment_method_kind m) { return m == payment_method_kind::recurring_card; });
  if (for_subscriptions_only) return false;
  const bool for_wallet = std::ranges::find(way.methods, payment_method_kind::pkr_wallet) != way.methods.end();
  return wanted.wallet_selected ? for_wallet && provider.wallet : true;
}

}  // namespace detail

std::variant<route_choice, problem> choose_route(const merchant& who, environment env, const create_payment& wanted,
                                                 const provider_states& states, std::optional<provider_kind> keeper) {
  if (wanted.customer && wanted.customer->platform.empty()) return problem::platform_key_required;
  if (wanted.wallet_selected && who.kind != merchant_kind::wallet) return problem::wallet_not_available;
  if (who.kind == merchant_kind::wallet && wanted.amount.unit != currency::parse("PKR"))
    return problem::currency_not_supported;

  const auto usable = [&](provider_kind kind) { return states[kind] != provider_state::absent; };
  const auto connected = [&](provider_kind kind) -> const connection* {
    for (const auto& link : who.connections)
      if (link.env == env && link.provider == kind && link.status == connection_status::connected) return &link;
    return nullptr;
  };

  const bool any_connected = std::ranges::any_of(who.connections, [&](const connection& link) {
    return link.env == env && usable(link.provider) && link.status == connection_status::connected;
  });
  if (!any_connected) return problem::merchant_not_charge_capable;

  bool waits_for_connection = false, is_away = false;
  for (const auto& way : who.routes) {
    if (!usable(way.provider) || !detail::takes(way, env, who.kind, wanted)) continue;
    if (keeper && way.provider != *keeper) continue;
    const auto* link = connected(way.provider);
    if (link && states[way.provider] == provider_state::ready)
      return route_choice{way.provider, link->account,
                          who.kind == merchant_kind::wallet || traits_of(way.provider).wallet};
    (link ? is_away : waits_for_connection) = true;
  }
  if (is_away) return problem::provider_unavailable;
  return waits_for_connection ? problem::merchant_not_charge_capable : problem::no_eligible_provider;
}

// If only connections are missing, the merchant must finish onboarding.
std::variant<route_choice, problem> choose_recurring_route(const merchant& who, environment env, currency unit,
                                                           const provider_states& states,
                                                           std::optional<provider_kind> keeper) {
  bool waits_for_connection = false, is_away = false;
  for (const auto& way : who.routes) {
    const auto& provider = traits_of(way.provider);
    if (way.env != env || !provider.subscriptions || (keeper && way.provider != *keeper)) continue;
    if (states[way.provider] == provider_state::absent) continue;
    if (std::ranges::find(way.methods, payment_method_kind::recurring_card) == way.methods.end()) continue;
    if (!way.currencies.empty() && std::ranges::find(way.currencies, unit) == way.currencies.end()) continue;
    bool is_connected = false;
    for (const auto& link : who.connections) {
      if (link.env != env || link.provider != way.provider || link.status != connection_status::connected) continue;
      if (states[way.provider] == provider_state::ready) return route_choice{way.provider, link.account, false};
      is_connected = true;
    }
    (is_connected ? is_away : waits_for_connection) = true;
  }
  if (is_away) return problem::provider_unavailable;
  return waits_for_connection ? problem::merchant_not_charge_capable : problem::no_eligible_provider;
}

}  // namespace gateway
