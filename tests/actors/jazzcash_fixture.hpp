// A payment at JazzCash, its settings, and messages signed as JazzCash signs them.
#pragma once

#include <string>
#include <string_view>

#include "gateway/ports/provider_adapter.hpp"
#include "providers/jazzcash/fields.hpp"

namespace gateway::actors::jazzcash_tests {

using jazzcash::pp_fields;
using std::chrono::hours;
using std::chrono::minutes;

inline const time_point noon = *parse_seconds("2026-11-20T12:00:00Z");
inline const gateway_addresses here{"https://pay.example", "form key", hours{24}};
inline const provider_settings shop{
    {{"merchant_id", "MC12345"}, {"password", "pass12word"}, {"integrity_salt", "salt1234"}}};

inline payment waiting() {
  payment p;
  p.key = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  p.state = payment_state::processing;
  p.amount = {420'000, *currency::parse("PKR")};
  p.how = flow::redirect;
  p.provider = provider_kind::jazzcash;
  p.hides_provider = true;
  p.provider_ref = "T0123456789ABCDEFGHI";
  p.created_at = noon;
  p.details.success_url = "https://shop.example/ok";
  return p;
}

inline pp_fields signed_by(std::string_view salt, pp_fields fields) {
  fields["pp_SecureHash"] = jazzcash::secure_hash(fields, salt);
  return fields;
}

inline std::string code_of(const provider_result& result) { return result.error ? result.error->code : ""; }

}  // namespace gateway::actors::jazzcash_tests
