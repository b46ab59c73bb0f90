// Stripe's units of money. They are ISO 4217's smallest units for most currencies, but not for all:
// docs.stripe.com/currencies, sections on zero-decimal and three-decimal currencies, and special cases.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "gateway/domain/money.hpp"

namespace gateway::actors::stripe {

enum class amount_fault : unsigned char {
  currency_not_supported,  ///< Stripe's unit is not documented, or not clearly
  amount_not_supported,    ///< Stripe's unit is larger than the amount's last digit
};

/// In Stripe's unit; `of.minor` is in ISO 4217's.
constexpr std::variant<std::int64_t, amount_fault> stripe_amount(const money& of) noexcept {
  const auto code = of.unit.code();
  // Whole units only, but written with two decimals.
  if (code == "ISK") return of.minor * 100;
  // The documentation states the same for the Ugandan shilling, but also lists it as a zero-decimal currency. Following
  // the wrong statement would charge 1% of the amount, or 100 times the amount.
  if (code == "UGX") return amount_fault::currency_not_supported;
  // Zero-decimal at Stripe; ISO 4217 gives it two digits.
  if (code == "MGA") {
    if (of.minor % 100 != 0) return amount_fault::amount_not_supported;
    return of.minor / 100;
  }
  if (of.unit.minor_digits() == 3) {
    for (const std::string_view known : {"BHD", "JOD", "KWD", "OMR", "TND"}) {
      if (code != known) continue;
      if (of.minor % 10 != 0) return amount_fault::amount_not_supported;
      return of.minor;
    }
    return amount_fault::currency_not_supported;
  }
  return of.minor;
}

/// The reverse, for an amount that Stripe states.
constexpr money gateway_amount(std::int64_t at_stripe, currency unit) noexcept {
  const auto code = unit.code();
  if (code == "ISK" || code == "UGX") return {at_stripe / 100, unit};
  if (code == "MGA") return {at_stripe * 100, unit};
  return {at_stripe, unit};
}

}  // namespace gateway::actors::stripe
