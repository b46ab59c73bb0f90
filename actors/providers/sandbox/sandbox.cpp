// The sandbox decides by the payment's token, its flow and its kind alone, so that after a crash the same call gets the
// same answer. See docs/served/testing.md for the table of tokens.

#include "sandbox.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "entity/provider_key.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/domain/sandbox_truth.hpp"
#include "gateway/domain/text.hpp"
#include "subscriptions.hpp"

namespace gateway::actors {

namespace {

constexpr duration_ms longest_delay{30'000};

struct decline {
  std::string_view token;
  error_category category;
  std::string_view code;
  std::string_view message;
  bool retryable;
};

/// Tokens that are declined when the payment is created.
constexpr std::array declines{
    decline{"chargeDeclined", error_category::provider, "card_declined", "The card was declined.", false},
    decline{"chargeDeclinedInsufficientFunds", error_category::provider, "insufficient_funds",
            "The card has insufficient funds.", true},
    decline{"riskBlocked", error_category::risk, "risk_blocked", "The payment was blocked by a risk rule.", false},
    decline{"accountInvalid", error_category::auth, "account_invalid",
            "The merchant's account at the provider is not valid.", false},
};

sandbox_answer declined(error_category category, std::string_view code, std::string_view message, bool retryable,
                        std::string ref = {}) {
  return {{provider_status::declined,
           std::move(ref),
           {},
           provider_error{category, std::string{code}, std::string{message}, retryable, false}}};
}

sandbox_answer approved(std::string ref) {
  sandbox_answer answer{{provider_status::approved, std::move(ref), {}, std::nullopt}, duration_ms{0}, true};
  answer.result.movement_ref = answer.result.provider_ref;
  return answer;
}

/// The token in `pm_card_x` and `ctoken_card_x` is x.
std::string_view card_token(std::string_view method) noexcept {
  for (std::string_view prefix : {"pm_card_", "ctoken_card_"})
    if (method.starts_with(prefix)) return method.substr(prefix.size());
  return {};
}

std::string reference(std::string_view prefix, const provider_call& call) {
  return sandbox_reference(prefix, call.provider_key);
}

sandbox_answer waits_for_customer(const provider_call& call) {
  return {{provider_status::pending, reference("cs_", call), {}, std::nullopt}};
}

/// Whether the customer entered the method on a hosted page. Its token does not decide the outcome of a charge.
bool is_fresh_method(std::string_view method) noexcept {
  constexpr std::string_view prefix = "pm_";
  if (!method.starts_with(prefix) || method.size() != prefix.size() + 32) return false;
  return std::ranges::all_of(method.substr(prefix.size()), is_lower_hex_digit);
}

std::optional<duration_ms> slow_token(std::string_view token) noexcept {
  constexpr std::string_view prefix = "slow_";
  if (!token.starts_with(prefix)) return std::nullopt;
  token.remove_prefix(prefix.size());
  const auto ms = parse_whole(token, 0, std::numeric_limits<unsigned>::max());
  return ms ? std::optional{std::min(duration_ms{*ms}, longest_delay)} : std::nullopt;
}

sandbox_answer charge(const provider_call& call) {
  if (call.subject.how != flow::server) return waits_for_customer(call);
  const auto token = card_token(call.subject.details.payment_method);
  auto ref = reference("ch_", call);
  for (const auto& row : declines)
    if (row.token == token) return declined(row.category, row.code, row.message, row.retryable, std::move(ref));
  if (token == "authenticationRequired") return waits_for_customer(call);
  if (token == "timeout") {
    auto answer = approved(std::move(ref));
    answer.silent = !call.asked_again;
    return answer;
  }
  if (token == "timeoutDeclined") {
    auto answer = declined(error_category::provider, "card_declined", "The card was declined.", false, std::move(ref));
    answer.silent = !call.asked_again;
    return answer;
  }
  if (const auto delay = slow_token(token)) {
    auto answer = approved(std::move(ref));
    answer.after = call.asked_again ? duration_ms{0} : *delay;
    return answer;
  }
  for (std::string_view good : {"visa", "captureDeclined", "refundFail", "voidFail", "createDispute", "refundPending"})
    if (token == good) return approved(std::move(ref));
  const auto& customer = call.subject.customer;
  if (customer && customer->charges_saved && is_fresh_method(call.subject.details.payment_method))
    return approved(std::move(ref));
  return declined(error_category::validation, "payment_method_not_found", "No such payment method.", false);
}

bool is_disputed_once_captured(const payment& subject) { return subject.details.payment_method == disputed_card; }

/// The customer is created first, whatever the outcome of the charge.
sandbox_answer create(const provider_call& call) {
  auto answer = charge(call);
  auto& result = answer.result;
  if (!call.customer_key.empty()) result.customer_id = sandbox_customer_id(call.customer_key);
  const auto& customer = call.subject.customer;
  if (result.status == provider_status::approved && customer && customer->saves_method)
    result.saved_method = call.subject.details.payment_method;
  if (result.status == provider_status::approved && !machine::captures_separately(call.subject))
    result.is_followed = is_disputed_once_captured(call.subject);
  return answer;
}

/// Whether an operator's command has ended the authorization at the sandbox, and the payment does not show it yet.
bool has_ended(const payment& subject) {
  return !subject.records.acts.empty() && sandbox_truth(subject).charge != charge_state::authorized;
}

sandbox_answer capture(const provider_call& call) {
  if (has_ended(call.subject))
    return declined(error_category::provider, "capture_declined", "The authorization has ended.", false);
  if (card_token(call.subject.details.payment_method) == "captureDeclined")
    return declined(error_category::provider, "capture_declined", "The capture was declined.", false);
  auto answer = approved(reference("cap_", call));
  answer.result.is_followed = is_disputed_once_captured(call.subject);
  return answer;
}

sandbox_answer refund(const provider_call& call) {
  if (card_token(call.subject.details.payment_method) == "refundFail")
    return declined(error_category::provider, "refund_failed", "The refund was declined.", false);
  if (call.subject.provider == provider_kind::sandbox_hosted && call.subject.captured_at) {
    using namespace std::chrono;
    const auto captured_on = floor<days>(*call.subject.captured_at);
    auto last = year_month_day{captured_on} + hosted_refund_window;
    if (!last.ok()) last = last.year() / last.month() / std::chrono::last;
    if (floor<days>(call.begun_at) > sys_days{last})
      return declined(error_category::validation, "refund_window_expired",
                      "The route refunds for six months after the capture.", false);
  }
  auto answer = approved(reference("re_", call));
  if (call.subject.details.payment_method == slow_refund_card) answer.result.status = provider_status::pending;
  return answer;
}

sandbox_answer void_authorization(const provider_call& call) {
  if (has_ended(call.subject))
    return declined(error_category::provider, "void_failed", "The authorization has ended.", false);
  if (card_token(call.subject.details.payment_method) == "voidFail")
    return declined(error_category::provider, "void_failed", "The void was declined.", false);
  return approved(reference("vo_", call));
}

using result_promise = caf::typed_response_promise<provider_result>;
using sandbox_actor = sandbox_provider::extend<caf::reacts_to<work_atom, std::uint64_t>>;

class sandbox {
 public:
  static inline const char* name = "sandbox";

  void start(sandbox_actor::pointer self, sandbox_settings config, std::shared_ptr<sandbox_ledger> ledger) {
    self_ = self;
    config_ = std::move(config);
    ledger_ = std::move(ledger);
  }

  caf::result<provider_result> take(provider_call& call) {
    auto answer = answer_sandbox_call(call, config_);
    if (answer.after > duration_ms{0}) {
      auto promise = self_->make_response_promise<provider_result>();
      const auto id = ++last_;
      later_.emplace(id, delayed{std::move(call), std::move(answer), promise});
      self_->delayed_send(self_, later_.at(id).answer.after, work_atom::value, id);
      return promise;
    }
    const bool silent = answer.silent;
    auto result = carry_out(call, std::move(answer), ledger_.get());
    if (silent) return keep_silent();
    return result;
  }

  void join(router_actor router) { router_ = std::move(router); }

  caf::typed_response_promise<subscription_result> take(const subscription_call& call) {
    return ask_enrollment(self_, router_, call, config_);
  }

  void due(std::uint64_t id) {
    if (auto silent = silent_.extract(id)) {
      silent.mapped().deliver(unknown_result("provider_silent", "The provider did not answer."));
      return;
    }
    auto node = later_.extract(id);
    if (node.empty()) return;
    auto& [call, answer, promise] = node.mapped();
    promise.deliver(carry_out(call, std::move(answer), ledger_.get()));
  }

 private:
  struct delayed {
    provider_call call;
    sandbox_answer answer;
    result_promise promise;
  };

  /// Answers long after the gate's deadline. The promise must be answered in the end, because the gate keeps a request
  /// until it is answered.
  result_promise keep_silent() {
    auto promise = self_->make_response_promise<provider_result>();
    silent_.emplace(++last_, promise);
    self_->delayed_send(self_, longest_delay * 2, work_atom::value, last_);
    return promise;
  }

  sandbox_actor::pointer self_ = nullptr;
  sandbox_settings config_;
  router_actor router_;
  std::shared_ptr<sandbox_ledger> ledger_;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, delayed> later_;
  std::unordered_map<std::uint64_t, result_promise> silent_;
};

sandbox_actor::behavior_type sandbox_behavior(sandbox_actor::stateful_pointer<sandbox> self, sandbox_settings config,
                                              std::shared_ptr<sandbox_ledger> ledger) {
  self->state.start(self, std::move(config), std::move(ledger));
  return {
      [self](provider_call& call) { return self->state.take(call); },
      [](const provider_inquiry& inquiry) { return answer_sandbox_inquiry(inquiry); },
      [self](const subscription_call& call) { return self->state.take(call); },
      [](const account_question& question) { return answer_sandbox_account(question); },
      [](const notification_question& question) { return answer_sandbox_question(question); },
      [](const event_list_question&) { return event_list_page{}; },  // the event reader reads them from the store
      [](const endpoint_question&) { return endpoint_answer{}; },
      [self](join_atom, router_actor& router) { self->state.join(std::move(router)); },
      [self](work_atom, std::uint64_t id) { self->state.due(id); },
  };
}

}  // namespace

std::string sandbox_customer_id(std::string_view customer_key) {
  return std::string{"cus_"}.append(customer_key.substr(customer_key.find('_') + 1));
}

sandbox_answer answer_sandbox_call(const provider_call& call) {
  switch (call.what) {
    case operation::create:
    case operation::charge: return create(call);
    case operation::capture: return capture(call);
    case operation::refund: return refund(call);
    case operation::void_payment: return void_authorization(call);
    case operation::cancel: break;  // an inquiry that closes the page
  }
  return declined(error_category::internal, "unsupported", "The sandbox does not know this operation.", false);
}

provider_result answer_sandbox_inquiry(const provider_inquiry& inquiry) {
  provider_result seen;
  if (inquiry.compares) {
    seen.status = provider_status::approved;
    seen.truth = std::make_shared<const provider_truth>(sandbox_truth(inquiry.subject));
    return seen;
  }
  seen.status = inquiry.closes ? provider_status::declined : provider_status::pending;
  seen.provider_ref = inquiry.subject.provider_ref;
  return seen;
}

account_answer answer_sandbox_account(const account_question& question) {
  return {account_standing::ready, question.account, {}};
}

notification_subject answer_sandbox_question(const notification_question&) { return no_subject{}; }

void add_customer_action(provider_result& result, const entity_key& subject, bool by_sdk,
                         const sandbox_settings& config) {
  if (result.status != provider_status::pending) return;
  std::string payload = subject.merchant.value;
  payload.append("\n").append(to_string(subject.env)).append("\n").append(subject.id);
  payload.append("\n").append(result.provider_ref);
  if (by_sdk)
    result.action = customer_action{"sdk_" + config.sdk_key.sign(payload), "pk_sandbox"};
  else
    result.hosted_url = config.base_url + "/sandbox/checkout/" + config.hosted_page_key.sign(payload);
}

sandbox_answer answer_sandbox_call(const provider_call& call, const sandbox_settings& config) {
  auto answer = answer_sandbox_call(call);
  add_customer_action(answer.result, call.subject.key, call.by_sdk, config);
  return answer;
}

provider_result unknown_result(std::string code, std::string message) {
  return {provider_status::unknown,
          {},
          {},
          provider_error{error_category::provider, std::move(code), std::move(message), true, true}};
}

provider_result carry_out(const provider_call& call, sandbox_answer answer, sandbox_ledger* ledger) {
  const bool recorded = !ledger || ((call.customer_key.empty() || ledger->record_customer(call)) &&
                                    (!answer.executed || ledger->record(call, answer.result.movement_ref)));
  if (!recorded) return unknown_result("provider_error", "The provider could not record the call.");
  return std::move(answer.result);
}

sandbox_provider spawn_sandbox(caf::actor_system& system, sandbox_settings config,
                               std::shared_ptr<sandbox_ledger> ledger) {
  return system.spawn(sandbox_behavior, std::move(config), std::move(ledger));
}

}  // namespace gateway::actors
