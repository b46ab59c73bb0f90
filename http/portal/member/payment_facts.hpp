// Facts of a payment that several pages show in the same words.
#pragma once

#include <string>
#include <string_view>

#include "gateway/domain/payment.hpp"
#include "gateway/domain/text.hpp"
#include "http/portal/member_frame.hpp"

namespace gateway::http {

/// The customer's name, or e-mail address, or the platform's reference; empty: none is known.
inline std::string customer_of_payment(const payment& of) {
  if (!of.details.customer_name.empty()) return of.details.customer_name;
  if (!of.details.customer_email.empty()) return of.details.customer_email;
  return of.customer ? of.customer->ref : std::string{};
}

/// A code such as `insufficient_funds` as words: `Insufficient funds`.
inline std::string words_of_code(std::string_view code) {
  std::string words{code};
  for (auto& each : words)
    if (each == '_') each = ' ';
  if (!words.empty()) words.front() = to_upper(words.front());
  return words;
}

}  // namespace gateway::http
