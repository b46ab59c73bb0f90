// Reads a subscription's present state at Stripe, with its latest paid invoices. Changes nothing there.

#include <algorithm>
#include <memory>
#include <utility>

#include "gateway/domain/payment.hpp"
#include "subscription.hpp"

namespace gateway::actors::stripe {

namespace {

class subscription_reading final : public subscription_dialogue {
 public:
  subscription_reading(subscription_call call, access as, time_point now)
      : call_(std::move(call)), as_(std::move(as)), now_(now) {}

 private:
  enum class step : unsigned char { subscription, invoices };

  const std::string& id() const noexcept { return call_.subject.provider_subscription_id; }

  turn begin() override {
    if (auto fault = fault_of_account(as_)) return as_subscription(*fault);
    if (!is_stripe_subscription_id(id())) return as_subscription(no_reference());
    return read_request(as_, "/v1/subscriptions/" + id());
  }

  turn on_reply(const reply& received) override {
    if (received.kind != reply_kind::success)
      return subscription_unclear("The provider could not be asked what the subscription is.");
    return step_ == step::subscription ? on_subscription(received) : on_invoices(received);
  }

  turn on_subscription(const reply& received) {
    const auto seen = read_subscription(received.body);
    if (!seen || seen->id != id()) return subscription_unclear("The provider's answer could not be read.");
    result_.answer.status = provider_status::approved;
    result_.answer.seen = statement_of(*seen, now_);
    step_ = step::invoices;
    return read_request(as_, paid_invoices_path(id()));
  }

  turn on_invoices(const reply& received) {
    const auto all = read_invoices(received.body);
    if (!all) return subscription_unclear("The provider's answer could not be read.");
    const auto& state = result_.answer.seen->state;
    // Stripe lists the newest first.
    for (auto each = all->all.rbegin(); each != all->all.rend(); ++each) {
      if (each->subscription_id != id() || !is_payment_id("pay_" + each->id)) continue;
      subscription_invoice invoice;
      invoice.id = each->id;
      invoice.amount = gateway_amount(each->paid, each->unit);
      invoice.period_start = each->period_start ? each->period_start : state.period_start;
      invoice.period_end = each->period_end ? each->period_end : state.period_end;
      invoice.attempt = std::max(1U, each->attempts);
      result_.paid.push_back(std::move(invoice));
    }
    return std::move(result_);
  }

  subscription_call call_;
  access as_;
  time_point now_;
  step step_ = step::subscription;
  subscription_result result_;
};

}  // namespace

dialogue_ptr<subscription_result> open_subscription_reading(subscription_call call, access as, time_point now) {
  return std::make_unique<subscription_reading>(std::move(call), std::move(as), now);
}

}  // namespace gateway::actors::stripe
