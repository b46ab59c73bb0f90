// The state of a payment that waits for its customer. If the time to pay is over, Stripe is asked to close the payment,
// and its answer decides: the customer may have paid meanwhile.

#include "dialogue.hpp"

namespace gateway::actors::stripe {

namespace {

provider_result still_waiting() {
  provider_result result;
  result.status = provider_status::pending;
  return result;
}

/// Reads the payment, closes it if it must end, and reads it once more if closing failed.
class inquiry_operation : public money_dialogue {
 public:
  inquiry_operation(provider_inquiry what, access as) : what_(std::move(what)), as_(std::move(as)) {}

 protected:
  struct seen {
    std::optional<provider_result> settled;
    bool closable = false;  ///< the payment waits, and must be closed now
  };
  virtual std::string path() const = 0;
  virtual std::string_view query() const { return {}; }
  virtual std::string_view closing() const = 0;
  /// nullopt: it cannot be read.
  virtual std::optional<seen> read(std::string_view body) = 0;

  const std::string& ref() const noexcept { return what_.subject.provider_ref; }

  turn begin() override {
    if (auto fault = fault_of_account(as_)) return not_known(fault->error->message);
    return read_state();
  }

  turn on_reply(const reply& received) override {
    const auto now = received.kind == reply_kind::success ? read(received.body) : std::nullopt;
    if (step_ == step::close && !now && received.kind == reply_kind::rejected) {
      step_ = step::read_again;
      return read_state();
    }
    if (!now && received.kind != reply_kind::success) return result_of_failed_read(received);
    if (!now) return not_known("The provider's answer could not be read.");
    if (now->settled) return *now->settled;
    if (!now->closable) return still_waiting();
    if (step_ != step::read_state) return not_known("The provider does not end the payment.");
    step_ = step::close;
    return write_request(as_, path().append(closing()), {}, closing_key(what_.subject.key, what_.subject.version));
  }

  provider_inquiry what_;
  access as_;

 private:
  enum class step : unsigned char { read_state, close, read_again };

  turn read_state() { return read_request(as_, path().append(query())); }

  step step_ = step::read_state;
};

class intent_inquiry final : public inquiry_operation {
 public:
  using inquiry_operation::inquiry_operation;

 private:
  std::string path() const override { return "/v1/payment_intents/" + ref(); }
  std::string_view closing() const override { return "/cancel"; }

  std::optional<seen> read(std::string_view body) override {
    const auto now = read_intent(body);
    if (!now || now->id != ref()) return std::nullopt;
    if (now->status == "canceled") return seen{canceled(*now)};
    // The customer's attempt has failed, and the customer could try again with the SDK or with the secret in the return
    // address. The gateway is about to report the payment as failed, so the payment must first be closed at Stripe.
    if (now->status == "requires_payment_method") {
      failed_ = now->last_error;
      return seen{std::nullopt, true};
    }
    if (now->status == "requires_action" || now->status == "requires_confirmation")
      return seen{std::nullopt, what_.closes};
    if (now->status == "processing") return seen{};
    return seen{result_of(*now, {what_.subject})};
  }

  provider_result canceled(const intent& now) const {
    if (now.last_error) return failed_or_canceled(now);
    if (failed_) return declined(error_of(*failed_), now.id);
    return what_.closes ? expired(now.id) : failed_or_canceled(now);
  }

  std::optional<stripe_error> failed_;
};

class checkout_inquiry final : public inquiry_operation {
 public:
  using inquiry_operation::inquiry_operation;

 private:
  std::string path() const override { return "/v1/checkout/sessions/" + ref(); }
  std::string_view query() const override { return "?expand%5B%5D=payment_intent"; }
  std::string_view closing() const override { return "/expire"; }

  std::optional<seen> read(std::string_view body) override {
    const auto now = read_checkout(body);
    if (!now || now->id != ref()) return std::nullopt;
    if (now->payment_status == "paid") return seen{paid(*now)};
    if (now->status == "expired") return seen{expired(now->id)};
    if (now->status == "open") return seen{std::nullopt, what_.closes};
    if (now->status != "complete") return std::nullopt;
    // The customer has paid by a method that takes time. It may still fail.
    const auto* payment = now->expanded ? &*now->expanded : nullptr;
    if (payment && (payment->status == "requires_payment_method" || payment->status == "canceled"))
      return seen{failed_or_canceled(*payment)};
    return seen{};
  }

  provider_result paid(const checkout& now) const {
    provider_result result;
    result.status = provider_status::approved;
    result.provider_ref = now.id;
    if (now.expanded) result.movement_ref = now.expanded->charge;
    const auto& customer = what_.subject.customer;
    if (!customer) return result;
    if (customer->provider_id.empty()) result.customer_id = now.customer;
    if (customer->saves_method && now.expanded) result.saved_method = now.expanded->payment_method;
    return result;
  }
};

/// For a payment whose reference is not a Stripe id, so that no request is possible.
class no_inquiry final : public money_dialogue {
  turn begin() override { return not_known("The payment has no reference of this provider."); }
  turn on_reply(const reply&) override { return begin(); }
};

}  // namespace

dialogue_ptr<provider_result> open_inquiry(provider_inquiry what, access as) {
  const auto& ref = what.subject.provider_ref;
  if (is_intent_id(ref)) return std::make_unique<intent_inquiry>(std::move(what), std::move(as));
  if (is_checkout_id(ref)) return std::make_unique<checkout_inquiry>(std::move(what), std::move(as));
  return std::make_unique<no_inquiry>();
}

}  // namespace gateway::actors::stripe
