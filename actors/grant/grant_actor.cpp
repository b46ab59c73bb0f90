// One binding of a platform, a merchant and an environment: consent, codes, their exchange and revokes, in order. What
// it shares with other entities stands in entity/queue/entity_queue.hpp.
//
// Requests of platforms are judged by the published grant, so what becomes durable is published before it is answered.
// Whatever this actor learns of its row it publishes at once. Versions decide there, so that a row which was read early
// and arrives late takes nothing back. A commit without an answer may have landed although nobody asks again: this
// actor stays until that is over, reads the row once more, and publishes what it finds.

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
    // The answer may be that of a commit which nobody here has seen succeed, and so nobody has published.
    .reads_before_replay = true,
    // Requests of platforms are judged by every node's snapshot.
    .is_published = true,
};

class grant_entity final : public entity_of<grant_entity, grant_binding, grant_command> {
  using base = entity_of<grant_entity, grant_binding, grant_command>;
  friend base;

 public:
  explicit grant_entity(std::shared_ptr<const grant_context> context)
      : base{grant_rules, *context}, context_{std::move(context)} {}

 private:
  // ---- what the queue asks of every entity --------------------------------------------------------

  void known() override {
    if (row() && row()->newest)
      context_->published.publish(grant_news{{platform_id{key().id}, key().merchant},
                                             key().env,
                                             {state_of(row()->newest), row()->newest->scopes, row()->version}});
    // What this actor has committed itself ends its doubt, too: whatever was on its way has lost its claim. A row that
    // was read before the end of the doubt does not.
    if (!memory().in_doubt() || memory().read_begun_at() >= look_at_) look_at_ = {};
    keep_looking();
  }

  /// What is answered is in force on every node: also the answer to a repeated request, whose first one may have been
  /// committed by a node that did not live to see it published.
  void answer_to(entity_job& work, entity_reply&& reply) override {
    if (!context_->nodes.clustered()) return tell(work.promise, std::move(reply));
    ++awaiting_;
    tell_once_published(self(), context_->keeper, work.promise, std::move(reply), [this] { --awaiting_; });
  }

  void left_in_doubt(commit_doubt::time_point until) override {
    look_at_ = until;
    keep_looking();
  }
  void read_failed() override { keep_looking(); }
  /// The look that was due may have been answered from memory while another request ran.
  void operation_over() noexcept override { keep_looking(); }
  /// An actor that is stopped would answer nobody any more.
  bool must_stay() const noexcept override { return must_look() || awaiting_ > 0; }
  bool must_look() const noexcept { return look_at_ > commit_doubt::time_point{}; }

  /// Sees to it that this actor reads its row when its doubt is over, and until it succeeds.
  void keep_looking() {
    const auto now = monotonic_now();
    if (!must_look() || next_look_ > now) return;
    next_look_ = std::max(look_at_, now + pause_between_looks);
    read_later(next_look_ - now);
  }

  // ---- commands -----------------------------------------------------------------------------------

  void on_due(job work) override { view(std::move(work)); }

  void run(job work, const give_consent& given) {
    // Whoever was told of a suspension must see no consent that came after it.
    const auto asking = context_->merchants.find_platform(platform_id{key().id});
    if (!asking || asking->status == platform_status::suspended) return fail(*work, problem::platform_suspended);
    auto decided = decide(binding(), given, context_->clock.now());
    if (auto* change = std::get_if<grant_change>(&decided)) return commit_without_key(std::move(work), *change);
    fail(*work, problem::grant_not_covering);
  }

  void run(job work, const exchange_code& wanted) {
    // A test grant is of use only where the merchant can be charged. That comes first: if it fails, nothing is spent.
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
    // A row that is not there has no past grants either.
    if (!row() || std::holds_alternative<grant_refusal>(decided))
      return look_into_the_past(std::move(work), wanted, is_past);
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
    auto told = context_->encoder.exchanged(change->next, who->entity);
    auto record = record_of(*work, "exchange", 0, {}, now);
    conclude_with(std::move(work), std::move(record), std::move(told), shared(std::move(change->next)), now);
  }

  /// The grant is not the newest: a new one may have replaced it since somebody looked.
  void look_into_the_past(job work, const revoke_request& wanted, bool is_past) {
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

  static constexpr std::chrono::seconds pause_between_looks{1};

  std::shared_ptr<const grant_context> context_;
  commit_doubt::time_point look_at_{};  ///< when the row must be read, if ever
  commit_doubt::time_point next_look_{};  ///< when this actor has last told itself to read it
  std::size_t awaiting_ = 0;  ///< answers that wait until every node has published
};

}  // namespace

entity_spawner grant_spawner(std::shared_ptr<const grant_context> context) {
  return spawner_of([context = std::move(context)] { return std::make_unique<grant_entity>(context); });
}

}  // namespace gateway::actors
