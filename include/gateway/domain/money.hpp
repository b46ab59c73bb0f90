// Amounts in minor units with their ISO 4217 currency. 4200 HKD is 42.00 Hong Kong dollars.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/text.hpp"

namespace gateway {

inline constexpr std::int64_t max_amount = 999'999'999'999;

/// An ISO 4217 code in force, three upper-case letters.
class currency {
 public:
  constexpr currency() = default;

  /// Accepts either case; nullopt if the code is not in force.
  static constexpr std::optional<currency> parse(std::string_view text) noexcept;

  constexpr std::string_view code() const noexcept { return {code_.data(), 3}; }
  /// Digits after the decimal point when shown to a person: JPY 0, EUR 2, KWD 3.
  constexpr int minor_digits() const noexcept;
  bool operator==(const currency&) const = default;

 private:
  std::array<char, 3> code_{'X', 'X', 'X'};
};

struct money {
  std::int64_t minor = 0;
  currency unit;
  bool operator==(const money&) const = default;
};

namespace detail {
// ISO 4217 list one, without funds codes, metals and testing codes.
inline constexpr auto iso_4217 = std::to_array<std::string_view>(
    {"AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BHD", "BIF", "BMD", "BND",
     "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF", "CLP", "CNY", "COP", "CRC", "CUP", "CVE",
     "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD",
     "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY",
     "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD",
     "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MYR", "MZN", "NAD", "NGN", "NIO",
     "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF",
     "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "THB",
     "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VED", "VES", "VND",
     "VUV", "WST", "XAF", "XCD", "XCG", "XOF", "XPF", "YER", "ZAR", "ZMW", "ZWG"});
static_assert(std::is_sorted(iso_4217.begin(), iso_4217.end()));
}  // namespace detail

constexpr std::optional<currency> currency::parse(std::string_view text) noexcept {
  if (text.size() != 3) return std::nullopt;
  currency parsed;
  for (std::size_t i = 0; i < 3; ++i) parsed.code_[i] = to_upper(text[i]);
  if (!std::binary_search(detail::iso_4217.begin(), detail::iso_4217.end(), parsed.code())) return std::nullopt;
  return parsed;
}

constexpr int currency::minor_digits() const noexcept {
  for (std::string_view none :
       {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"})
    if (code() == none) return 0;
  for (std::string_view three : {"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
    if (code() == three) return 3;
  return 2;
}

}  // namespace gateway
