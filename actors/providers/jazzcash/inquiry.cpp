#include "inquiry.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace gateway::actors::jazzcash {

namespace {

struct code_row {
  std::string_view code;
  transaction_state state;
};

/// The documented codes that a wallet's transaction can have.
constexpr auto codes = std::to_array<code_row>({
    {"000", transaction_state::paid},
    {"121", transaction_state::paid},  // completed: the amount has been debited

    {"124", transaction_state::pending},  // waits to be paid over the counter
    {"157", transaction_state::pending},
    {"210", transaction_state::pending},  // authorization pending

    {"001", transaction_state::failed},  // limit exceeded
    {"002", transaction_state::failed},  // account not found
    {"003", transaction_state::failed},  // account inactive
    {"004", transaction_state::failed},  // low balance
    {"024", transaction_state::failed},  // bad PIN
    {"060", transaction_state::failed},  // PIN retries exhausted
    {"063", transaction_state::failed},  // destination not found
    {"066", transaction_state::failed},  // no transactions allowed
    {"067", transaction_state::failed},  // invalid account status
    {"095", transaction_state::failed},  // rejected
    {"103", transaction_state::failed},  // customer blocked
    {"105", transaction_state::failed},  // limits of merchant and customer
    {"106", transaction_state::failed},
    {"107", transaction_state::failed},
    {"111", transaction_state::failed},  // not allowed
    {"112", transaction_state::failed},  // cancelled by the customer
    {"117", transaction_state::failed},
    {"122", transaction_state::failed},  // reversed: the customer has the money back

    {"055", transaction_state::given_up},  // the host could not be reached, or refused
    {"058", transaction_state::given_up},
    {"059", transaction_state::given_up},
    {"062", transaction_state::given_up},
    {"118", transaction_state::given_up},  // maintenance
    {"127", transaction_state::given_up},
    {"134", transaction_state::given_up},  // timed out
    {"199", transaction_state::given_up},  // system error
    {"401", transaction_state::given_up},
    {"403", transaction_state::given_up},
    {"406", transaction_state::given_up},
    {"407", transaction_state::given_up},
    {"429", transaction_state::given_up},
    {"430", transaction_state::given_up},
    {"431", transaction_state::given_up},
    {"432", transaction_state::given_up},
    {"999", transaction_state::given_up},

    {"116", transaction_state::expired},
    {"129", transaction_state::dropped},
    {"109", transaction_state::not_found},
});

provider_result of_status(provider_status status, const provider_inquiry& asked) {
  provider_result result;
  result.status = status;
  result.provider_ref = asked.subject.provider_ref;
  return result;
}

provider_result unknown(const provider_inquiry& asked, std::string_view code, std::string_view message) {
  auto result = of_status(provider_status::unknown, asked);
  result.error = provider_error{error_category::provider, std::string{code}, std::string{message}, true, true};
  return result;
}

provider_result unreadable(const provider_inquiry& asked) {
  return unknown(asked, "processing_error", "The wallet's answer could not be read.");
}

provider_result declined(const provider_inquiry& asked, std::string_view code) {
  auto result = of_status(provider_status::declined, asked);
  const bool low = code == "004";
  if (code == "112")
    result.error = provider_error{error_category::provider, "customer_cancelled", "The customer cancelled the payment.",
                                  false, false};
  else
    result.error =
        provider_error{error_category::provider, low ? "insufficient_funds" : "payment_declined",
                       low ? "The wallet has insufficient funds." : "The wallet declined the payment.", low, false};
  return result;
}

provider_result not_paid_in_time(const provider_inquiry& asked) {
  auto result = of_status(provider_status::declined, asked);
  result.error = provider_error{error_category::timeout, "checkout_expired",
                                "The customer did not complete the checkout in time.", false, false};
  return result;
}

constexpr bool same_letter(char a, char b) noexcept { return (a | 0x20) == (b | 0x20); }

bool equals_ignoring_case(std::string_view value, std::string_view word) noexcept {
  return std::ranges::equal(value, word, same_letter);
}

/// Whether the answer is about the payment that was asked for. The older inquiry's answer names no payment.
bool is_of(const pp_fields& answer, const provider_inquiry& asked, const inquiry_access& with) {
  const auto agrees = [&](std::string_view name, std::string_view expected) {
    const auto value = field(answer, name);
    return value.empty() || value == expected;
  };
  return agrees("pp_TxnRefNo", asked.subject.provider_ref) && agrees("pp_MerchantID", with.merchant_id) &&
         agrees("pp_Amount", std::to_string(asked.subject.amount.minor));
}

/// Whether pp_Status contradicts the code.
bool contradicts(std::string_view status, transaction_state state) noexcept {
  if (status.empty()) return false;
  return equals_ignoring_case(status, "Completed") != (state == transaction_state::paid);
}

/// Whether the transaction began so long ago that no payment can follow a failure reported now. Only the newer inquiry
/// tells when it began; with the older one, this is certain only once the time to pay is over.
bool has_settled(const pp_fields& answer, const provider_inquiry& asked, time_point now) {
  const auto began_at = read_pakistan_time(field(answer, "pp_TxnDateTime"));
  return began_at ? now - *began_at >= settling_time : asked.closes;
}

provider_result result_of(transaction_state state, const pp_fields& answer, const provider_inquiry& asked,
                          time_point now) {
  const bool settled = has_settled(answer, asked, now);
  const auto code = field(answer, "pp_PaymentResponseCode");
  switch (state) {
    case transaction_state::paid: return of_status(provider_status::approved, asked);
    case transaction_state::pending: return of_status(provider_status::pending, asked);
    case transaction_state::failed: return declined(asked, code);
    case transaction_state::given_up:
      return settled ? declined(asked, code) : of_status(provider_status::pending, asked);
    case transaction_state::expired: return not_paid_in_time(asked);
    case transaction_state::dropped:
      return settled ? not_paid_in_time(asked) : of_status(provider_status::pending, asked);
    case transaction_state::not_found:
      return asked.closes ? not_paid_in_time(asked) : of_status(provider_status::pending, asked);
    case transaction_state::unclear: break;
  }
  return unknown(asked, "processing_error", "The wallet does not say whether the payment was made.");
}

}  // namespace

transaction_state state_of_code(std::string_view code) noexcept {
  const auto at = std::ranges::find(codes, code, &code_row::code);
  return at == codes.end() ? transaction_state::unclear : at->state;
}

http_request inquiry_request(std::string_view txn_ref_no, const inquiry_access& with) {
  pp_fields asked{{"pp_MerchantID", std::string{with.merchant_id}},
                  {"pp_Password", std::string{with.password}},
                  {"pp_TxnRefNo", std::string{txn_ref_no}}};
  asked.emplace("pp_SecureHash", secure_hash(asked, with.salt));
  http_request request;
  request.method = http_method::post;
  request.url = with.url;
  request.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}};
  request.body = json_of(asked);
  request.most_body_bytes = most_message_bytes;
  request.repeatable = true;  // an inquiry changes nothing
  return request;
}

provider_result read_inquiry(const http_outcome& outcome, const provider_inquiry& asked, const inquiry_access& with,
                             time_point now) {
  const auto* answered = std::get_if<http_answer>(&outcome);
  if (!answered) return unknown(asked, "provider_unavailable", "The wallet did not answer.");
  constexpr std::uint16_t good = 200;
  if (answered->status != good) return unknown(asked, "provider_unavailable", "The wallet could not answer.");
  const auto answer = answered->cut ? std::nullopt : read_json(answered->body);
  if (!answer) return unreadable(asked);

  const bool hashed = !field(*answer, "pp_SecureHash").empty();
  if (hashed && !is_genuine(*answer, with.salt))
    return unknown(asked, "processing_error", "The wallet's answer does not carry its hash.");
  if (!is_of(*answer, asked, with))
    return unknown(asked, "processing_error", "The wallet answered about another payment.");

  const auto of_inquiry = field(*answer, "pp_ResponseCode");
  if (state_of_code(of_inquiry) == transaction_state::not_found)
    return result_of(transaction_state::not_found, *answer, asked, now);
  if (of_inquiry != "000") return unknown(asked, "processing_error", "The wallet refused the inquiry.");
  // Documented answers about a payment carry the hash: an answer without it is not accepted.
  if (!hashed) return unreadable(asked);
  const auto state = state_of_code(field(*answer, "pp_PaymentResponseCode"));
  if (contradicts(field(*answer, "pp_Status"), state)) return unreadable(asked);
  return result_of(state, *answer, asked, now);
}

}  // namespace gateway::actors::jazzcash
