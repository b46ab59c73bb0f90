// Chooses the provider of a new payment: a pure function of the merchant's routes and connections.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "gateway/domain/merchant.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/problem.hpp"
#include "gateway/domain/provider_states.hpp"

namespace gateway {

struct route_choice {
  provider_kind provider = provider_kind::sandbox;
  std::string account;
  bool hides_provider = false;
};

namespace detail {
bool takes(const route& way, environment env, merchant_kind entity, const create_payment& wanted);
}  // namespace detail

/// Routes are tried in their order; the first whose connection is connected takes the payment.
/// Without any connection, or with only routes whose connection is not connected: the merchant must finish onboarding.
/// Connected, but no route takes this currency, method and flow: no eligible provider.
/// A provider that is away is skipped; if no other takes the payment, the provider is unavailable.
/// `states`: the providers in this environment.
/// `keeper`: the provider that already has the payment's customer, which no other provider knows.
std::variant<route_choice, problem> choose_route(const merchant& who, environment env, const create_payment& wanted,
                                                 const provider_states& states,
                                                 std::optional<provider_kind> keeper = std::nullopt);

/// Which provider takes a new subscription: the first connected one among the routes for recurring cards.
std::variant<route_choice, problem> choose_recurring_route(const merchant& who, environment env, currency unit,
                                                           const provider_states& states,
                                                           std::optional<provider_kind> keeper = std::nullopt);

}  // namespace gateway
