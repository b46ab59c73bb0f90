// Amounts as a customer reads them: each language has its way to write a currency.
#pragma once

#include <string>
#include <string_view>

#include "gateway/domain/money.hpp"
#include "language.hpp"

namespace gateway::http {

/// `HKD 42.00` in English, `HK$42.00` in Chinese, with as many decimals as the currency has.
std::string shown_price(language in, const money& amount);
/// The currency's name, such as `Hong Kong dollars`; empty for one without a name here.
std::string_view currency_name(language in, currency unit) noexcept;

}  // namespace gateway::http
