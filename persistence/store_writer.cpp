#include "persistence/store_writer.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <pthread.h>

#include <array>
#include <deque>
#include <optional>

#include "gateway/base/scheduling.hpp"
#include "persistence/row_kinds.hpp"
#include "persistence/unit_batch.hpp"

namespace gateway::persistence {

namespace {

/// Knocks at the database while it is away.
using writer_actor = store_writer::extend<caf::reacts_to<wake_atom>, caf::reacts_to<caf::tick_atom>>;
using promise = caf::typed_response_promise<commit_outcome>;

/// Group commit without waiting. A unit joins its queue, and a message to this actor follows, if none is under way. The
/// message comes after all that is in the mailbox already, so whatever came meanwhile has joined when it arrives.
///
/// Batches of finishes and batches of begins alternate: what a batch begins comes back to be finished while the next
/// one is under way, and is in the one after that (docs/decisions/0014-begins-and-finishes-take-turns.md). No client
/// waits for a record of a webhook's attempt. While begins or finishes wait, each batch keeps a quarter of its room for
/// records and no more, so that neither holds up the other. Records alone do not cause a commit each: there is a pause
/// between two batches of them, unless a whole batch has gathered.
class writer {
 public:
  writer(const store_location& where, std::shared_ptr<store_health> health, metrics& counts, writer_limits limits)
      : session_(where, access::write, std::move(health)), counts_(counts), limits_(limits) {
    for (std::size_t i = 0; i < outcomes_.size(); ++i)
      outcomes_[i] = &counts.units(to_string(static_cast<commit_outcome>(i)));
  }

  enum class queue : unsigned char { finishing, beginning, recording };

  static queue queue_of(unit_kind kind) noexcept {
    switch (kind) {
      case unit_kind::finish: return queue::finishing;
      case unit_kind::record: return queue::recording;
      case unit_kind::begin:
      case unit_kind::conclude:
      case unit_kind::change: break;
    }
    return queue::beginning;
  }

  /// What finishes an operation is never rejected: the provider's answer would be lost with it. There are no more of
  /// these than operations under way.
  bool is_full(queue which) const noexcept {
    if (which == queue::recording) return recording_.size() >= limits_.recordings;
    return which == queue::beginning && finishing_.size() + beginning_.size() >= limits_.queue;
  }
  void count_rejected() { outcomes_[static_cast<std::size_t>(commit_outcome::rejected)]->Increment(); }
  bool idle() const noexcept { return finishing_.empty() && beginning_.empty() && recording_.empty(); }
  /// Until the next batch should go: nothing if now.
  std::chrono::steady_clock::duration pause() const noexcept {
    if (!finishing_.empty() || !beginning_.empty() || recording_.size() >= limits_.batch_units) return {};
    return std::max(recorded_at_ + limits_.recording_pause - std::chrono::steady_clock::now(),
                    std::chrono::steady_clock::duration::zero());
  }
  database_session& link() noexcept { return session_; }

  void enqueue(promise answer, unit_of_work&& unit, queue which) {
    const auto bytes = estimated_bytes(unit);
    auto& entries = which == queue::finishing ? finishing_ : which == queue::beginning ? beginning_ : recording_;
    entries.push_back({std::move(answer), std::move(unit), bytes});
  }

  /// Commits the next batch and answers it.
  void commit_batch() {
    take_batch();
    if (units_.empty()) return;
    counts_.batch_units.Observe(static_cast<double>(units_.size()));
    std::vector<commit_outcome> outcomes;
    const auto started = std::chrono::steady_clock::now();
    if (records_) recorded_at_ = started;
    const bool known = session_.run([&](db_connection& db) { outcomes = commit_units(db, units_); });
    if (known) {
      counts_.commits.Increment();
      counts_.commit_seconds.Observe(std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
    } else {
      counts_.commit_failures.Increment();
      outcomes.assign(units_.size(), commit_outcome::unavailable);
    }
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      outcomes_[static_cast<std::size_t>(outcomes[i])]->Increment();
      promises_[i].deliver(outcomes[i]);
    }
    session_.tend();
  }

 private:
  struct entry {
    promise answer;
    unit_of_work unit;
    std::size_t bytes;
  };

  void take_batch() {
    units_.clear();
    promises_.clear();
    records_ = !recording_.empty();
    if (finishing_.empty() && beginning_.empty()) {
      record_quarters_ = 0;
      take(recording_, limits_.batch_units, limits_.batch_bytes);
      return;
    }
    // Counted in quarters of a unit, so that records get a quarter of the room also where batches are smaller than
    // four.
    record_quarters_ = recording_.empty() ? 0 : std::min(record_quarters_, std::size_t{3}) + limits_.batch_units;
    const auto kept = std::min(recording_.size(), record_quarters_ / 4);
    finishes_ = !finishing_.empty() && (!finishes_ || beginning_.empty());
    take(finishes_ ? finishing_ : beginning_, limits_.batch_units - kept, limits_.batch_bytes);
    take(recording_, kept, limits_.batch_bytes / 4);
    record_quarters_ -= 4 * kept;
  }

  /// Moves at most so many units to the batch, and none once it has so many bytes of them.
  void take(std::deque<entry>& from, std::size_t most, std::size_t most_bytes) {
    std::size_t bytes = 0;
    for (; !from.empty() && most > 0 && bytes < most_bytes; --most) {
      auto& next = from.front();
      bytes += next.bytes;
      units_.push_back(std::move(next.unit));
      promises_.push_back(std::move(next.answer));
      from.pop_front();
    }
  }

  database_session session_;
  metrics& counts_;
  writer_limits limits_;
  std::deque<entry> finishing_;
  std::deque<entry> beginning_;
  std::deque<entry> recording_;
  bool finishes_ = false;  // the last batch of begins or finishes was one of finishes
  std::size_t record_quarters_ = 0;  // of a unit: the room that records may take of batches
  std::chrono::steady_clock::time_point recorded_at_{};  // a batch with recordings began
  bool records_ = false;  // the batch at hand has some
  std::vector<unit_of_work> units_;  // of the batch at hand
  std::vector<promise> promises_;
  std::array<prometheus::Counter*, commit_outcome_count> outcomes_{};
};

struct writer_state {
  static inline const char* name = "store_writer";
  std::optional<writer> work;
  bool commit_on_its_way = false;
  bool pause_on_its_way = false;
  bool wake_on_its_way = false;
};

writer_actor::behavior_type behave(writer_actor::stateful_pointer<writer_state> self, const store_location& where,
                                   const std::shared_ptr<store_health>& health, metrics* counts, writer_limits limits) {
  pthread_setname_np(pthread_self(), limits.awaited ? "store-writer" : "store-recorder");
  if (limits.awaited) go_first();
  auto& state = self->state;
  state.work.emplace(where, health, *counts, limits);
  const auto wake_while_away = [self, &state] {
    if (!state.work->link().away() || state.wake_on_its_way) return;
    state.wake_on_its_way = true;
    self->delayed_send(self, state.work->link().pause(), wake_atom{});
  };
  const auto go_on = [self, &state] {
    if (state.commit_on_its_way || state.work->idle()) return;
    if (const auto pause = state.work->pause(); pause <= pause.zero()) {
      state.commit_on_its_way = true;
      self->send(self, work_atom{});
    } else if (!state.pause_on_its_way) {
      state.pause_on_its_way = true;
      self->delayed_send(self, pause, caf::tick_atom{});
    }
  };
  self->set_exit_handler([self, &state](caf::exit_msg& message) {
    while (!state.work->idle()) state.work->commit_batch();
    self->quit(std::move(message.reason));
  });
  return {
      [self, &state, go_on](unit_of_work& unit) -> caf::result<commit_outcome> {
        const auto queue = writer::queue_of(unit.kind);
        if (state.work->is_full(queue)) {
          state.work->count_rejected();
          return commit_outcome::rejected;
        }
        auto answer = self->make_response_promise<commit_outcome>();
        state.work->enqueue(answer, std::move(unit), queue);
        go_on();
        return answer;
      },
      [&state, go_on, wake_while_away](work_atom) {
        state.commit_on_its_way = false;
        state.work->commit_batch();
        go_on();
        wake_while_away();
      },
      [&state, wake_while_away](wake_atom) {
        state.wake_on_its_way = false;
        state.work->link().try_to_return();
        wake_while_away();
      },
      [&state, go_on](caf::tick_atom) {
        state.pause_on_its_way = false;
        go_on();
      },
  };
}

}  // namespace

store_writer spawn_store_writer(caf::actor_system& system, const store_location& where,
                                std::shared_ptr<store_health> health, metrics& counts, writer_limits limits) {
  return system.spawn<caf::detached>(behave, where, std::move(health), &counts, limits);
}

}  // namespace gateway::persistence
