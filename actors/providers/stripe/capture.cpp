// A capture, and a void: one request each, and a read of the payment if the answer is not conclusive.

#include "dialogue.hpp"

namespace gateway::actors::stripe {

namespace {

/// An operation on an authorized payment.
class authorized_dialogue : public money_dialogue {
 public:
  explicit authorized_dialogue(call_at what) : what_(std::move(what)) {}

 protected:
  virtual http_request request() const = 0;
  virtual std::optional<provider_result> settled(const intent& at_stripe) const = 0;

  std::string path() const { return "/v1/payment_intents/" + what_.call.subject.provider_ref; }

  turn begin() override {
    if (auto fault = fault_of_account(what_.as)) return *std::move(fault);
    if (!is_intent_id(what_.call.subject.provider_ref)) return no_reference();
    if (what_.key_is_over()) return read_state();
    return request();
  }

  turn on_reply(const reply& received) override {
    if (reads_) return on_state(received);
    if (received.kind == reply_kind::success) {
      const auto done = read_ours(received);
      if (!done) return not_known("The provider's answer could not be read.");
      if (auto result = settled(*done)) return *std::move(result);
      return read_state();
    }
    // It may have been rejected because it was executed before.
    if (received.kind == reply_kind::rejected) rejection_ = result_of_failure(received, false);
    if (rejection_ || what_.must_read(received)) return read_state();
    return result_of_failure(received, what_.call.asked_again);
  }

  call_at what_;

 private:
  turn read_state() {
    reads_ = true;
    return read_request(what_.as, path());
  }

  turn on_state(const reply& received) {
    const auto now = read_ours(received);
    if (!now) return not_known("The provider could not be asked what became of the payment.");
    if (auto result = settled(*now)) return *std::move(result);
    if (now->status == "requires_capture") {
      if (rejection_) return *rejection_;
      if (what_.certain()) return never_happened();
    }
    return not_known("What has become of the payment at the provider is not clear.");
  }

  /// nullopt if it is another payment, or unreadable.
  std::optional<intent> read_ours(const reply& received) const {
    if (received.kind != reply_kind::success) return std::nullopt;
    auto read = read_intent(received.body);
    if (!read || read->id != what_.call.subject.provider_ref) return std::nullopt;
    return read;
  }

  bool reads_ = false;
  std::optional<provider_result> rejection_;
};

class capture_operation final : public authorized_dialogue {
 public:
  using authorized_dialogue::authorized_dialogue;

 private:
  turn begin() override {
    const auto amount = stripe_amount({what_.call.amount, what_.call.subject.amount.unit});
    if (const auto* why = std::get_if<amount_fault>(&amount)) return declined_before_sending(*why);
    amount_ = std::get<std::int64_t>(amount);
    return authorized_dialogue::begin();
  }
  http_request request() const override {
    auto body = capture_form(amount_);
    return write_request(what_.as, path() + "/capture", std::move(body), what_.call.provider_key);
  }
  std::optional<provider_result> settled(const intent& at_stripe) const override {
    return result_of_capture(at_stripe, amount_, what_.call.subject.amount.unit);
  }

  std::int64_t amount_ = 0;  ///< in Stripe's unit
};

class void_operation final : public authorized_dialogue {
 public:
  using authorized_dialogue::authorized_dialogue;

 private:
  http_request request() const override {
    return write_request(what_.as, path() + "/cancel", {}, what_.call.provider_key);
  }
  std::optional<provider_result> settled(const intent& at_stripe) const override { return result_of_void(at_stripe); }
};

}  // namespace

dialogue_ptr<provider_result> open_capture(call_at what) {
  return std::make_unique<capture_operation>(std::move(what));
}
dialogue_ptr<provider_result> open_void(call_at what) { return std::make_unique<void_operation>(std::move(what)); }

}  // namespace gateway::actors::stripe
