// The comparison of a payment with its state at the provider: changes that were made there are recorded in the payment.

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "entity/asks/provider_calls.hpp"
#include "gateway/base/log.hpp"
#include "payment_entity.hpp"

namespace gateway::actors {

namespace {

/// How long the provider is asked about a payment whose state it does not report. An authorized payment is asked about
/// until it ends.
constexpr std::chrono::days patience{7};

/// The time of the next question: the intervals grow with the time since the payment last changed.
std::optional<time_point> next_attempt(const payment& p, time_point now) {
  constexpr duration_ms least = std::chrono::minutes{1}, most = std::chrono::hours{6};
  const auto waited = std::chrono::duration_cast<duration_ms>(now - p.updated_at);
  if (waited >= patience && p.state != payment_state::authorized) return std::nullopt;
  return now + std::clamp(waited, least, most);
}

/// Differences that an operator is warned of, because the gateway had recorded another final state.
std::vector<std::string_view> unexpected_changes(const payment& before, const payment& after,
                                                 const provider_truth& truth) {
  std::vector<std::string_view> found;
  if (after.records.paid_late && !before.records.paid_late) found.push_back("it was paid after it had failed");
  if (before.state == payment_state::failed && after.state == payment_state::authorized)
    found.push_back("it was authorized after it had failed");
  if (before.state == payment_state::voided && after.state != payment_state::voided)
    found.push_back("it was not voided there");
  if (before.state == payment_state::authorized && truth.charge == charge_state::failed)
    found.push_back("its authorization has failed there");
  const auto is_missing = [](const refund& r) { return r.failure_code == refund_not_at_provider; };
  if (std::ranges::count_if(after.records.refunds, is_missing) >
      std::ranges::count_if(before.records.refunds, is_missing))
    found.push_back("a refund of it was not made there");
  for (const auto& recorded : before.records.refunds) {
    if (recorded.by != entry_origin::operator_) continue;
    const auto now = std::ranges::find(after.records.refunds, recorded.id, &refund::id);
    if (now != after.records.refunds.end() && now->provider_ref != recorded.provider_ref)
      found.push_back("a refund that an operator recorded has another reference there");
  }
  return found;
}

}  // namespace

/// Asks the provider for the payment's state and takes over the differences; then continues with `then`. A payment that
/// cannot be compared, such as one that was declined at once, is left unchanged.
void payment_entity::compare(job work, next_step then) {
  if (!can_be_compared(*row()) && !lacks_reference(*row())) {
    if (!row()->due_at) return then(std::move(work));
    return follow(std::move(work), {}, std::move(then));
  }
  occupy_slot();
  const auto asking = spans().begin_call();
  ask_gate(self(), gate_of(row()->provider), provider_inquiry{*row(), false, true, asking.where},
           [this, work = std::move(work), then = std::move(then), asking](const provider_result* answer) mutable {
             // The gate has ended. The row stays due.
             if (!answer) return fail(*work, problem::store_unavailable);
             spans().called(asking, row()->provider, "compare", answer->status, answer->error);
             if (answer->truth) return follow(std::move(work), *answer->truth, std::move(then));
             // The comparison before a refund is optional: the refund is then decided by the stored row.
             if (work->looked) return then(std::move(work));
             compare_later(std::move(work));
           });
}

/// Commits the differences and the time of the next comparison in one unit.
void payment_entity::follow(job work, const provider_truth& truth, next_step then) {
  const auto now = context_->clock.now();
  auto steps = differences(*row(), truth, now);
  const auto& after = steps.empty() ? *row() : steps.back().next;
  const auto contradiction = contradiction_of(after, truth);
  const auto about = [&](std::string_view what) {
    log::warn("payment_differs_at_provider", {{"merchant", key().merchant.value},
                                              {"payment_id", key().id},
                                              {"provider", to_string(row()->provider)},
                                              {"what", what}});
  };
  if (!contradiction.empty()) about(contradiction);
  for (const auto what : unexpected_changes(*row(), after, truth)) {
    context_->meters.payment_contradictions.Increment();
    about(what);
  }
  const auto due = next_daily_look(after, truth, now);
  if (steps.empty()) {
    if (due == row()->due_at) return then(std::move(work));
    transition rest{*row(), {}, {}};
    rest.next.version += 1;
    rest.next.due_at = due;
    steps.push_back(std::move(rest));
  } else {
    steps.back().next.due_at = due;
  }
  // A payment that was paid late may save its method.
  auto report = update_of(*row(), steps.back().next);
  report_to_customer_first(std::move(work), std::move(report),
                           [this, steps = std::move(steps), then = std::move(then)](job reported) mutable {
                             commit_steps(unit_of(unit_kind::finish), steps,
                                          if_committed(std::move(reported), std::move(then)));
                           });
}

/// The provider did not report the state. The request fails, so that a notification is tried again.
void payment_entity::compare_later(job work) {
  const auto now = context_->clock.now();
  if (!row()->due_at || *row()->due_at > now) return fail(*work, problem::provider_unavailable);
  transition later{*row(), {}, {}};
  later.next.version += 1;
  later.next.due_at = next_attempt(*row(), now);
  commit_transition(unit_of(unit_kind::finish), std::move(later),
                    if_committed(std::move(work), [this](job asked) { fail(*asked, problem::provider_unavailable); }));
}

}  // namespace gateway::actors
