// hot: all operations go to few payments, which therefore wait for one another in the gateway.
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "course.hpp"

namespace gateway::load {
namespace {

/// Refunds of a payment are on average 50 units, so that the last of them want more than is left: then, or after so
/// many that its timeline would grow past what one answer should carry, another payment takes its place.
constexpr std::int64_t hot_amount = 90'000;
constexpr unsigned most_refunds = 2'000;
constexpr std::uint64_t most_refund = 100;

class hot_course : public course {
 public:
  hot_course(model& of, std::uint8_t number, unsigned payments) : model_{of}, number_{number}, hot_(payments) {
    for (std::uint32_t at = 0; at < payments; ++at) ready_.push_back(at);
  }

  void next(std::vector<request>& out, std::uint64_t) override {
    if (ready_.empty()) return;
    const auto at = ready_.front();
    ready_.pop_front();
    out.push_back(next_of(at));
    // Refunds wait for nothing. Whatever comes before them is answered first.
    if (hot_[at].now != stage::waits) ready_.push_back(at);
  }

  void heard(const request& sent, const told& what) override {
    const auto& key = model_.key(sent.subject);
    const auto found = places_.find(key.payment);
    if (found == places_.end()) return;  // another payment has taken its place
    auto& one = hot_[found->second];
    if (key.what == operation::refund) {
      if (what.what == meaning::refusal || what.what == meaning::unknown) retire(one);
      return;
    }
    ready_.push_back(found->second);
    const auto& payment = model_.payment(key.payment);
    if (!what.answered) {
      one.now = stage::asks_again;
      one.key = sent.subject;
    } else if (payment.created == creation::captured || payment.captured == capture_fate::captured) {
      one.now = stage::refunds;
    } else if (payment.created == creation::authorized && payment.captured == capture_fate::none) {
      one.now = stage::captures;
    } else {
      retire(one);
    }
  }

 private:
  enum class stage : unsigned char { begins, asks_again, captures, waits, refunds };
  struct hot_payment {
    stage now = stage::begins;
    std::uint32_t payment = 0;
    unsigned refunds = 0;
    std::uint64_t key = 0;
  };

  void retire(hot_payment& one) {
    places_.erase(one.payment);
    one.now = stage::begins;
  }

  request next_of(std::uint32_t at) {
    auto& one = hot_[at];
    if (one.now == stage::refunds) {
      const auto payment = one.payment;
      if (++one.refunds == most_refunds) retire(one);
      return model_.refund(payment, 1 + static_cast<std::int64_t>(model_.random(model_.keys()) % most_refund));
    }
    const auto now = std::exchange(one.now, stage::waits);
    if (now == stage::asks_again) return model_.under(one.key, model::again);
    if (now == stage::captures) return model_.capture(one.payment);
    one = {stage::waits, model_.begin_payment(number_, payment_kind::card, hot_amount), 0, 0};
    places_[one.payment] = at;
    return model_.create(one.payment);
  }

  model& model_;
  std::uint8_t number_;
  std::vector<hot_payment> hot_;
  std::deque<std::uint32_t> ready_;                             // places in hot_ that need not wait
  std::unordered_map<std::uint32_t, std::uint32_t> places_;     // by payment
};

}  // namespace

std::unique_ptr<course> make_hot_course(const workload_options& options, model& of, std::uint8_t number) {
  return std::make_unique<hot_course>(of, number, options.hot_payments);
}

}  // namespace gateway::load
