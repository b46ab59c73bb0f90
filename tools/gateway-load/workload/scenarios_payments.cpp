// create, lifecycle, webhooks, hosted: the scenarios in which each payment goes through its steps once.
#include <deque>

#include "mix_scenario.hpp"

namespace gateway::load {
namespace {

class create_scenario : public mix_scenario {
 public:
  create_scenario(model& of, std::uint8_t number) : model_{of}, number_{number} {}
  void next(std::vector<request>& out, std::uint64_t) override {
    out.push_back(model_.create(model_.begin_payment(number_, payment_kind::card, model_.usual_amount())));
  }
  void on_answer(const request&, const answer_outcome&) override {}

 private:
  model& model_;
  std::uint8_t number_;
};

/// Create, capture, partial refunds, and a refund of the rest. Every `declined_each`-th payment is declined instead;
/// 0: none is.
class lifecycle_scenario : public mix_scenario {
 public:
  lifecycle_scenario(model& of, std::uint8_t number, unsigned refunds, unsigned declined_each)
      : model_{of}, number_{number}, refunds_{refunds}, declined_each_{declined_each} {}

  void next(std::vector<request>& out, std::uint64_t) override {
    if (ready_.empty()) {
      const auto kind =
          declined_each_ > 0 && ++begun_ % declined_each_ == 0 ? payment_kind::declined_card : payment_kind::card;
      out.push_back(model_.create(model_.begin_payment(number_, kind, model_.usual_amount())));
      return;
    }
    const auto payment = ready_.front();
    ready_.pop_front();
    out.push_back(step_of(payment));
  }

  void on_answer(const request& sent, const answer_outcome& outcome) override {
    if (outcome.kind != meaning::success || sent.step != model::first) return;
    const auto payment = model_.key(sent.subject).payment;
    const auto& now = model_.payment(payment);
    const bool money_taken = now.created == creation::captured || now.captured == capture_outcome::captured;
    const bool can_capture = now.created == creation::authorized && now.captured == capture_outcome::none;
    if (can_capture || (money_taken && now.refunds < refunds_ && now.refunded < now.amount)) ready_.push_back(payment);
  }

 private:
  request step_of(std::uint32_t payment) {
    const auto& now = model_.payment(payment);
    if (now.created == creation::authorized && now.captured == capture_outcome::none) return model_.capture(payment);
    if (now.refunds + 1 == refunds_) return model_.refund(payment, now.amount - now.refunded, true);
    return model_.refund(payment, now.amount / refunds_);
  }

  model& model_;
  std::uint8_t number_;
  unsigned refunds_, declined_each_;
  std::uint64_t begun_ = 0;
  std::deque<std::uint32_t> ready_;
};

/// A hosted payment, and then the same request under the same key again.
class hosted_scenario : public mix_scenario {
 public:
  hosted_scenario(model& of, std::uint8_t number) : model_{of}, number_{number} {}

  void next(std::vector<request>& out, std::uint64_t) override {
    if (answered_.empty()) {
      out.push_back(model_.create(model_.begin_payment(number_, payment_kind::hosted, model_.usual_amount())));
      return;
    }
    out.push_back(model_.under(answered_.front(), model::again));
    answered_.pop_front();
  }

  void on_answer(const request& sent, const answer_outcome& outcome) override {
    if (sent.step == model::first && outcome.answered) answered_.push_back(sent.subject);
  }

 private:
  model& model_;
  std::uint8_t number_;
  std::deque<std::uint64_t> answered_;
};

}  // namespace

std::unique_ptr<mix_scenario> make_payments_scenario(const std::string& name, const workload_options& options,
                                                     model& of, std::uint8_t number) {
  if (name == "create") return std::make_unique<create_scenario>(of, number);
  if (name == "lifecycle") return std::make_unique<lifecycle_scenario>(of, number, options.refunds, 0);
  if (name == "webhooks") return std::make_unique<lifecycle_scenario>(of, number, 0, 4);
  if (name == "hosted") return std::make_unique<hosted_scenario>(of, number);
  return nullptr;
}

}  // namespace gateway::load
