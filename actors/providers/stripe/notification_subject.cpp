// The subject of a notification:
//
//   payments, checkouts       have the gateway's marks, which name the payment. The rest of the event is not used: the
//                             payment is read from Stripe, and compared.
//   charges                   have the marks as well: Stripe copies a payment's metadata to its charge
//                             (support.stripe.com/questions/how-metadata-works-with-related-objects).
//   refunds, disputes         have no marks, unless the gateway has made the refund. The marks of their payment are
//                             read, and if it has none, the invoice that it paid: a subscription's cycle. Any other
//                             payment is not the gateway's.
//   customer.subscription.*   contain the subscription as it was after the event.
//   invoice.*                 contain only the invoice, so the subscription is read. The read may be newer than the
//                             event, but never older, and every later change has its own event with a later
//                             position. So the read can safely take the event's position: the row ends where the
//                             last event leaves it, in whatever order they arrive.
//
// Events have the API version of the endpoint they are sent to, which the operator chooses. Members that differ
// between versions are read in both forms.

#include <algorithm>

#include "gateway/domain/cycle_payment.hpp"
#include "notifications.hpp"
#include "object_reader.hpp"
#include "subscription.hpp"

namespace gateway::actors::stripe {

template <>
inline notification_subject nothing_known() {
  return not_understood{};
}

namespace {

class notification_reader final : public stepwise_dialogue<notification_subject> {
 public:
  notification_reader(notification_question question, access as)
      : what_(std::move(question.what)), known_(std::move(question.subscription)), as_(std::move(as)) {}

 private:
  enum class step : unsigned char { intent, invoice_of_intent, subscription, payments, customer, method };

  turn begin() override {
    const auto event_read = read_event(what_.body);
    if (!event_read || event_read->live != (what_.key.env == environment::live)) return nothing();
    const auto* type = find_event_type(event_read->type);
    if (!type) return nothing();
    switch (type->object) {
      case event_object::payment:
      case event_object::of_payment: return begin_payment(*event_read, type->object);
      case event_object::account:
      case event_object::capability:
      case event_object::application: return subject_of_account(*event_read, type->object);
      case event_object::customer: return begin_customer(*event_read);
      case event_object::method: return begin_method(*event_read);
      case event_object::subscription:
      case event_object::invoice: break;
    }
    if (event_read->created <= 0) return nothing();
    notification_.event_id = event_read->id;
    notification_.kind = type->kind;
    needs_customer_ = type->type == "invoice.payment_action_required";
    closes_invoice_ = type->type == "invoice.voided" || type->type == "invoice.marked_uncollectible";
    notification_.at = time_point{std::chrono::seconds{event_read->created}};
    const auto parsed = parse_object(what_.body);
    const auto* data = member(parsed ? parsed->if_object() : nullptr, "data");
    const auto* object = member(data, "object");
    if (type->object == event_object::invoice) return begin_invoice(object);
    const auto seen = subscription_in(object);
    if (!seen) return not_understood{};
    // Only updates contain the previous values.
    notification_.status_changed = value_in(member(data, "previous_attributes"), "status") != nullptr;
    return about(*seen);
  }

  turn on_reply(const reply& received) override {
    switch (step_) {
      case step::intent: return on_intent(received);
      case step::invoice_of_intent: return on_invoice_of_intent(received);
      case step::subscription: return on_subscription(received);
      case step::payments: return on_payments(received);
      case step::customer: return on_customer(received);
      case step::method: return on_method(received);
    }
    return not_understood{};
  }

  // ---- payments -------------------------------------------------------------------------------------

  turn begin_payment(const event& event_read, event_object object) {
    if (auto key = marked_payment(event_read.merchant, event_read.payment, what_.key.env)) return of(*std::move(key));
    if (object != event_object::of_payment || !is_intent_id(event_read.intent_id)) return nothing();
    intent_ = event_read.intent_id;
    step_ = step::intent;
    return read_request(as_, "/v1/payment_intents/" + intent_);
  }

  turn on_intent(const reply& received) {
    const auto seen = received.kind == reply_kind::success ? read_intent(received.body) : std::nullopt;
    if (!seen || seen->id != intent_) return not_understood{};
    if (auto key = marked_payment(seen->merchant, seen->payment, what_.key.env)) return of(*std::move(key));
    step_ = step::invoice_of_intent;
    return read_request(as_, invoices_of_path(intent_));
  }

  turn on_invoice_of_intent(const reply& received) {
    const auto seen = received.kind == reply_kind::success ? read_invoices_of_payments(received.body) : std::nullopt;
    if (!seen) return not_understood{};
    for (const auto& each : seen->all)
      if (auto key = marked_payment(each.merchant, cycle_payment_id(each.id).value, what_.key.env))
        return of(*std::move(key));
    return nothing();
  }

  static notification_subject of(entity_key payment) { return about_payment{std::move(payment)}; }

  // ---- customers ------------------------------------------------------------------------------------

  turn begin_customer(const event& event_read) {
    if (!event_read.object_id.starts_with("cus_") || !is_provider_id(event_read.object_id)) return nothing();
    gone_.provider_id = event_read.object_id;
    step_ = step::customer;
    return read_request(as_, "/v1/customers/" + gone_.provider_id);
  }

  /// Stripe returns a deleted customer as its id and `deleted`. One that it does not find is of another account.
  turn on_customer(const reply& received) {
    if (received.kind == reply_kind::rejected) return nothing();
    const auto parsed = received.kind == reply_kind::success ? parse_object(received.body) : std::nullopt;
    const auto* object = parsed ? parsed->if_object() : nullptr;
    if (own_id(object) != gone_.provider_id) return not_understood{};
    if (!flag(object, "deleted")) return nothing();
    return notification_subject{gone_};
  }

  /// Only the event names the customer. The customer's row must have the method.
  turn begin_method(const event& event_read) {
    const auto parsed = parse_object(what_.body);
    const auto* data = member(parsed ? parsed->if_object() : nullptr, "data");
    gone_.provider_id = id_in(member(data, "previous_attributes"), "customer");
    gone_.method = event_read.object_id;
    if (gone_.provider_id.empty() || !is_provider_id(gone_.method)) return nothing();
    step_ = step::method;
    return read_request(as_, "/v1/payment_methods/" + gone_.method);
  }

  turn on_method(const reply& received) {
    if (received.kind == reply_kind::rejected) return nothing();
    const auto parsed = received.kind == reply_kind::success ? parse_object(received.body) : std::nullopt;
    const auto* object = parsed ? parsed->if_object() : nullptr;
    if (own_id(object) != gone_.method || word(object, "object") != "payment_method") return not_understood{};
    if (id_in(object, "customer") == gone_.provider_id) return nothing();
    return notification_subject{gone_};
  }

  // ---- subscriptions --------------------------------------------------------------------------------

  turn begin_invoice(const json::object* object) {
    invoice_ = invoice_in(object);
    if (!invoice_) return not_understood{};
    if (!is_stripe_subscription_id(invoice_->subscription_id)) return nothing();
    if (invoice_->foreign && !known_) return about_unmarked_subscription{invoice_->subscription_id};
    step_ = step::subscription;
    return read_request(as_, "/v1/subscriptions/" + invoice_->subscription_id);
  }

  turn on_subscription(const reply& received) {
    seen_ = received.kind == reply_kind::success ? read_subscription(received.body) : std::nullopt;
    if (!seen_ || seen_->id != invoice_->subscription_id) return not_understood{};
    const bool failed = notification_.kind == notification_kind::invoice_failed;
    // The invoice changes the subscription only, because there was no attempt to collect it.
    if (!failed && notification_.kind != notification_kind::invoice_paid) {
      if (needs_customer_ && !invoice_->hosted_url.empty())
        notification_.action = invoice_action{invoice_->id, invoice_->hosted_url};
      if (closes_invoice_) notification_.action = invoice_action{invoice_->id, {}};
      return about(*seen_);
    }
    auto& invoice = notification_.invoice.emplace();
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
    if (notification_.invoice->failure_code == "authentication_required")
      notification_.invoice->hosted_url = invoice_->hosted_url;
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

  /// Without marks (the metadata may have been cleared) the row with the subscription's id is looked up.
  std::optional<entity_key> key_of(const billed_subscription& seen) const {
    if (known_) return known_;
    if (!is_merchant_id(seen.merchant) || !is_subscription_id(seen.ours)) return std::nullopt;
    return subscription_key(merchant_id{seen.merchant}, what_.key.env, seen.ours);
  }

  turn about(const billed_subscription& seen) {
    auto key = key_of(seen);
    if (!key) return about_unmarked_subscription{seen.id};
    notification_.provider_subscription_id = seen.id;
    notification_.state = seen.state;
    // For example an invoice whose id is too long for a payment's: no payment could be created for it.
    if (fault_of(notification_)) return nothing();
    return about_subscription{*std::move(key), notification_};
  }

  static notification_subject nothing() { return no_subject{}; }

  notification what_;
  std::optional<entity_key> known_;
  access as_;
  step step_ = step::subscription;
  std::string intent_;
  about_customer gone_;
  subscription_notification notification_;
  bool needs_customer_ = false;  ///< the event reports that the invoice needs its customer
  bool closes_invoice_ = false;  ///< the event reports that the invoice is not collected any more
  std::optional<billed_invoice> invoice_;
  std::optional<billed_subscription> seen_;
};

}  // namespace

dialogue_ptr<notification_subject> open_notification(notification_question question, const provider_settings& with) {
  auto as = access_of(with, question.what.account);
  return std::make_unique<notification_reader>(std::move(question), std::move(as));
}

}  // namespace gateway::actors::stripe
