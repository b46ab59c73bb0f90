// The sandbox's side of one subscription. It is an entity like the gateway's own, so that no cycle is lost or made
// twice whoever stops: each step stores what happened together with what is to be told of it, and is due until it is
// told.
//
// Telling goes on beside the queue. The subscription may be waiting for an answer of this actor while it is told of
// something, and two that wait for each other would wait for ever.

#include "sandbox_enrollment.hpp"

#include <utility>
#include <vector>

#include "entity/entity_queue.hpp"
#include "entity/spawn_entity.hpp"
#include "gateway/base/log.hpp"

namespace gateway::actors {

namespace {

class enrollment_entity : public entity_queue<enrollment_entity, sandbox_enrollment> {
  using queue = entity_queue<enrollment_entity, sandbox_enrollment>;
  friend queue;

 public:
  static inline const char* name = "enrollment";

  void start(entity_actor::pointer self, std::shared_ptr<const entity_context> context, router_actor router,
             const entity_key& key) {
    context_ = std::move(context);
    queue::start(self, *context_, std::move(router), key);
  }

 private:
  using commands = enrollment_command;
  static constexpr auto not_found = problem::subscription_not_found;
  /// No command that makes one carries an idempotency key.
  static constexpr auto already_exists = problem::request_in_progress;
  static constexpr bool calls_providers = false;
  static constexpr bool has_timeline = false;

  static bool inserts(const entity_command&) { return false; }
  bool must_stay() const noexcept { return telling_ || !waiting_for_telling_.empty(); }

  using queue::run;
  void run(job work, std::type_identity<view_timeline>) { fail(work, not_found); }

  /// Asked again it is there: its id says whose checkout it is.
  void run(job work, std::type_identity<open_enrollment>) {
    if (row()) return view(std::move(work));
    sandbox_enrollment made{key(), 1, command_if<open_enrollment>(work.request.what)->what, {}, std::nullopt};
    commit_without_key(std::move(work), std::move(made));
  }

  void run(job work, std::type_identity<close_enrollment>) {
    if (!row()) return fail(work, not_found);
    const auto& what = row()->what;
    const bool cancels = command_if<close_enrollment>(work.request.what)->cancels;
    auto step = cancels ? cancel(what, context_->clock.now()).step : close_checkout(what).step;
    store(std::move(work), std::move(step), {}, after::answer);
  }

  void run(job work, std::type_identity<pay_enrollment>) {
    if (!row()) return fail(work, not_found);
    store(std::move(work), pay(row()->what, context_->clock.now()), {}, after::tell);
  }

  void run(job work, std::type_identity<move_enrollment>) {
    if (!row()) return fail(work, not_found);
    const auto& wanted = *command_if<move_enrollment>(work.request.what);
    store(std::move(work), operate(row()->what, wanted.to, context_->clock.now()), wanted.how, after::tell);
  }

  /// From the reconciler, and from itself when something has been told.
  void run(job work, std::type_identity<settle_due>) {
    if (!row()) return fail(work, not_found);
    const auto now = context_->clock.now();
    auto next = taken_.empty() ? *row() : told(*row(), taken_, now);
    taken_.clear();
    // By a clock that may have jumped ahead nobody is billed.
    if (next.untold.empty() && context_->watch.trusted_now(self()->clock().now())) {
      auto step = bill_due(next.what, now);
      if (!step.notifications.empty()) {
        const auto version = next.version;
        next = enrolled(next, std::move(step.next), std::move(step.notifications), now);
        next.version = version;
      }
    }
    if (next == *row()) {
      tell();
      return view(std::move(work));
    }
    next.version = row()->version + 1;
    put_row(std::move(work), std::move(next), after::answer);
  }

  // ---- steps --------------------------------------------------------------------------------------

  enum class after : unsigned char { answer, tell };

  void store(job work, sandbox_step step, const sandbox_telling& how, after then) {
    if (step.notifications.empty() && step.next == row()->what) return view(std::move(work));
    auto next = enrolled(*row(), std::move(step.next), as_told(step.notifications, how), context_->clock.now());
    put_row(std::move(work), std::move(next), then);
  }

  void put_row(job work, sandbox_enrollment next, after then) {
    commit_change(unit_of(unit_kind::finish), std::move(next), {},
                  [this, work = std::move(work), then](commit_outcome outcome) mutable {
                    if (outcome == commit_outcome::lost_claim) return again(std::move(work));
                    if (outcome != commit_outcome::committed) return not_committed(work, outcome);
                    tell();
                    // Who waits is answered when the telling ends. Where none can begin nothing would answer: what
                    // there is to tell may be told by another node.
                    if (then != after::tell || !telling_) return view(std::move(work));
                    waiting_for_telling_.push_back({work.promise, row()});
                    leave(work);
                  });
  }

  // ---- telling ------------------------------------------------------------------------------------

  struct waiting {
    caf::typed_response_promise<entity_reply> promise;
    row_ptr seen;
  };

  /// Tells the subscription what the row has to tell, one after the other. While it does, what becomes due waits.
  /// What was taken is struck off first.
  void tell() {
    if (telling_ || !taken_.empty() || row()->untold.empty()) return;
    telling_ = true;
    to_tell_ = row()->untold;
    of_ = row()->what.key;
    tell_next();
  }

  void tell_next() {
    if (taken_.size() == to_tell_.size()) return told_all(true);
    entity_request news{of_, std::nullopt, subscription_command{to_tell_[taken_.size()]}};
    self()
        ->request(router(), caf::infinite, std::move(news))
        .then(
            [this](const entity_reply& reply) {
              const auto* why = std::get_if<problem>(&reply.what);
              // Nobody will ever want to know what is told to a subscription that there is not.
              if (why && *why == problem::subscription_not_found)
                log::error("notification_of_nothing", {{"merchant", of_.merchant.value}, {"subscription_id", of_.id}});
              else if (why)
                return told_all(false);
              taken_.push_back(to_tell_[taken_.size()]);
              tell_next();
            },
            [this](const caf::error&) { told_all(false); });
  }

  /// What was not taken stays in the row, which is due: the reconciler comes back to it.
  void told_all(bool whole) {
    telling_ = false;
    if (!taken_.empty())
      self()
          ->request(router(), caf::infinite, entity_request{key(), std::nullopt, settle_due{}})
          .then([](const entity_reply&) {}, [](const caf::error&) {});
    if (!whole) log::warn("notifications_wait", {{"merchant", of_.merchant.value}, {"subscription_id", of_.id}});
    for (auto& each : std::exchange(waiting_for_telling_, {}))
      each.promise.deliver(entity_reply{entity_row{std::move(each.seen)}});
  }

  std::shared_ptr<const entity_context> context_;
  bool telling_ = false;
  entity_key of_;  ///< the subscription that is told
  std::vector<subscription_notification> to_tell_;  ///< while it tells
  std::vector<subscription_notification> taken_;  ///< of these, from the front; struck off the row when it is due
  std::vector<waiting> waiting_for_telling_;
};

}  // namespace

entity_spawner enrollment_spawner(std::shared_ptr<const entity_context> context) {
  return [context = std::move(context)](caf::actor_system& system, const router_actor& router, const entity_key& key,
                                        std::uint64_t activation) {
    return spawn_entity<enrollment_entity>(system, context, router, key, activation);
  };
}

}  // namespace gateway::actors
