// Commits of the directory, and what each outcome means.

#include <chrono>
#include <utility>

#include <caf/typed_event_based_actor.hpp>

#include "change_states.hpp"
#include "changes_of.hpp"
#include "directory_queue.hpp"

namespace gateway::actors {

namespace {

constexpr unsigned most_lost_turns = 20;

/// After this time a commit without an answer can no longer take effect, even if its process died before the answer.
constexpr std::chrono::minutes late_commits_have_landed{1};

}  // namespace

void directory_queue::late_commits_landed() {
  auto names = std::move(late_.front());
  late_.pop_front();
  if (!names) {
    names.emplace();
    for (const auto& id : merchants_.all()) names->push_back(name_of(id));
    for (const auto& provider : provider_catalogue)
      if (!provider.sandbox) names->push_back(name_of(provider.kind));
    names->push_back(name_of_master_keys());
  }
  reread_.insert(reread_.end(), names->begin(), names->end());
  next();
}

void directory_queue::run(plan what, waiting_command work) {
  ++under_way_;
  auto changed = changes_of(what.unit);
  if (work.note) {
    auto note = about_what_is_made(*work.note, what.unit);
    auto states = states_of(what.unit, published_, people_);
    note.before = std::move(states.before);
    note.after = std::move(states.after);
    what.unit.inserts.emplace_back(std::move(note));
  }
  if (keeper_) log_changes(what.unit, changed);
  self_->request(store_.writers.front(), caf::infinite, std::move(what.unit))
      .then(
          [this, what = std::move(what), work, changed](commit_outcome outcome) {
            if (outcome == commit_outcome::unavailable) in_doubt(changed);
            settle(outcome, what, work);
            done();
          },
          [this, promise = work.promise, changed](const caf::error&) mutable {
            in_doubt(changed);
            promise.deliver(make_error(actor_errc::store_unavailable));
            done();
          });
}

/// Units that are sent together commit in the order of sending, each with its own turn. If one fails, the units after
/// it lose their turns.
void directory_queue::log_changes(unit_of_work& unit, const std::vector<directory_change>& changed) {
  unit.inserts.insert(unit.inserts.end(), changed.begin(), changed.end());
  unit.claims.push_back(directory_turn{turn_++});
}

void directory_queue::settle(commit_outcome outcome, const plan& what, waiting_command work) {
  if (keeper_ && outcome != commit_outcome::committed) turn_is_unknown_ = true;
  switch (outcome) {
    case commit_outcome::committed:
      deliver_everywhere(work.promise, what.apply());
      count();
      break;
    case commit_outcome::unavailable: work.promise.deliver(make_error(actor_errc::store_unavailable)); break;
    case commit_outcome::rejected: work.promise.deliver(make_error(actor_errc::overloaded)); break;
    case commit_outcome::lost_claim:
      // The command is planned again after the other node's changes are read. Commands that were sent together keep
      // their order.
      if (keeper_ && work.lost++ < most_lost_turns) {
        work.was_read = false;
        waiting_.insert(waiting_.begin() + static_cast<std::ptrdiff_t>(lost_turns_++), std::move(work));
        break;
      }
      [[fallthrough]];
    case commit_outcome::duplicate_command:
    case commit_outcome::entity_exists:
    case commit_outcome::duplicate_record:
      if (outcome == commit_outcome::duplicate_record && what.another) return run(what.another(), std::move(work));
      work.promise.deliver(operator_result{operator_problem{operator_problem::kind::conflict, what.when_duplicate}});
      break;
  }
}

/// Answers once the change is published on every node.
void directory_queue::deliver_everywhere(result_promise promise, operator_result result) {
  if (!keeper_) {
    promise.deliver(std::move(result));
    return;
  }
  self_->request(keeper_, caf::infinite, await_published{})
      .then([promise, result = std::move(result)](bool) mutable { promise.deliver(std::move(result)); },
            [promise](const caf::error&) mutable { promise.deliver(make_error(actor_errc::store_unavailable)); });
}

/// The change may have been committed, and may even take effect after the next read.
void directory_queue::in_doubt(const std::vector<directory_change>& changed) {
  directory_names names;
  for (const auto& each : changed) {
    // A merchant that is not known is read when it is looked up.
    if (const merchant_id id{each.id}; each.what == directory_change::kind::merchant && merchants_.has(id))
      names.push_back(name_of(id));
    if (each.what == directory_change::kind::platform) names.push_back(name_of(platform_id{each.id}));
    if (each.what == directory_change::kind::provider) names.push_back({directory_name::kind::provider, each.id});
    if (each.what == directory_change::kind::master_key) names.push_back(name_of_master_keys());
  }
  doubtful_.insert(names.begin(), names.end());
  remember_late(std::move(names));
}

/// nullopt: all entries that are known when the time has passed.
void directory_queue::remember_late(std::optional<directory_names> names) {
  late_.push_back(std::move(names));
  self_->delayed_send(self_, late_commits_have_landed, settle_atom::value);
}

void directory_queue::done() {
  if (--under_way_ > 0) return;
  lost_turns_ = 0;
  next();
}

}  // namespace gateway::actors
