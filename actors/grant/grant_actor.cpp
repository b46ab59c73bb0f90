// One binding of a platform, a merchant and an environment: consent, codes, their exchange and revokes, in order. What
// it shares with other entities stands in entity/entity_queue.hpp.
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

#include <caf/send.hpp>

#include "entity/entity_queue.hpp"
#include "entity/spawn_entity.hpp"
#include "gateway/ask_store.hpp"
#include "gateway/domain/grant_machine.hpp"

namespace gateway::actors {

namespace {

class grant_entity : public entity_queue<grant_entity, grant_binding> {
  using queue = entity_queue<grant_entity, grant_binding>;
  friend queue;

 public:
  static inline const char* name = "grant";

  void start(entity_actor::pointer self, std::shared_ptr<const grant_context> context, router_actor router,
             const entity_key& key) {
    context_ = std::move(context);
    queue::start(self, *context_, std::move(router), key);
  }

 private:
  // ---- what the queue asks of every entity --------------------------------------------------------

  using commands = grant_command;
  static constexpr auto not_found = problem::grant_not_found;
  /// Told of a command with an idempotency key that inserts the row. Only consent does, and that has none.
  static constexpr auto already_exists = problem::request_in_progress;
  static constexpr bool calls_providers = false;
  static constexpr bool has_timeline = false;
  /// The answer may be that of a commit which nobody here has seen succeed, and so nobody has published.
  static constexpr bool reads_before_replay = true;
  /// Requests of platforms are judged by every node's snapshot.
  static constexpr bool is_published = true;

  static bool inserts(const entity_command&) { return false; }

  void known(const row_ptr& row) {
    if (row && row->newest)
      context_->published.publish(grant_news{{platform_id{key().id}, key().merchant},
                                             key().env,
                                             {state_of(row->newest), row->newest->scopes, row->version}});
    // What this actor has committed itself ends its doubt, too: whatever was on its way has lost its claim. A row that
    // was read before the end of the doubt does not.
    if (!in_doubt() || read_begun_at() >= look_at_) look_at_ = {};
    keep_looking();
  }

  /// What is answered is in force on every node: also the answer to a repeated request, whose first one may have been
  /// committed by a node that did not live to see it published.
  void answer_to(job& work, entity_reply&& reply) {
    if (!context_->nodes.clustered()) return queue::answer_to(work, std::move(reply));
    ++awaiting_;
    self()
        ->request(context_->keeper, caf::infinite, await_published{})
        .then(
            [this, promise = work.promise, told = std::make_shared<entity_reply>(std::move(reply))](bool) mutable {
              --awaiting_;
              promise.deliver(std::move(*told));
            },
            [this, promise = work.promise](const caf::error&) mutable {
              --awaiting_;
              promise.deliver(entity_reply{problem::store_unavailable});
            });
  }

  void left_in_doubt(commit_doubt::time_point until) {
    look_at_ = until;
    keep_looking();
  }
  void read_failed() { keep_looking(); }
  /// The look that was due may have been answered from memory while another request ran.
  void operation_over() { keep_looking(); }
  /// An actor that is stopped would answer nobody any more.
  bool must_stay() const noexcept { return must_look() || awaiting_ > 0; }
  bool must_look() const noexcept { return look_at_ > commit_doubt::time_point{}; }

  /// Sees to it that this actor reads its row when its doubt is over, and until it succeeds.
  void keep_looking() {
    const auto now = self()->clock().now();
    if (!must_look() || next_look_ > now) return;
    next_look_ = std::max(look_at_, now + pause_between_looks);
    caf::delayed_anon_send(entity_actor{self()}, next_look_ - now,
                           entity_request{key(), std::nullopt, common_command{view_entity{}}});
  }

  // ---- commands -----------------------------------------------------------------------------------

  using queue::run;
  void run(job work, std::type_identity<view_timeline>) { fail(work, not_found); }
  void run(job work, std::type_identity<settle_due>) { view(std::move(work)); }

  void run(job work, std::type_identity<give_consent>) {
    // Whoever was told of a suspension must see no consent that came after it.
    const auto asking = context_->merchants.find_platform(platform_id{key().id});
    if (!asking || asking->status == platform_status::suspended) return fail(work, problem::platform_suspended);
    auto decided = decide(binding(), *command_if<give_consent>(work.request.what), context_->clock.now());
    if (auto* change = std::get_if<grant_change>(&decided)) return commit_without_key(std::move(work), *change);
    fail(work, problem::grant_not_covering);
  }

  void run(job work, std::type_identity<exchange_code>) {
    // A test grant is of use only where the merchant can be charged. That comes first: if it fails, nothing is spent.
    const bool buys = std::holds_alternative<grant_change>(decide_exchange(work));
    if (!buys || key().env == environment::live) return exchange(std::move(work));
    operator_command wanted{make_chargeable{key().merchant, key().env, std::nullopt}};
    self()
        ->request(context_->operators, caf::infinite, std::move(wanted))
        .then(
            [this, work](const operator_result& made) mutable {
              if (std::holds_alternative<operator_problem>(made)) return fail(work, problem::store_unavailable);
              exchange(std::move(work));
            },
            [this, work](const caf::error&) mutable { fail(work, problem::store_unavailable); });
  }

  void run(job work, std::type_identity<revoke_request>) {
    const auto& wanted = *command_if<revoke_request>(work.request.what);
    const auto now = context_->clock.now();
    auto decided = decide(binding(), wanted.what, wanted.is_past, now);
    // A row that is not there has no past grants either.
    if (!row() || std::holds_alternative<grant_refusal>(decided)) return look_into_the_past(std::move(work));
    auto* change = std::get_if<grant_change>(&decided);
    if (!work.request.write) {
      if (change) return commit_without_key(std::move(work), *change);
      return view(std::move(work));
    }
    auto record = record_of(work, "revoke_grant", 0, wanted.what.reason, now);
    if (change)
      conclude_with(std::move(work), std::move(record), context_->encoder.revoked(), std::move(change->next), now);
    else
      conclude_at_once(std::move(work), std::move(record), context_->encoder.revoked(), *row(), now);
  }

  // ---- steps --------------------------------------------------------------------------------------

  grant_binding binding() const { return row() ? *row() : grant_binding{key(), 0, std::nullopt, {}}; }

  grant_decision decide_exchange(const job& work) const {
    return decide(binding(), *command_if<exchange_code>(work.request.what), context_->clock.now());
  }

  void exchange(job work) {
    const auto now = context_->clock.now();
    auto decided = decide_exchange(work);
    auto* change = std::get_if<grant_change>(&decided);
    const auto who = context_->merchants.find_merchant(key().merchant);
    if (!change || !who) return fail_unless_key_is_known(std::move(work), problem::invalid_grant);
    auto told = context_->encoder.exchanged(change->next, who->entity);
    auto record = record_of(work, "exchange", 0, {}, now);
    conclude_with(std::move(work), std::move(record), std::move(told), std::move(change->next), now);
  }

  /// The grant is not the newest: a new one may have replaced it since somebody looked.
  void look_into_the_past(job work) {
    auto& wanted = std::get<revoke_request>(std::get<grant_command>(work.request.what));
    if (!row() || wanted.is_past) return fail_revoke(std::move(work));
    ask_store(self(), context_->store.reader_for(key()), caf::infinite, find_grant{wanted.what.id})
        .then(
            [this, work](const grant_lookup& found) mutable {
              if (!found.past || found.binding != key()) return fail_revoke(std::move(work));
              std::get<revoke_request>(std::get<grant_command>(work.request.what)).is_past = true;
              run(std::move(work), std::type_identity<revoke_request>{});
            },
            [this, work](const caf::error&) mutable { fail(work, problem::store_unavailable); });
  }

  void fail_revoke(job work) {
    if (!work.request.write) return fail(work, problem::grant_not_found);
    fail_unless_key_is_known(std::move(work), problem::grant_not_found);
  }

  /// Answers with the binding.
  void commit_without_key(job work, grant_change& change) {
    std::vector<inserted_row> beside;
    if (change.past) beside.push_back(past_grant{key(), *std::move(change.past)});
    queue::commit_without_key(std::move(work), std::move(change.next), std::move(beside));
  }

  static constexpr std::chrono::seconds pause_between_looks{1};

  std::shared_ptr<const grant_context> context_;
  commit_doubt::time_point look_at_{};  ///< when the row must be read, if ever
  commit_doubt::time_point next_look_{};  ///< when this actor has last told itself to read it
  std::size_t awaiting_ = 0;  ///< answers that wait until every node has published
};

}  // namespace

entity_spawner grant_spawner(std::shared_ptr<const grant_context> context) {
  return [context = std::move(context)](caf::actor_system& system, const router_actor& router, const entity_key& key,
                                        std::uint64_t activation) {
    return spawn_entity<grant_entity>(system, context, router, key, activation);
  };
}

}  // namespace gateway::actors
