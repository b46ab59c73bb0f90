// A provider's notifications of a subscription, in any order and any number of times. Each byte is a step.
//
// The first byte chooses the provider. The consistent one is the sandbox: steps pay, move and cancel, time passes, and
// its notifications arrive, perhaps repeatedly and late. In the end all have arrived, and the subscription must be what
// the provider says last, with one event for each notification and one payment for each invoice. The other provider
// sends whatever the bytes say, and contradicts itself. For both: versions increase by one, an ended subscription stays
// ended, nothing is published or charged twice, and a captured payment stays captured.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "gateway/domain/sandbox_biller.hpp"
#include "gateway/domain/subscription_machine.hpp"
#include "must.hpp"

namespace gateway::fuzz {
namespace {

using namespace std::chrono_literals;

const entity_key box{merchant_id{"merch_1"}, environment::test, entity_kind::subscription, "box"};
constexpr time_point noon{1'767'225'600'000ms};

class input {
 public:
  input(const unsigned char* bytes, std::size_t size) : next_{bytes}, end_{bytes + size} {}
  bool empty() const { return next_ == end_; }
  unsigned byte() { return empty() ? 0 : *next_++; }

 private:
  const unsigned char *next_, *end_;
};

/// The gateway's side: the subscription, and the payments of its cycles.
class notified_subscription {
 public:
  explicit notified_subscription(const subscription& opened) : now_{opened} {}

  void hear(const subscription_notification& n, time_point at) {
    if (fault_of(n)) return;
    const auto outcome = apply(now_, n, counted_.contains(n.event_id), at);
    const auto* change = std::get_if<subscription_transition>(&outcome);
    if (!change) return;
    counted_.insert(n.event_id);
    const auto& next = change->next;
    must(next.version == now_.version + 1, "one version follows the other");
    must(!is_final(now_.state.status) || next.state.status == now_.state.status, "what has ended stays ended");
    must(!now_.activated || next.activated, "what is active was activated");
    must(next.next_seq == now_.next_seq + change->events.size() + change->attempts.size(), "the timeline has no gap");
    for (const auto& event : change->events) {
      must(delivered_.insert(event.event_id).second, "an event is told once");
      if (event.type == subscription_event_type::canceled) must(++endings_ == 1, "the end is told once");
      if (event.type == subscription_event_type::activated) must(++beginnings_ == 1, "the activation is told once");
    }
    for (const auto& charge : change->charges) settle(charge, at);
    now_ = next;
  }

  const subscription& row() const { return now_; }
  const std::set<std::string>& reported() const { return delivered_; }
  const std::map<std::string, payment>& payments() const { return payments_; }

 private:
  void settle(const cycle_charge& charge, time_point at) {
    must(charged_.insert(charge.event_id).second, "an attempt at a cycle is charged once");
    const auto known = payments_.find(charge.payment.id);
    const auto before = known == payments_.end() ? std::nullopt : std::optional{known->second};
    const auto change = settle_cycle(before, charge, at);
    if (!change) return;
    must(!before || change->next.captured >= before->captured, "a payment that has the money keeps it");
    must(!before || before->captured == 0 || change->next.captured == before->captured, "a cycle is paid once");
    payments_[charge.payment.id] = change->next;
  }

  subscription now_;
  std::set<std::string> counted_, delivered_, charged_;
  std::map<std::string, payment> payments_;
  int endings_ = 0, beginnings_ = 0;
};

subscription opened(input& in) {
  subscription s;
  s.key = box;
  s.version = 2;
  s.details.customer_ref = "reader";
  s.details.trial_period_days = in.byte() % 4 == 0 ? in.byte() % 40 : 0;
  s.checkout_session_id = "cs_1";
  s.hosted_url = "https://pay.example/1";
  s.state.provider_customer_id = "cus_1";
  s.state.amount = {1'900, *currency::parse("EUR")};
  s.state.every = {static_cast<billing_interval>(in.byte() % 4), 1 + in.byte() % 3};
  return s;
}

// ---- a consistent provider ----------------------------------------------------------------------

class sandbox_story {
 public:
  explicit sandbox_story(input& in) : in_{in}, gateway_{opened(in)} {
    provider_ = sandbox_checkout(gateway_.row(), "cs_1");
  }

  void run() {
    while (!in_.empty() && history_.size() < most_said) step();
    // In the end all remaining notifications arrive, and each one once more.
    for (int i = 0; i < 2; ++i)
      for (const auto& n : history_) gateway_.hear(n, now_);
    check();
  }

 private:
  static constexpr std::size_t most_said = 400;

  void step() {
    const auto what = in_.byte();
    switch (what % 8) {
      case 0: return take(pay(provider_, now_));
      case 1: return take(operate(provider_, static_cast<sandbox_move>(in_.byte() % enum_count<sandbox_move>), now_));
      case 2: return take(operate(provider_, sandbox_move::cycle_paid, now_));
      case 3: now_ += std::chrono::hours{in_.byte()}; return take(bill_due(provider_, now_));
      case 4: return what == 4 ? take(cancel(provider_, now_).step) : void();
      default:
        if (!history_.empty()) gateway_.hear(history_[in_.byte() % history_.size()], now_);
    }
  }

  void take(const sandbox_step& step) {
    provider_ = step.next;
    history_.insert(history_.end(), step.notifications.begin(), step.notifications.end());
  }

  void check() const {
    const auto& row = gateway_.row();
    if (history_.empty()) return must(!row.activated, "of nothing nothing is told");
    must(row.activated && row.waiting.empty(), "the creation was told, and nothing waits for it");
    must(row.state == sandbox_machine::projection_of(provider_), "the row is what the provider says last");
    must(gateway_.reported().size() == history_.size(), "each thing is told by one event");
    struct tally {
      unsigned paid = 0, failed = 0;
    };
    std::map<std::string, tally> invoices;
    for (const auto& n : history_)
      if (n.invoice)
        ++(n.kind == notification_kind::invoice_paid ? invoices[n.invoice->id].paid : invoices[n.invoice->id].failed);
    must(gateway_.payments().size() == invoices.size(), "each invoice is a payment");
    for (const auto& [id, said] : invoices) {
      must(said.paid <= 1, "the sandbox collects an invoice once");
      const auto& its = gateway_.payments().at(cycle_payment_id(id).value);
      must(its.captured == (said.paid > 0 ? 1'900 : 0), "a payment is captured if its invoice is paid");
      must((its.state == payment_state::failed) == (said.paid == 0), "and failed if it is not");
    }
  }

  input& in_;
  time_point now_ = noon;
  notified_subscription gateway_;
  sandbox_subscription provider_;
  std::vector<subscription_notification> history_;
};

// ---- any provider -------------------------------------------------------------------------------

subscription_notification drawn(input& in) {
  subscription_notification n;
  n.event_id = "evt_" + std::to_string(in.byte() % 64);
  n.kind = static_cast<notification_kind>(in.byte() % enum_count<notification_kind>);
  n.at = noon + std::chrono::seconds{in.byte() % 16};
  n.sequence = in.byte() % 8;
  n.provider_subscription_id = in.byte() % 16 == 0 ? "sub_2" : "sub_1";
  constexpr subscription_status statuses[] = {subscription_status::active,   subscription_status::past_due,
                                              subscription_status::canceled, subscription_status::incomplete_expired,
                                              subscription_status::trialing, subscription_status::pending};
  n.state.status = statuses[in.byte() % std::size(statuses)];
  n.state.amount = {in.byte() % 4 * 100, *currency::parse("EUR")};
  n.status_changed = in.byte() % 2 == 0;
  const bool of_invoice = n.kind == notification_kind::invoice_paid || n.kind == notification_kind::invoice_failed;
  if (of_invoice != (in.byte() % 32 == 0)) {
    n.invoice.emplace();
    n.invoice->id = "in_" + std::to_string(in.byte() % 4);
    n.invoice->amount = n.state.amount;
  }
  return n;
}

}  // namespace
}  // namespace gateway::fuzz

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  using namespace gateway::fuzz;
  if (size < 4) return -1;  // not kept in the corpus
  input in{bytes, size};
  if (in.byte() % 2 == 0) {
    sandbox_story{in}.run();
    return 0;
  }
  notified_subscription gateway{opened(in)};
  while (!in.empty()) gateway.hear(drawn(in), noon);
  return 0;
}
