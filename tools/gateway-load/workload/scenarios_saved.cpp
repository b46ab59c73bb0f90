// saved: customers of a platform, who pay once and are then charged without taking part.
#include <array>
#include <deque>
#include <unordered_map>

#include "mix_scenario.hpp"

namespace gateway::load {
namespace {

/// The steps for a customer whose card was saved, in this order. Each waits for the answer to the one before.
enum class saved_step : unsigned char { find, charge, charge_last, authorize, capture, repeat };
constexpr std::array plan{saved_step::find,      saved_step::charge,      saved_step::charge,  saved_step::repeat,
                          saved_step::authorize, saved_step::capture,     saved_step::charge,  saved_step::find,
                          saved_step::charge,    saved_step::charge_last, saved_step::repeat,  saved_step::charge,
                          saved_step::authorize, saved_step::repeat,      saved_step::capture, saved_step::find};

/// Every second customer begins with two payments at once, which must create one customer at the provider. A customer
/// without an approved payment is replaced by the next one.
class saved_scenario : public mix_scenario {
 public:
  saved_scenario(model& of, std::uint8_t number) : model_{of}, number_{number} {}

  void next(std::vector<request>& out, std::uint64_t most) override {
    if (ready_.empty()) return begin_customer(out, most);
    const auto number = ready_.front();
    ready_.pop_front();
    out.push_back(step_of(number, active_.at(number)));
  }

  void on_answer(const request& sent, const answer_outcome&) override {
    const auto number = sent.kind == operation::by_ref ? static_cast<std::uint32_t>(sent.subject)
                                                       : model_.payment(model_.key(sent.subject).payment).customer;
    auto& now = active_.at(number);
    now.in_flight -= 1;
    if (now.in_flight > 0) return;
    skip_what_cannot_be_captured(now);
    if (model_.customer(number).has_paid && now.done < plan.size())
      ready_.push_back(number);
    else
      active_.erase(number);
  }

 private:
  struct active_customer {
    std::size_t done = 0;  ///< steps of the plan
    unsigned in_flight = 0;
    std::uint64_t key = 0;  ///< of the last write
    std::uint32_t payment = 0;  ///< the last one
  };

  void begin_customer(std::vector<request>& out, std::uint64_t most) {
    const auto number = model_.begin_customer(number_);
    auto& now = active_[number];
    const auto creates = number % 2 == 1 && most > 1 ? 2u : 1u;
    for (unsigned i = 0; i < creates; ++i) out.push_back(pay(number, now, payment_kind::saving_card));
    now.in_flight = creates;
  }

  request step_of(std::uint32_t number, active_customer& now) {
    now.in_flight = 1;
    switch (plan[now.done++]) {
      case saved_step::find: return model_.find_customer(number);
      case saved_step::charge: return pay(number, now, payment_kind::saved_charge);
      case saved_step::charge_last: return pay(number, now, payment_kind::saved_last);
      case saved_step::authorize: return pay(number, now, payment_kind::saved_authorize);
      case saved_step::capture: return written(now, model_.capture(now.payment));
      case saved_step::repeat: break;
    }
    return model_.under(now.key, model::again);
  }

  request pay(std::uint32_t number, active_customer& now, payment_kind kind) {
    now.payment = model_.begin_payment(number_, kind, model_.usual_amount(), number);
    return written(now, model_.create(now.payment));
  }

  static request written(active_customer& now, request made) {
    now.key = made.subject;
    return made;
  }

  /// Whether an authorization was not answered or not approved.
  void skip_what_cannot_be_captured(active_customer& now) {
    if (now.done < plan.size() && plan[now.done] == saved_step::capture &&
        model_.payment(now.payment).created != creation::authorized)
      now.done += 1;
  }

  model& model_;
  std::uint8_t number_;
  std::unordered_map<std::uint32_t, active_customer> active_;
  std::deque<std::uint32_t> ready_;
};

}  // namespace

std::unique_ptr<mix_scenario> make_saved_scenario(model& of, std::uint8_t number) {
  return std::make_unique<saved_scenario>(of, number);
}

}  // namespace gateway::load
