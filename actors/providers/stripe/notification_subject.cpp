// The subject of a notification. An event about a payment only names the payment. An event about a subscription states
// what happened:
//
//   customer.subscription.*   contain the subscription as it was after the event.
//   invoice.*                 contain only the invoice, so the subscription is read. The read may be newer than the
//                             event, but never older, and every later change has its own event with a later
//                             position. So the read can safely take the event's position: the row ends where the
//                             last event leaves it, in whatever order they arrive.
//
// Of the two events of a paid invoice, `invoice.paid` is sent once per invoice; `invoice.payment_succeeded` concerns an
// attempt, and is not sent for payments outside Stripe.
//
// Events have the API version of the endpoint they are sent to, which the operator chooses. What differs between
// versions is read in both forms.

#include <algorithm>

#include "notifications.hpp"
#include "object_reader.hpp"
#include "subscription.hpp"

namespace gateway::actors::stripe {

template <>
inline notification_subject nothing_known() {
  return not_understood{};
}

namespace {

std::optional<notification_kind> kind_of(std::string_view type) {
  if (type == "customer.subscription.created") return notification_kind::created;
  if (type == "customer.subscription.updated") return notification_kind::updated;
  if (type == "customer.subscription.deleted") return notification_kind::deleted;
  if (type == "invoice.paid") return notification_kind::invoice_paid;
  if (type == "invoice.payment_failed") return notification_kind::invoice_failed;
  return std::nullopt;
}

class notification_reader final : public stepwise_dialogue<notification_subject> {
 public:
  notification_reader(notification what, access as) : what_(std::move(what)), as_(std::move(as)) {}

 private:
  enum class step : unsigned char { subscription, payments };

  turn begin() override {
    const auto event_read = read_event(what_.body);
    if (!event_read || event_read->live != (what_.key.env == environment::live)) return nothing();
    const auto kind = kind_of(event_read->type);
    if (!kind) return subject_of(what_);
    if (event_read->created <= 0) return nothing();
    notification_.event_id = event_read->id;
    notification_.kind = *kind;
    notification_.at = time_point{std::chrono::seconds{event_read->created}};
    const auto parsed = parse_object(what_.body);
    const auto* data = member(parsed ? parsed->if_object() : nullptr, "data");
    const auto* object = member(data, "object");
    if (*kind == notification_kind::invoice_paid || *kind == notification_kind::invoice_failed)
      return begin_invoice(object);
    const auto seen = subscription_in(object);
    if (!seen) return not_understood{};
    // Only updates contain the previous values.
    notification_.status_changed = value_in(member(data, "previous_attributes"), "status") != nullptr;
    return about(*seen);
  }

  turn begin_invoice(const json::object* object) {
    invoice_ = invoice_in(object);
    if (!invoice_) return not_understood{};
    if (invoice_->foreign || !is_stripe_subscription_id(invoice_->subscription_id)) return nothing();
    step_ = step::subscription;
    return read_request(as_, "/v1/subscriptions/" + invoice_->subscription_id);
  }

  turn on_reply(const reply& received) override {
    return step_ == step::subscription ? on_subscription(received) : on_payments(received);
  }

  turn on_subscription(const reply& received) {
    seen_ = received.kind == reply_kind::success ? read_subscription(received.body) : std::nullopt;
    if (!seen_ || seen_->id != invoice_->subscription_id) return not_understood{};
    auto& invoice = notification_.invoice.emplace();
    const bool failed = notification_.kind == notification_kind::invoice_failed;
    invoice.id = invoice_->id;
    invoice.amount = gateway_amount(failed ? invoice_->due : invoice_->paid, invoice_->unit);
    invoice.period_start = invoice_->period_start ? invoice_->period_start : seen_->state.period_start;
    invoice.period_end = invoice_->period_end ? invoice_->period_end : seen_->state.period_end;
    invoice.attempt = std::max(1U, invoice_->attempts);
    if (!failed || !key_of(*seen_)) return about(*seen_);
    invoice.final_attempt = !invoice_->tried_again;
    step_ = step::payments;
    return read_request(as_, invoice_payments_path(invoice_->id, true));
  }

  /// The payment has the reason of the failure. A later attempt may have changed it: the event itself does not state
  /// it.
  turn on_payments(const reply& received) {
    const bool refused = received.kind == reply_kind::rejected || received.kind == reply_kind::credentials;
    const auto all = received.kind == reply_kind::success ? read_invoice_payments(received.body) : std::nullopt;
    if (!all && !refused) return not_understood{};
    notification_.invoice->failure_code = "card_declined";
    notification_.invoice->failure_message = "The payment was declined by the provider.";
    if (all) set_failure(all->all);
    return about(*seen_);
  }

  void set_failure(const std::vector<invoice_payment>& all) {
    auto& invoice = *notification_.invoice;
    for (const auto& each : all) {
      if (each.last_error) {
        const auto error = error_of(*each.last_error);
        invoice.failure_code = error.code;
        invoice.failure_message = error.message;
        return;
      }
      if (each.intent_status == "requires_action") {
        invoice.failure_code = "authentication_required";
        invoice.failure_message = "The customer has to approve the payment.";
      }
    }
  }

  std::optional<entity_key> key_of(const billed_subscription& seen) const {
    if (!is_merchant_id(seen.merchant) || !is_subscription_id(seen.ours)) return std::nullopt;
    return subscription_key(merchant_id{seen.merchant}, what_.key.env, seen.ours);
  }

  turn about(const billed_subscription& seen) {
    auto key = key_of(seen);
    if (!key) return nothing();
    notification_.provider_subscription_id = seen.id;
    notification_.state = seen.state;
    // For example an invoice whose id is too long for a payment's: no payment could be created for it.
    if (fault_of(notification_)) return nothing();
    return about_subscription{*std::move(key), notification_};
  }

  static notification_subject nothing() { return no_subject{}; }

  notification what_;
  access as_;
  step step_ = step::subscription;
  subscription_notification notification_;
  std::optional<billed_invoice> invoice_;
  std::optional<billed_subscription> seen_;
};

}  // namespace

dialogue_ptr<notification_subject> open_notification(notification what, const provider_settings& with) {
  auto as = access_of(with, what.account);
  return std::make_unique<notification_reader>(std::move(what), std::move(as));
}

}  // namespace gateway::actors::stripe
