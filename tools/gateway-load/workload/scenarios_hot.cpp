// hot: all operations use few payments, so that they wait for one another in the gateway.
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mix_scenario.hpp"

namespace gateway::load {
namespace {

/// A refund is 50 units on average, so that a payment's last refunds exceed what is left. A new payment then replaces
/// it, or after most_refunds, because the timeline must not outgrow one answer.
constexpr std::int64_t hot_amount = 90'000;
constexpr unsigned most_refunds = 2'000;
constexpr std::uint64_t most_refund = 100;

class hot_scenario : public mix_scenario {
 public:
  hot_scenario(model& of, std::uint8_t number, unsigned payments) : model_{of}, number_{number}, hot_(payments) {
    for (std::uint32_t at = 0; at < payments; ++at) ready_.push_back(at);
  }

  void next(std::vector<request>& out, std::uint64_t) override {
    if (ready_.empty()) return;
    const auto at = ready_.front();
    ready_.pop_front();
    out.push_back(next_of(at));
    // Refunds need no earlier answer. A create and a capture are answered before the next step.
    if (hot_[at].now != stage::wait) ready_.push_back(at);
  }

  void on_answer(const request& sent, const answer_outcome& outcome) override {
    const auto& key = model_.key(sent.subject);
    const auto found = slot_of_payment_.find(key.payment);
    if (found == slot_of_payment_.end()) return;  // a new payment has replaced it
    auto& one = hot_[found->second];
    if (key.kind == operation::refund) {
      if (outcome.kind == meaning::problem || outcome.kind == meaning::unknown) replace(one);
      return;
    }
    ready_.push_back(found->second);
    const auto& payment = model_.payment(key.payment);
    if (!outcome.answered) {
      one.now = stage::retry;
      one.key = sent.subject;
    } else if (payment.created == creation::captured || payment.captured == capture_outcome::captured) {
      one.now = stage::refund;
    } else if (payment.created == creation::authorized && payment.captured == capture_outcome::none) {
      one.now = stage::capture;
    } else {
      replace(one);
    }
  }

 private:
  enum class stage : unsigned char { create, retry, capture, wait, refund };
  struct hot_payment {
    stage now = stage::create;
    std::uint32_t payment = 0;
    unsigned refunds = 0;
    std::uint64_t key = 0;
  };

  void replace(hot_payment& one) {
    slot_of_payment_.erase(one.payment);
    one.now = stage::create;
  }

  request next_of(std::uint32_t at) {
    auto& one = hot_[at];
    if (one.now == stage::refund) {
      const auto payment = one.payment;
      if (++one.refunds == most_refunds) replace(one);
      return model_.refund(payment, 1 + static_cast<std::int64_t>(model_.random(model_.keys()) % most_refund));
    }
    const auto now = std::exchange(one.now, stage::wait);
    if (now == stage::retry) return model_.under(one.key, model::again);
    if (now == stage::capture) return model_.capture(one.payment);
    one = {stage::wait, model_.begin_payment(number_, payment_kind::card, hot_amount), 0, 0};
    slot_of_payment_[one.payment] = at;
    return model_.create(one.payment);
  }

  model& model_;
  std::uint8_t number_;
  std::vector<hot_payment> hot_;
  std::deque<std::uint32_t> ready_;                             // positions in hot_ whose next request can leave
  std::unordered_map<std::uint32_t, std::uint32_t> slot_of_payment_;     // position in hot_, by payment
};

}  // namespace

std::unique_ptr<mix_scenario> make_hot_scenario(const workload_options& options, model& of, std::uint8_t number) {
  return std::make_unique<hot_scenario>(of, number, options.hot_payments);
}

}  // namespace gateway::load
