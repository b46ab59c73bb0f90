#include "trigger.hpp"

#include <chrono>
#include <utility>

#include <boost/json/serialize.hpp>

#include "gateway/base/crypto.hpp"
#include "interruption.hpp"
#include "output.hpp"

namespace gateway::cli {

namespace {

namespace json = boost::json;
using enum trigger_step;

constexpr trigger_step captured[] = {capture};
constexpr trigger_step refunded_in_part[] = {capture, refund_part};
constexpr trigger_step refunded_whole[] = {capture, trigger_step::refund};
constexpr trigger_step voided[] = {void_payment};
constexpr trigger_step disputed[] = {capture, await_dispute};

constexpr std::string_view approved = "pm_card_visa";
constexpr std::string_view subscriptions_are_live =
    "subscriptions are live only and belong to platforms; in development an operator moves one by "
    "`gatewayctl sandbox subscription`";

constexpr std::chrono::milliseconds between_looks{200};
constexpr unsigned most_looks = 50;
constexpr std::size_t payment_id_bytes = 12;

std::string text_member(const json::object& object, const char* name) {
  const auto* found = object.if_contains(name);
  if (!found || !found->is_string()) return {};
  return {found->get_string().data(), found->get_string().size()};
}

class run {
 public:
  run(api_client& client, const trigger_options& options)
      : client_(client), options_(options), payment_("pay_trigger_" + crypto::random_hex(payment_id_bytes)) {
    made_["type"] = options.name;
    made_["payment_id"] = payment_;
  }

  void create(std::string_view method) {
    post("/v1/payment_intents", {{"payment_id", payment_},
                                 {"amount", options_.amount},
                                 {"currency", options_.currency},
                                 {"payment_method", json::string_view{method.data(), method.size()}},
                                 {"description", "made by gateway-cli trigger"}});
  }

  void take(trigger_step step) {
    switch (step) {
      case capture:
        // A route that captures at authorization has done so.
        if (state_ != "captured") post(path("/capture"), {});
        return;
      case refund_part: return post(path("/refund"), {{"amount", (options_.amount + 1) / 2}});
      case trigger_step::refund: return post(path("/refund"), {});
      case void_payment: return post(path("/void"), {});
      case await_dispute: return find_dispute();
    }
  }

  const std::string& state() const noexcept { return state_; }
  const json::object& made() const noexcept { return made_; }

 private:
  std::string path(std::string_view rest = {}) const { return "/v1/payment_intents/" + payment_ + std::string{rest}; }

  void post(const std::string& target, const json::object& body) {
    const auto answer = client_.send(
        {http_method::post, target, body.empty() ? std::string{} : json::serialize(body), new_idempotency_key()});
    const auto result = object_of(require_success(answer));
    state_ = text_member(result, "state");
    if (auto id = text_member(result, "refund_id"); !id.empty()) made_["refund_id"] = id;
  }

  void find_dispute() {
    for (unsigned looks = 0; looks < most_looks; ++looks) {
      const auto answer = client_.send({http_method::get, path()});
      const auto payment = object_of(require_success(answer));
      const auto* disputes = payment.if_contains("disputes");
      if (disputes && disputes->is_array() && !disputes->get_array().empty()) {
        const auto& dispute = disputes->get_array().front();
        if (dispute.is_object()) made_["dispute_id"] = text_member(dispute.get_object(), "dispute_id");
        return;
      }
      if (!pause_for(between_looks)) throw was_stopped{};
    }
    throw failure("the payment " + payment_ + " was captured, and has no dispute");
  }

  api_client& client_;
  const trigger_options& options_;
  const std::string payment_;
  std::string state_;
  json::object made_;
};

}  // namespace

trigger_plan plan_of(event_type type) noexcept {
  switch (type) {
    case event_type::payment_captured: return {approved, captured, "captured"};
    case event_type::payment_failed: return {"pm_card_chargeDeclined", {}, "failed"};
    case event_type::payment_partially_refunded: return {approved, refunded_in_part, "partially_refunded"};
    case event_type::payment_refunded: return {approved, refunded_whole, "refunded"};
    case event_type::payment_voided: return {approved, voided, "voided"};
    case event_type::dispute_opened: return {"pm_card_createDispute", disputed, "captured"};
    case event_type::payment_refund_failed:
      return {.why_not =
                  "a refund fails at the provider after it was accepted: an operator does this by "
                  "`gatewayctl sandbox refund PAYMENT_ID … --fail REFUND_ID`, for a payment by "
                  "pm_card_refundPending"};
    case event_type::dispute_updated:
      return {.why_not =
                  "a dispute changes at the provider: an operator does this by `gatewayctl sandbox dispute "
                  "PAYMENT_ID … --update`, after trigger dispute.opened"};
    case event_type::dispute_closed:
      return {.why_not =
                  "a dispute is closed at the provider: an operator does this by `gatewayctl sandbox dispute "
                  "PAYMENT_ID … --win` or `--lose`, after trigger dispute.opened"};
    case event_type::subscription_activated:
    case event_type::subscription_updated:
    case event_type::subscription_canceled:
    case event_type::subscription_invoice_paid:
    case event_type::subscription_invoice_failed: return {.why_not = subscriptions_are_live};
  }
  return {.why_not = "this version of gateway-cli does not know it"};
}

void trigger(api_client& client, const trigger_options& options, std::ostream& out) {
  if (!client.in_test_mode())
    throw failure(
        "trigger works in test mode only, and made nothing: the key is live, or a platform's without "
        "--environment test");
  const auto plan = plan_of(options.type);
  if (plan.payment_method.empty())
    throw failure("a test key cannot cause " + options.name + ": " + std::string{plan.why_not});
  run made{client, options};
  made.create(plan.payment_method);
  for (const auto step : plan.steps) made.take(step);
  print_object(out, made.made(), options.json);
  if (made.state() != plan.state)
    throw failure("the payment is " + made.state() + ", not " + std::string{plan.state} + ", so " + options.name +
                  " was not caused");
}

}  // namespace gateway::cli
