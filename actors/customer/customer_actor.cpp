// One customer: payments look at it before they begin, and record what their provider told of it. What it shares with
// other entities stands in entity/entity_queue.hpp.

#include "customer_actor.hpp"

#include <memory>
#include <utility>
#include <variant>

#include "entity/entity_queue.hpp"
#include "entity/spawn_entity.hpp"
#include "gateway/ask_store.hpp"
#include "gateway/domain/customer.hpp"

namespace gateway::actors {

namespace {

class customer_entity : public entity_queue<customer_entity, customer> {
  using queue = entity_queue<customer_entity, customer>;
  friend queue;

 public:
  static inline const char* name = "customer";

  void start(entity_actor::pointer self, std::shared_ptr<const entity_context> context, router_actor router,
             const entity_key& key) {
    context_ = std::move(context);
    queue::start(self, *context_, std::move(router), key);
  }

 private:
  using commands = customer_command;
  static constexpr auto not_found = problem::customer_not_found;
  /// No command that makes a customer carries an idempotency key.
  static constexpr auto already_exists = problem::request_in_progress;
  static constexpr bool calls_providers = false;
  static constexpr bool has_timeline = false;

  static bool inserts(const entity_command&) { return false; }

  using queue::run;
  void run(job work, std::type_identity<view_timeline>) { fail(work, not_found); }
  void run(job work, std::type_identity<settle_due>) { view(std::move(work)); }
  void run(job work, std::type_identity<record_customer>) {
    const auto& news = *command_if<record_customer>(work.request.what);
    auto next = recorded(row().get(), key(), news, context_->clock.now());
    if (!next) return view(std::move(work));
    const bool saved_before = row() && has_saved(*row(), news.saved_method);
    if (saved_before && context_->nodes.clustered()) return commit_unless_told(std::move(work), *std::move(next));
    commit_without_key(std::move(work), *std::move(next));
  }

  /// Another node may have asked the provider for the payment, too, and have told what it saves before another method
  /// was saved. The payment says so then, and the method stays where it is. Whatever is told from now on makes this
  /// claim fail.
  void commit_unless_told(job work, customer next) {
    const auto& news = *command_if<record_customer>(work.request.what);
    find_entity question{news.payment};
    const auto& reader = context_->store.reader_for(news.payment);
    const auto parked = std::make_shared<std::pair<job, customer>>(std::move(work), std::move(next));
    ask_store(self(), reader, caf::infinite, std::move(question))
        .then(
            [this, parked](const entity_lookup& seen) {
              auto& [asked, changed] = *parked;
              if (has_told(seen, *command_if<record_customer>(asked.request.what))) return view(std::move(asked));
              commit_without_key(std::move(asked), std::move(changed));
            },
            [this, parked](const caf::error&) { fail(parked->first, problem::store_unavailable); });
  }

  static bool has_told(const entity_lookup& seen, const record_customer& news) {
    const auto* of = seen.found ? std::get_if<payment_ptr>(&*seen.found) : nullptr;
    return of && (*of)->customer && (*of)->customer->saved_method == news.saved_method;
  }

  std::shared_ptr<const entity_context> context_;
};

}  // namespace

entity_spawner customer_spawner(std::shared_ptr<const entity_context> context) {
  return [context = std::move(context)](caf::actor_system& system, const router_actor& router, const entity_key& key,
                                        std::uint64_t activation) {
    return spawn_entity<customer_entity>(system, context, router, key, activation);
  };
}

}  // namespace gateway::actors
