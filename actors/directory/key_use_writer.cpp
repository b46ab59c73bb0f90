#include "key_use_writer.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "gateway/directory/key_uses.hpp"

namespace gateway::actors {

namespace {

/// With the commit's timeout, a use is stored within a minute.
constexpr std::chrono::seconds between_writes{30};
constexpr std::chrono::seconds commit_timeout{30};
constexpr std::size_t most_of_unit = 200;

class key_use_writer_state {
 public:
  static inline const char* name = "key_use_writer";

  void start(key_use_writer::pointer self, store_writer recorder, directory& published, clock_watch& watch) {
    self_ = self;
    recorder_ = std::move(recorder);
    published_ = &published;
    watch_ = &watch;
    schedule();
  }

  void wake() {
    schedule();
    if (!busy_) write();
  }

  caf::result<bool> drain() {
    drain_ = self_->make_response_promise<bool>();
    auto promise = *drain_;
    if (!busy_) write();
    return promise;
  }

 private:
  void schedule() { self_->delayed_send(self_, between_writes, wake_atom::value); }

  void write() {
    const auto now = watch_->trusted_now(self_->clock().now());
    if (!now) return finish();
    today_ = number_of_day(*now);
    waiting_ = published_->uses().take();
    busy_ = true;
    write_next();
  }

  void write_next() {
    if (waiting_.empty()) return finish();
    unit_of_work unit;
    unit.kind = unit_kind::record;
    const auto count = std::min(most_of_unit, waiting_.size());
    for (std::size_t i = waiting_.size() - count; i < waiting_.size(); ++i) unit.claims.push_back(row_of(waiting_[i]));
    self_->request(recorder_, commit_timeout, std::move(unit))
        .then(
            [this, count](commit_outcome outcome) {
              if (outcome != commit_outcome::committed) return give_back();
              waiting_.resize(waiting_.size() - count);
              write_next();
            },
            [this](const caf::error&) { give_back(); });
  }

  /// A day later than today, from a clock that was ahead, is stored as today.
  claimed_row row_of(const key_use& use) const {
    const std::chrono::sys_days day{std::chrono::days{std::min(use.day, today_)}};
    if (use.of_platform) return note_platform_key_use{use.id, platform_id{use.owner}, day};
    return note_api_key_use{use.id, merchant_id{use.owner}, day};
  }

  /// The commit failed or got no answer, so the uses are written with the next ones. Storing a use twice is harmless.
  void give_back() {
    for (auto& use : waiting_) published_->uses().add(std::move(use));
    waiting_.clear();
    finish();
  }

  void finish() {
    busy_ = false;
    if (drain_) std::exchange(drain_, std::nullopt)->deliver(true);
  }

  key_use_writer::pointer self_ = nullptr;
  store_writer recorder_;
  directory* published_ = nullptr;
  clock_watch* watch_ = nullptr;
  std::vector<key_use> waiting_;
  std::int32_t today_ = 0;
  bool busy_ = false;
  std::optional<caf::typed_response_promise<bool>> drain_;
};

key_use_writer::behavior_type key_use_writer_behavior(key_use_writer::stateful_pointer<key_use_writer_state> self,
                                                      store_writer recorder, directory* published, clock_watch* watch) {
  self->state.start(self, std::move(recorder), *published, *watch);
  return {[self](wake_atom) { self->state.wake(); }, [self](drain_atom) { return self->state.drain(); }};
}

}  // namespace

key_use_writer spawn_key_use_writer(caf::actor_system& system, store_writer recorder, directory& published,
                                    clock_watch& watch) {
  return system.spawn(key_use_writer_behavior, std::move(recorder), &published, &watch);
}

}  // namespace gateway::actors
