// The sandbox's side of one subscription. It is an entity like the gateway's own, so that a crash neither loses nor
// repeats a cycle: each step stores what happened together with its notifications, and the row stays due until they are
// sent.
//
// Notifications are sent outside the queue. The subscription may be waiting for an answer of this actor while it is
// sent a notification; if this actor waited for it, too, neither would ever continue.

#include "enrollment_actor.hpp"

#include <algorithm>
#include <optional>
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
  bool must_stay() const noexcept override { return sending_ || !waiting_.empty(); }

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
                    if (then != after::notify || unsent_.empty()) return view(std::move(stored));
                    waiting_.push_back({std::move(stored), shared_row(), unsent_.back()});
                    leave(*waiting_.back().work);
                  }));
  }

  // ---- notifications ------------------------------------------------------------------------------

  /// Sends the row's notifications to the subscription, one after the other. Due steps wait meanwhile.
  void notify() {
    const auto& all = row()->undelivered;
    const auto [unsent, unused] = std::ranges::mismatch(all, accepted_);
    unsent_.assign(unsent, all.end());
    of_ = row()->what.key;
    answer_waiting();
    if (!sending_) send_next();
  }

  void send_next() {
    if (unsent_.empty()) return settle_accepted();
    sending_ = unsent_.front();
    ask_entity(self(), router(), of_, *sending_, {}, [this](const entity_reply* reply) {
      auto sent = *std::exchange(sending_, std::nullopt);
      const auto* why = reply ? std::get_if<problem>(&reply->what) : nullptr;
      // If there is no such subscription, the notification is dropped.
      const bool is_of_nothing = why && *why == problem::subscription_not_found;
      if (!reply || (why && !is_of_nothing)) return give_up();
      if (is_of_nothing)
        log::error("notification_of_nothing", {{"merchant", of_.merchant.value}, {"subscription_id", of_.id}});
      if (const auto at = std::ranges::find(unsent_, sent); at != unsent_.end()) unsent_.erase(at);
      accepted_.push_back(std::move(sent));
      answer_waiting();
      send_next();
    });
  }

  /// The notifications stay in the row, which stays due: the reconciler returns to it.
  void give_up() {
    log::warn("notifications_wait", {{"merchant", of_.merchant.value}, {"subscription_id", of_.id}});
    unsent_.clear();
    answer_waiting();
    settle_accepted();
  }

  void settle_accepted() {
    if (!accepted_.empty()) settle_soon(self(), router(), key());
  }

  void answer_waiting() {
    std::erase_if(waiting_, [this](waiting_caller& each) {
      if (std::ranges::find(unsent_, each.last) != unsent_.end()) return false;
      answer_with_row(*each.work, std::move(each.row));
      return true;
    });
  }

  /// A caller whose step is stored, and who is answered when the subscription has accepted the step's last
  /// notification.
  struct waiting_caller {
    job work;
    row_ptr row;
    subscription_notification last;
  };

  std::shared_ptr<const entity_context> context_;
  entity_key of_;  ///< the subscription that is notified
  std::optional<subscription_notification> sending_;  ///< waits for the subscription's answer
  std::vector<subscription_notification> unsent_;  ///< not accepted yet, in the row's order
  std::vector<subscription_notification> accepted_;  ///< the first of the row's; removed by on_due()
  std::vector<waiting_caller> waiting_;
};

}  // namespace

entity_spawner enrollment_spawner(std::shared_ptr<const entity_context> context) {
  return spawner_of([context = std::move(context)] { return std::make_unique<enrollment_entity>(context); });
}

}  // namespace gateway::actors
