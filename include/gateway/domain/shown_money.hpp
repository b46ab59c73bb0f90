// Converts amounts between minor units and the decimals in the major unit that people read and type.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "gateway/domain/money.hpp"

namespace gateway {

/// `HKD 42.00`, `JPY 4,200`: with the currency's own decimals.
std::string amount_text(const money& amount);
/// `42.00`: the format of read_amount(), for a form's field.
std::string decimal_text(const money& amount);

/// Why a text is not an amount: the message beside the field.
struct amount_fault {
  std::string words;
};
/// Reads `42`, `42.5` or `42.50` of HKD. Commas are refused: they separate thousands in one country and decimals in
/// another, and a misread payment would be a thousand times too large. Also refused: an empty text, negative values,
/// more decimals than the currency has, and amounts outside a payment's limits.
std::variant<money, amount_fault> read_amount(std::string_view typed, currency unit);

}  // namespace gateway
