// Amounts between minor units and what a person reads and writes: a decimal in the currency's major unit.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "gateway/domain/money.hpp"

namespace gateway::http {

/// `HKD 42.00`, `JPY 4,200`: with the currency's own decimals.
std::string amount_text(const money& amount);
/// `42.00`: what read_amount() takes, for the field of a form.
std::string decimal_text(const money& amount);

/// Why a text is no amount, in words to stand beside the field.
struct amount_fault {
  std::string words;
};
/// `42`, `42.5` or `42.50` of HKD. Commas are refused: between thousands in one country they stand before the decimals
/// in another, and a payment would be a thousand times too large. So is nothing at all, what is negative, more decimals
/// than the currency has, and what no payment may be worth.
std::variant<money, amount_fault> read_amount(std::string_view typed, currency unit);

}  // namespace gateway::http
