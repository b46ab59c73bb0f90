// Compares the events in the timelines with those that the receiver stored: exactly the events of the timelines must
// have arrived, correctly signed.
#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "verifier.hpp"

namespace gateway::load {
namespace {

constexpr std::array<std::string_view, 4> types{"payment.captured", "payment.failed", "payment.partially_refunded",
                                                "payment.refunded"};
using counts = std::array<std::uint64_t, types.size()>;

counts events_of_timeline(const payment_record& payment) {
  return {payment.captured_events, payment.failed_events, payment.partial_refund_events, payment.refunded_events};
}

class event_comparison {
 public:
  event_comparison(model& of, const std::vector<received_event>& received)
      : model_{of}, received_{received}, order_(received.size()) {}

  std::uint64_t run() {
    check_bodies("delivery", &received_event::delivery_id);
    check_bodies("event", &received_event::event_id);
    check_payments();
    return matching_;
  }

 private:
  void wrong(const std::string& what) { model_.found().add(what, {}); }

  bool is_ours(const received_event& one) const {
    const auto number = model_.ids().number_of(one.payment_id);
    return number && *number < model_.payments();
  }

  /// All attempts of a delivery, and all deliveries of an event, have the same body.
  void check_bodies(const std::string& what, std::string received_event::* id) {
    std::iota(order_.begin(), order_.end(), 0u);
    const auto key = [&](std::uint32_t at) { return std::tie(received_[at].*id, received_[at].body_hash); };
    std::ranges::sort(order_, {}, key);
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const auto& before = received_[order_[i - 1]];
      const auto& one = received_[order_[i]];
      if (is_ours(one) && one.*id == before.*id && one.body_hash != before.body_hash)
        wrong(one.payment_id + ": " + what + ' ' + one.*id + " arrived with different bodies");
    }
  }

  void check_payments() {
    std::iota(order_.begin(), order_.end(), 0u);
    const auto number = [&](std::uint32_t at) {
      return model_.ids().number_of(received_[at].payment_id).value_or(model_.payments());
    };
    std::vector<std::uint64_t> of(received_.size());
    for (std::uint32_t at = 0; at < of.size(); ++at) of[at] = number(at);
    std::ranges::sort(order_, {}, [&](std::uint32_t at) { return std::tie(of[at], received_[at].event_id); });
    std::size_t at = 0;
    for (std::uint64_t payment = 0; payment < model_.payments(); ++payment) {
      const auto begin = at;
      while (at < order_.size() && of[order_[at]] == payment) ++at;
      check_payment(payment, begin, at);
    }
    for (; at < order_.size(); ++at)
      if (const auto& id = received_[order_[at]].payment_id; model_.ids().is_of_run(id))
        wrong(id + ": an event of a payment that was never requested");
  }

  void check_payment(std::uint64_t number, std::size_t begin, std::size_t end) {
    const auto& payment = model_.payment(number);
    counts received{};
    for (auto at = begin; at < end; ++at) {
      const auto& one = received_[order_[at]];
      if (!one.rightly_signed) {
        wrong(one.payment_id + ": event " + one.event_id + " arrived with a signature that is not the destination's");
        continue;
      }
      if (at > begin && received_[order_[at - 1]].event_id == one.event_id && received_[order_[at - 1]].rightly_signed)
        continue;
      const auto type = std::ranges::find(types, one.type);
      if (type == types.end())
        wrong(one.payment_id + ": an event that the destination did not list, " + one.type.substr(0, 100));
      else
        received[static_cast<std::size_t>(type - types.begin())] += 1;
    }
    if (!payment.timeline_read) return;
    const auto expected = events_of_timeline(payment);
    for (std::size_t i = 0; i < types.size(); ++i) {
      matching_ += std::min(received[i], expected[i]);
      if (received[i] == expected[i]) continue;
      const auto of = std::to_string(expected[i]), type = ' ' + std::string{types[i]};
      const auto what = received[i] < expected[i]
                            ? std::to_string(expected[i] - received[i]) + " of " + of + type + " did not arrive"
                            : std::to_string(received[i]) + type + " arrived, but its timeline has " + of;
      wrong(model_.ids().payment(number) + ": " + what);
    }
  }

  model& model_;
  const std::vector<received_event>& received_;
  std::vector<std::uint32_t> order_;
  std::uint64_t matching_ = 0;
};

}  // namespace

std::uint64_t compare_events(model& of, const std::vector<received_event>& received) {
  return event_comparison{of, received}.run();
}

}  // namespace gateway::load
