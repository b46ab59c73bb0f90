// One customer. Payments read it before they begin, and record in it what their provider reported. What it shares with
// other entities is described in entity/queue/entity_queue.hpp.

#include "customer_actor.hpp"

#include <memory>
#include <utility>
#include <variant>

#include "entity/asks/entity_store.hpp"
#include "entity/queue/entity_of.hpp"
#include "entity/queue/spawn_entity.hpp"
#include "gateway/base/log.hpp"
#include "gateway/domain/customer.hpp"

namespace gateway::actors {

namespace {

constexpr entity_rules customer_rules{"customer", problem::customer_not_found};

class customer_entity final : public entity_of<customer_entity, customer, customer_command> {
  using base = entity_of<customer_entity, customer, customer_command>;
  friend base;

 public:
  explicit customer_entity(std::shared_ptr<const entity_context> context)
      : base{customer_rules, *context}, context_{std::move(context)} {}

 private:
  void on_due(job work) override { view(std::move(work)); }

  void run(job work, const forget_at_provider& gone) {
    if (!row()) return fail(*work, customer_rules.not_found);
    auto next = forgotten(*row(), gone);
    if (!next) return view(std::move(work));
    log::info("customer_forgotten", {{"merchant", key().merchant.value},
                                     {"provider", to_string(gone.provider)},
                                     {"what", gone.method.empty() ? "customer" : "method"}});
    commit_without_key(std::move(work), shared(*std::move(next)));
  }

  void run(job work, const record_customer& report) {
    auto next = recorded(row(), key(), report, context_->clock.now());
    if (!next) return view(std::move(work));
    const bool saved_before = row() && has_saved(*row(), report.saved_method);
    if (saved_before && context_->nodes.clustered())
      return commit_unless_recorded(std::move(work), *std::move(next), report);
    commit_without_key(std::move(work), shared(*std::move(next)));
  }

  /// The method was saved before, so this report may be a repeat: another node may have asked the provider about the
  /// same payment and recorded this method before a later method was saved. In that case the payment's row already has
  /// the method, and the customer is left unchanged. A report recorded after this read makes the claim fail.
  void commit_unless_recorded(job work, customer next, const record_customer& report) {
    const auto& reader = context_->store.reader_for(report.payment);
    find_row(self(), reader, report.payment,
             [this, work = std::move(work), next = std::move(next), &report](const entity_lookup* seen) mutable {
               if (!seen) return fail(*work, problem::store_unavailable);
               if (has_recorded(*seen, report)) return view(std::move(work));
               commit_without_key(std::move(work), shared(std::move(next)));
             });
  }

  static bool has_recorded(const entity_lookup& seen, const record_customer& report) {
    const auto* of = seen.found ? std::get_if<payment_ptr>(&*seen.found) : nullptr;
    return of && (*of)->customer && (*of)->customer->saved_method == report.saved_method;
  }

  std::shared_ptr<const entity_context> context_;
};

}  // namespace

entity_spawner customer_spawner(std::shared_ptr<const entity_context> context) {
  return spawner_of([context = std::move(context)] { return std::make_unique<customer_entity>(context); });
}

}  // namespace gateway::actors
