// create, lifecycle, webhooks, hosted: each payment goes its way once.
#include <deque>

#include "course.hpp"

namespace gateway::load {
namespace {

class create_course : public course {
 public:
  create_course(model& of, std::uint8_t number) : model_{of}, number_{number} {}
  void next(std::vector<request>& out, std::uint64_t) override {
    out.push_back(model_.create(model_.begin_payment(number_, payment_kind::card, model_.usual_amount())));
  }
  void heard(const request&, const told&) override {}

 private:
  model& model_;
  std::uint8_t number_;
};

/// Create, capture, partial refunds, and a refund of the rest. Of the webhooks one in four is declined instead.
class lifecycle_course : public course {
 public:
  lifecycle_course(model& of, std::uint8_t number, unsigned refunds, unsigned declined_each)
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

  void heard(const request& sent, const told& what) override {
    if (what.what != meaning::success || sent.step != model::first) return;
    const auto payment = model_.key(sent.subject).payment;
    const auto& now = model_.payment(payment);
    const bool money_taken = now.created == creation::captured || now.captured == capture_fate::captured;
    const bool can_capture = now.created == creation::authorized && now.captured == capture_fate::none;
    if (can_capture || (money_taken && now.refunds < refunds_ && now.refunded < now.amount)) ready_.push_back(payment);
  }

 private:
  request step_of(std::uint32_t payment) {
    const auto& now = model_.payment(payment);
    if (now.created == creation::authorized && now.captured == capture_fate::none) return model_.capture(payment);
    if (now.refunds + 1 == refunds_) return model_.refund(payment, now.amount - now.refunded, true);
    return model_.refund(payment, now.amount / refunds_);
  }

  model& model_;
  std::uint8_t number_;
  unsigned refunds_, declined_each_;
  std::uint64_t begun_ = 0;
  std::deque<std::uint32_t> ready_;
};

/// A hosted payment, and the same request once more.
class hosted_course : public course {
 public:
  hosted_course(model& of, std::uint8_t number) : model_{of}, number_{number} {}

  void next(std::vector<request>& out, std::uint64_t) override {
    if (answered_.empty()) {
      out.push_back(model_.create(model_.begin_payment(number_, payment_kind::hosted, model_.usual_amount())));
      return;
    }
    out.push_back(model_.under(answered_.front(), model::again));
    answered_.pop_front();
  }

  void heard(const request& sent, const told& what) override {
    if (sent.step == model::first && what.answered) answered_.push_back(sent.subject);
  }

 private:
  model& model_;
  std::uint8_t number_;
  std::deque<std::uint64_t> answered_;
};

}  // namespace

std::unique_ptr<course> make_payments_course(const std::string& name, const workload_options& options, model& of,
                                             std::uint8_t number) {
  if (name == "create") return std::make_unique<create_course>(of, number);
  if (name == "lifecycle") return std::make_unique<lifecycle_course>(of, number, options.refunds, 0);
  if (name == "webhooks") return std::make_unique<lifecycle_course>(of, number, 0, 4);
  if (name == "hosted") return std::make_unique<hosted_course>(of, number);
  return nullptr;
}

}  // namespace gateway::load
