#include "inquiry.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gateway/domain/provider_truth.hpp"

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

    {"122", transaction_state::returned},  // reversed
    {"131", transaction_state::returned},  // refunded

    {"003", transaction_state::failed},  // account inactive
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

    {"001", transaction_state::refused},  // limit exceeded
    {"002", transaction_state::refused},  // account not found: a mistyped number
    {"004", transaction_state::refused},  // low balance
    {"024", transaction_state::refused},  // bad PIN

    {"058", transaction_state::interrupted},  // timed out
    {"401", transaction_state::interrupted},  // the customer is asked to try again, as with the next four
    {"403", transaction_state::interrupted},
    {"406", transaction_state::interrupted},
    {"407", transaction_state::interrupted},
    {"429", transaction_state::interrupted},

    {"055", transaction_state::given_up},  // the host could not be reached, or refused
    {"059", transaction_state::given_up},
    {"062", transaction_state::given_up},
    {"118", transaction_state::given_up},  // maintenance
    {"127", transaction_state::given_up},
    {"134", transaction_state::given_up},  // timed out
    {"199", transaction_state::given_up},  // system error
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

provider_error error_of(std::string_view code) {
  const auto error = [](std::string code_name, std::string words, bool retryable = false) {
    return provider_error{error_category::provider, std::move(code_name), std::move(words), retryable, false};
  };
  if (code == "112") return error("customer_cancelled", "The customer cancelled the payment.");
  if (state_of_code(code) == transaction_state::returned)
    return error("payment_returned", "The wallet has given the money back to the customer.");
  if (code == "004") return error("insufficient_funds", "The wallet has insufficient funds.", true);
  return error("payment_declined", "The wallet declined the payment.");
}

provider_result declined(const provider_inquiry& asked, std::string_view code) {
  auto result = of_status(provider_status::declined, asked);
  result.error = error_of(code);
  return result;
}

/// A try has failed, and the customer can try again.
provider_result failed_try(const provider_inquiry& asked, std::string_view code) {
  auto result = of_status(provider_status::pending, asked);
  result.error = error_of(code);
  result.error->retryable = true;
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

/// Whether pp_Status contradicts the code. Its value for a returned payment is not documented.
bool contradicts(std::string_view status, transaction_state state) noexcept {
  if (status.empty() || state == transaction_state::returned) return false;
  return equals_ignoring_case(status, "Completed") != (state == transaction_state::paid);
}

/// Whether a failure that is reported now is final, because the customer's last try began long enough ago. The time in
/// the answer is the form's, which may be much older. If the gateway has not recorded when the form was posted, a
/// failure is final only once the form has ended.
bool has_settled(const provider_inquiry& asked, time_point now) {
  const auto& began_at = asked.subject.handed_over_at;
  return began_at ? now - *began_at >= settling_time : asked.closes;
}

provider_result result_of(transaction_state state, std::string_view code, const provider_inquiry& asked,
                          time_point now) {
  const bool settled = has_settled(asked, now);
  switch (state) {
    case transaction_state::paid: return of_status(provider_status::approved, asked);
    case transaction_state::pending: return of_status(provider_status::pending, asked);
    case transaction_state::returned:
    case transaction_state::failed: return declined(asked, code);
    case transaction_state::refused: return asked.closes ? declined(asked, code) : failed_try(asked, code);
    case transaction_state::interrupted:
      return asked.closes && settled ? declined(asked, code) : failed_try(asked, code);
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

/// JazzCash does not list refunds. If it has returned a payment, the amount that was not refunded before becomes one
/// refund, named after the transaction.
void add_return(provider_truth& truth, const payment& subject) {
  const auto ref = "returned:" + subject.provider_ref;
  const auto& known = subject.records.refunds;
  const auto same = std::ranges::find(known, ref, &refund::provider_ref);
  const auto amount = same == known.end() ? subject.captured - subject.refunded : same->amount;
  if (amount <= 0) return;
  truth.lists_refunds = true;
  truth.refunds.push_back({ref, amount, refund_status::succeeded, {}, {}});
}

/// The payment's state by its transaction, for the comparison. Without `truth` if the failure is not final yet. A
/// payment that was returned before it was captured here counts as failed, because the customer has the money.
provider_result compared(transaction_state state, std::string_view code, const provider_inquiry& asked,
                         time_point now) {
  auto result = result_of(state, code, asked, now);
  const auto& subject = asked.subject;
  provider_truth truth;
  if (state == transaction_state::returned && subject.captured > 0) {
    truth.charge = charge_state::captured;
    truth.captured = subject.captured;
    add_return(truth, subject);
  } else if (result.status == provider_status::approved) {
    truth.charge = charge_state::captured;
    truth.captured = subject.amount.minor;
  } else if (result.status == provider_status::declined) {
    truth.charge = charge_state::failed;
  } else {
    return result;
  }
  result.status = provider_status::approved;
  result.error.reset();
  result.truth = std::make_shared<const provider_truth>(std::move(truth));
  return result;
}

/// The answer to the inquiry or the comparison.
provider_result answer_of(transaction_state state, std::string_view code, const provider_inquiry& asked,
                          time_point now) {
  return asked.compares ? compared(state, code, asked, now) : result_of(state, code, asked, now);
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
    return answer_of(transaction_state::not_found, of_inquiry, asked, now);
  if (of_inquiry != "000") return unknown(asked, "processing_error", "The wallet refused the inquiry.");
  // Documented answers about a payment carry the hash: an answer without it is not accepted.
  if (!hashed) return unreadable(asked);
  const auto code = field(*answer, "pp_PaymentResponseCode");
  const auto state = state_of_code(code);
  if (contradicts(field(*answer, "pp_Status"), state)) return unreadable(asked);
  return answer_of(state, code, asked, now);
}

}  // namespace gateway::actors::jazzcash
