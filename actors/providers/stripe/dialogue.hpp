// What all dialogues with Stripe share: each consists of steps, and each step reads an answer and decides the next one.
#pragma once

#include <exception>
#include <utility>
#include <variant>

#include "amount.hpp"
#include "answers.hpp"
#include "errors.hpp"
#include "gateway/domain/clock_guard.hpp"
#include "gateway/ports/provider_adapter.hpp"
#include "judgement.hpp"
#include "requests.hpp"

namespace gateway::actors::stripe {

/// The result of a dialogue that could not be continued: the outcome is unknown.
template <class Result>
Result nothing_known();
template <>
inline provider_result nothing_known() {
  return not_known("The provider's answer could not be handled.");
}

template <>
inline event_list_page nothing_known() {
  event_list_page none;
  none.error = nothing_known<provider_result>().error;
  return none;
}
template <>
inline endpoint_answer nothing_known() {
  endpoint_answer none;
  none.error = nothing_known<provider_result>().error;
  return none;
}

template <class Result>
class stepwise_dialogue : public dialogue<Result> {
 public:
  using turn = std::variant<http_request, Result>;

  turn next(const http_outcome* received) final {
    try {
      if (!std::exchange(begun_, true)) return begin();
      return on_reply(read_reply(received));
    } catch (const std::exception&) {
      return nothing_known<Result>();
    }
  }

 protected:
  virtual turn begin() = 0;
  virtual turn on_reply(const reply& received) = 0;

 private:
  bool begun_ = false;
};

using money_dialogue = stepwise_dialogue<provider_result>;
using turn = money_dialogue::turn;

/// How long ago an operation began. Its idempotency keys were first sent at that time or later.
struct key_age {
  bool asked_again = false;
  bool known = true;  ///< the clock is trusted
  time_point begun_at{}, now{};

  /// Whether Stripe may have forgotten the key: then nothing is sent again, and the outcome is searched for. If the
  /// clock is not trusted, or was not when the operation began, the age is unknown, and the key counts as forgotten.
  bool is_over() const noexcept { return asked_again && (!is_known() || now >= begun_at + key_life); }
  /// No request is in progress any more, and a search shows all that were executed.
  bool certain() const noexcept { return is_at_least(certain_after); }
  bool is_at_least(duration_ms age) const noexcept { return is_known() && now >= begun_at + age; }

 private:
  bool is_known() const noexcept { return known && begun_at <= now + clock_guard::tolerance; }
};

/// A call and the values derived from it once.
struct call_at {
  provider_call call;
  access as;
  time_point now;

  key_age age() const noexcept { return {call.asked_again, call.age_known, call.begun_at, now}; }
  bool key_is_over() const noexcept { return age().is_over(); }
  bool certain() const noexcept { return age().certain(); }
  /// Whether only a read of the object shows the outcome: Stripe has failed, or has the key for another request, and
  /// the key was sent before, so the same request would get the same answer.
  bool must_read(const reply& received) const noexcept {
    return call.asked_again && (received.kind == reply_kind::server_fault || received.kind == reply_kind::other_call);
  }
};

/// Why no request is possible for this payment: its account's id is not valid.
std::optional<provider_result> fault_of_account(const access& as);
/// For a payment whose reference does not have the form of a Stripe id.
provider_result no_reference();

dialogue_ptr<provider_result> open_creation(call_at what, std::string return_url);
dialogue_ptr<provider_result> open_capture(call_at what);
dialogue_ptr<provider_result> open_void(call_at what);
dialogue_ptr<provider_result> open_refund(call_at what);
dialogue_ptr<provider_result> open_inquiry(provider_inquiry what, access as);
dialogue_ptr<provider_result> open_comparison(provider_inquiry what, access as);

dialogue_ptr<subscription_result> open_subscription_checkout(subscription_call call, access as, time_point now);
/// For a cancel, and for a checkout that expires.
dialogue_ptr<subscription_result> open_subscription_end(subscription_call call, access as, time_point now);
/// Reads the subscription and its latest paid invoices. Changes nothing.
dialogue_ptr<subscription_result> open_subscription_reading(subscription_call call, access as, time_point now);
dialogue_ptr<account_answer> open_account(account_question question, access as);
dialogue_ptr<notification_subject> open_notification(notification_question question, const provider_settings& with);
dialogue_ptr<event_list_page> open_event_list(event_list_question question, access as);
dialogue_ptr<endpoint_answer> open_endpoint(endpoint_question question, access as);

}  // namespace gateway::actors::stripe
