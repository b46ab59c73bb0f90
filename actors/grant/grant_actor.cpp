// One binding of a platform, a merchant and an environment: consent, codes, their exchange and revocations, in order.
// What it shares with other entities is described in entity/queue/entity_queue.hpp.
//
// Requests of platforms are authorized by the published grant, so a durable change is published before it is answered.
// The actor publishes its row whenever it learns it. Publishing compares versions, so a row that was read early and
// arrives late changes nothing. A commit without an answer may take effect although no further request arrives: the
// actor stays until that is no longer possible, reads the row once more, and publishes it.

#include "grant_actor.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "entity/asks/entity_asks.hpp"
#include "entity/asks/entity_store.hpp"
#include "entity/queue/entity_of.hpp"
#include "entity/queue/spawn_entity.hpp"
#include "gateway/domain/grant_machine.hpp"

namespace gateway::actors {

namespace {

constexpr entity_rules grant_rules{
    .name = "grant",
    .not_found = problem::grant_not_found,
    // The stored answer may belong to a commit whose success no actor on this node has seen, so that its change is not
    // published yet.
    .reads_before_replay = true,
    // Every node authorizes requests of platforms by its own snapshot.
    .is_published = true,
};

class grant_entity final : public entity_of<grant_entity, grant_binding, grant_command> {
  using base = entity_of<grant_entity, grant_binding, grant_command>;
  friend base;

 public:
  explicit grant_entity(std::shared_ptr<const grant_context> context)
      : base{grant_rules, *context}, context_{std::move(context)} {}

 private:
  // ---- hooks of the queue -------------------------------------------------------------------------

  void known() override {
    if (row() && row()->newest)
      context_->published.publish(grant_update{{platform_id{key().id}, key().merchant},
                                               key().env,
                                               {state_of(row()->newest), row()->newest->scopes, row()->version}});
    // No further read is due once this actor has committed, because an earlier commit without an answer will then fail,
    // or once the store has answered a read that began at read_at_ or later.
    if (!memory().in_doubt() || memory().read_begun_at() >= read_at_) read_at_ = {};
    schedule_read();
  }

  /// A change is answered once it is in force on every node. This holds for the answer to a repeated request, too: the
  /// node that committed the first one may have died before the change was published.
  void answer_to(entity_job& work, entity_reply&& reply) override {
    if (!context_->nodes.clustered()) return resolve(work.promise, std::move(reply));
    ++awaiting_;
    resolve_once_published(self(), context_->keeper, work.promise, std::move(reply), [this] { --awaiting_; });
  }

  void left_in_doubt(commit_doubt::time_point until) override {
    read_at_ = until;
    schedule_read();
  }
  void read_failed() override { schedule_read(); }
  /// The read that was due may have been answered from memory while another request ran.
  void operation_over() noexcept override { schedule_read(); }
  /// A stopped actor could no longer send the answers that wait.
  bool must_stay() const noexcept override { return must_read() || awaiting_ > 0; }
  bool must_read() const noexcept { return read_at_ > commit_doubt::time_point{}; }

  /// Schedules a read of the row for the time when an unanswered commit can no longer take effect, and repeats it until
  /// it succeeds.
  void schedule_read() {
    const auto now = monotonic_now();
    if (!must_read() || next_read_ > now) return;
    next_read_ = std::max(read_at_, now + pause_between_reads);
    read_later(next_read_ - now);
  }

  // ---- commands -----------------------------------------------------------------------------------

  void on_due(job work) override { view(std::move(work)); }

  void run(job work, const give_consent& given) {
    // After a suspension is answered, no consent may succeed.
    const auto asking = context_->merchants.find_platform(platform_id{key().id});
    if (!asking || asking->status == platform_status::suspended) return fail(*work, problem::platform_suspended);
    auto decided = decide(binding(), given, context_->clock.now());
    if (auto* change = std::get_if<grant_change>(&decided)) return commit_without_key(std::move(work), *change);
    fail(*work, problem::grant_not_covering);
  }

  void run(job work, const exchange_code& wanted) {
    // A test grant requires that the merchant can be charged. Ensure that first: if it fails, the code is not used up.
    const bool buys = std::holds_alternative<grant_change>(decide_exchange(wanted));
    if (!buys || key().env == environment::live) return exchange(std::move(work), wanted);
    ask_directory(self(), context_->operators, make_chargeable{key().merchant, key().env, std::nullopt},
                  [this, work = std::move(work), &wanted](const operator_result* made, bool) mutable {
                    if (!made || std::holds_alternative<operator_problem>(*made))
                      return fail(*work, problem::store_unavailable);
                    exchange(std::move(work), wanted);
                  });
  }

  void run(job work, const revoke_request& wanted) { revoke(std::move(work), wanted, wanted.is_past); }

  void revoke(job work, const revoke_request& wanted, bool is_past) {
    const auto now = context_->clock.now();
    auto decided = decide(binding(), wanted.what, is_past, now);
    // If there is no row, there are no past grants either.
    if (!row() || std::holds_alternative<grant_refusal>(decided))
      return read_past_grant(std::move(work), wanted, is_past);
    auto* change = std::get_if<grant_change>(&decided);
    if (!work->request.write) {
      if (change) return commit_without_key(std::move(work), *change);
      return view(std::move(work));
    }
    auto record = record_of(*work, "revoke_grant", 0, wanted.what.reason, now);
    if (change)
      conclude_with(std::move(work), std::move(record), context_->encoder.revoked(), shared(std::move(change->next)),
                    now);
    else
      conclude_at_once(std::move(work), std::move(record), context_->encoder.revoked(), now);
  }

  // ---- steps --------------------------------------------------------------------------------------

  grant_binding binding() const { return row() ? *row() : grant_binding{key(), 0, std::nullopt, {}}; }

  grant_decision decide_exchange(const exchange_code& wanted) const {
    return decide(binding(), wanted, context_->clock.now());
  }

  void exchange(job work, const exchange_code& wanted) {
    const auto now = context_->clock.now();
    auto decided = decide_exchange(wanted);
    auto* change = std::get_if<grant_change>(&decided);
    const auto who = context_->merchants.find_merchant(key().merchant);
    if (!change || !who) return fail_unless_key_is_known(std::move(work), problem::invalid_grant);
    auto held = context_->encoder.exchanged(change->next, who->entity);
    auto record = record_of(*work, "exchange", 0, {}, now);
    conclude_with(std::move(work), std::move(record), std::move(held), shared(std::move(change->next)), now);
  }

  /// The grant is not the newest: a newer one may have replaced it since the caller read it.
  void read_past_grant(job work, const revoke_request& wanted, bool is_past) {
    if (!row() || is_past) return fail_revoke(std::move(work));
    find_past(self(), reader(), wanted.what.id,
              [this, work = std::move(work), &wanted](const grant_lookup* found) mutable {
                if (!found) return fail(*work, problem::store_unavailable);
                if (!found->past || found->binding != key()) return fail_revoke(std::move(work));
                revoke(std::move(work), wanted, true);
              });
  }

  void fail_revoke(job work) {
    if (!work->request.write) return fail(*work, problem::grant_not_found);
    fail_unless_key_is_known(std::move(work), problem::grant_not_found);
  }

  /// Answers with the binding.
  void commit_without_key(job work, grant_change& change) {
    auto unit = unit_of(unit_kind::conclude, *work);
    if (change.past) unit.insert(past_grant{key(), *std::move(change.past)});
    base::commit_without_key(std::move(work), std::move(unit), shared(std::move(change.next)));
  }

  static constexpr std::chrono::seconds pause_between_reads{1};

  std::shared_ptr<const grant_context> context_;
  commit_doubt::time_point read_at_{};  ///< when the row must be read; zero: it need not be
  commit_doubt::time_point next_read_{};  ///< the time of the read that was last scheduled
  std::size_t awaiting_ = 0;  ///< answers that wait until every node has published the change
};

}  // namespace

entity_spawner grant_spawner(std::shared_ptr<const grant_context> context) {
  return spawner_of([context = std::move(context)] { return std::make_unique<grant_entity>(context); });
}

}  // namespace gateway::actors
