// The sandbox's side of one subscription. It is an entity like the gateway's own, so that a crash neither loses nor
// repeats a cycle: each step stores what happened together with its notifications, and the row stays due until they are
// sent.
//
// Notifications are sent outside the queue. The subscription may be waiting for an answer of this actor while it is
// sent a notification; if this actor waited for it, too, neither would ever continue.

#include "enrollment_actor.hpp"

#include <utility>
#include <vector>

#include "entity/asks/entity_asks.hpp"
#include "entity/queue/entity_of.hpp"
#include "entity/queue/spawn_entity.hpp"
#include "gateway/base/log.hpp"
#include "gateway/domain/erasure.hpp"

namespace gateway::actors {

namespace {

constexpr entity_rules enrollment_rules{"enrollment", problem::subscription_not_found};

class enrollment_entity final : public entity_of<enrollment_entity, sandbox_enrollment, enrollment_command> {
  using base = entity_of<enrollment_entity, sandbox_enrollment, enrollment_command>;
  friend base;

 public:
  explicit enrollment_entity(std::shared_ptr<const entity_context> context)
      : base{enrollment_rules, *context}, context_{std::move(context)} {}

 private:
  bool must_stay() const noexcept override { return notifying_ || !waiting_for_notifications_.empty(); }

  /// Safe to repeat: the enrollment's id identifies the checkout.
  void run(job work, const open_enrollment& opened) {
    if (row()) return view(std::move(work));
    sandbox_enrollment made{key(), 1, opened.what, {}, std::nullopt};
    commit_without_key(std::move(work), shared(std::move(made)));
  }

  void run(job work, const close_enrollment& wanted) {
    if (!row()) return fail(*work, enrollment_rules.not_found);
    const auto& what = row()->what;
    auto step = wanted.cancels ? cancel(what, context_->clock.now()).step : close_checkout(what).step;
    store(std::move(work), std::move(step), {}, after::answer);
  }

  void run(job work, const pay_enrollment&) {
    if (!row()) return fail(*work, enrollment_rules.not_found);
    store(std::move(work), pay(row()->what, context_->clock.now()), {}, after::notify);
  }

  void run(job work, const approve_enrollment& answered) {
    if (!row()) return fail(*work, enrollment_rules.not_found);
    store(std::move(work), approve_cycle(row()->what, answered.refuses, context_->clock.now()), {}, after::notify);
  }

  void run(job work, const move_enrollment& wanted) {
    if (!row()) return fail(*work, enrollment_rules.not_found);
    auto step = operate(row()->what, wanted.to, context_->clock.now(), wanted.amount);
    store(std::move(work), std::move(step), wanted.how, after::notify);
  }

  void run(job work, const erase_enrollment_data&) {
    if (!row()) return fail(*work, enrollment_rules.not_found);
    auto next = without_personal_data(*row());
    if (next == *row()) return view(std::move(work));
    next.version += 1;
    put_row(std::move(work), std::move(next), after::answer);
  }

  /// From the reconciler, and from this actor after notifications were accepted.
  void on_due(job work) override {
    if (!row()) return fail(*work, enrollment_rules.not_found);
    const auto now = context_->clock.now();
    auto next = accepted_.empty() ? *row() : delivered(*row(), accepted_, now);
    accepted_.clear();
    // Do not bill while the clock is untrusted.
    if (next.undelivered.empty() && context_->watch.trusted_now(monotonic_now())) {
      auto step = bill_due(next.what, now);
      if (!step.notifications.empty()) {
        const auto version = next.version;
        next = enrolled(next, std::move(step.next), std::move(step.notifications), now);
        next.version = version;
      }
    }
    if (next == *row()) {
      notify();
      return view(std::move(work));
    }
    next.version = row()->version + 1;
    put_row(std::move(work), std::move(next), after::answer);
  }

  // ---- steps --------------------------------------------------------------------------------------

  enum class after : unsigned char { answer, notify };

  void store(job work, sandbox_step step, const sandbox_telling& how, after then) {
    if (step.notifications.empty() && step.next == row()->what) return view(std::move(work));
    auto next = enrolled(*row(), std::move(step.next), as_reported(step.notifications, how), context_->clock.now());
    put_row(std::move(work), std::move(next), then);
  }

  void put_row(job work, sandbox_enrollment next, after then) {
    commit_change(unit_of(unit_kind::finish), shared(std::move(next)), {},
                  if_committed(std::move(work), [this, then](job stored) {
                    notify();
                    // The caller is answered when sending ends. If sending could not start, answer at once: another
                    // node may be sending.
                    if (then != after::notify || !notifying_) return view(std::move(stored));
                    auto& waits = waiting_for_notifications_.emplace_back(std::move(stored), shared_row());
                    leave(*waits.first);
                  }));
  }

  // ---- notifications ------------------------------------------------------------------------------

  /// Sends the row's notifications to the subscription, one after the other. Due steps wait meanwhile. Accepted
  /// notifications are first removed from the row.
  void notify() {
    if (notifying_ || !accepted_.empty() || row()->undelivered.empty()) return;
    notifying_ = true;
    outgoing_ = row()->undelivered;
    of_ = row()->what.key;
    send_next();
  }

  void send_next() {
    if (accepted_.size() == outgoing_.size()) return all_sent(true);
    ask_entity(self(), router(), of_, outgoing_[accepted_.size()], {}, [this](const entity_reply* reply) {
      if (!reply) return all_sent(false);
      const auto* why = std::get_if<problem>(&reply->what);
      // There is no such subscription, so the notification is dropped.
      if (why && *why == problem::subscription_not_found)
        log::error("notification_of_nothing", {{"merchant", of_.merchant.value}, {"subscription_id", of_.id}});
      else if (why)
        return all_sent(false);
      accepted_.push_back(outgoing_[accepted_.size()]);
      send_next();
    });
  }

  /// Notifications that were not accepted stay in the row, which stays due: the reconciler returns to it.
  void all_sent(bool whole) {
    notifying_ = false;
    if (!accepted_.empty()) settle_soon(self(), router(), key());
    if (!whole) log::warn("notifications_wait", {{"merchant", of_.merchant.value}, {"subscription_id", of_.id}});
    for (auto& each : std::exchange(waiting_for_notifications_, {}))
      answer_with_row(*each.first, std::move(each.second));
  }

  std::shared_ptr<const entity_context> context_;
  bool notifying_ = false;
  entity_key of_;  ///< the subscription that is notified
  std::vector<subscription_notification> outgoing_;  ///< while sending
  std::vector<subscription_notification> accepted_;  ///< accepted ones, from the front; removed by on_due()
  std::vector<std::pair<job, row_ptr>> waiting_for_notifications_;  ///< with the row that each is answered with
};

}  // namespace

entity_spawner enrollment_spawner(std::shared_ptr<const entity_context> context) {
  return spawner_of([context = std::move(context)] { return std::make_unique<enrollment_entity>(context); });
}

}  // namespace gateway::actors
