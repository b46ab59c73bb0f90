#include "persistence/session/store_reader.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <optional>

#include "gateway/base/log.hpp"
#include "persistence/connection/rows.hpp"
#include "persistence/tables/queries.hpp"

namespace gateway::persistence {

namespace {

/// The reader's own message: wake_atom ends the pause before the next attempt to reconnect.
using reader_actor = store_reader::extend<caf::reacts_to<wake_atom>>;

struct reader_state {
  static inline const char* name = "store_reader";
  std::optional<database_session> link;
  std::shared_ptr<event_log> events;
  bool wake_scheduled = false;
};

using reader_pointer = reader_actor::stateful_pointer<reader_state>;

void wake_while_away(reader_pointer self) {
  auto& state = self->state;
  if (!state.link->away() || state.wake_scheduled) return;
  state.wake_scheduled = true;
  self->delayed_send(self, state.link->pause(), wake_atom{});
}

/// After a read of the log of events: finds the position up to which the log must be complete for the answer to contain
/// everything committed before the question. Wakes the writers if the log is not yet complete up to there.
void complete_log(event_log&, const auto&, auto&) {}
void complete_log(event_log& log, const find_logged_events& what, logged_events_lookup& found) {
  found.complete_to = what.complete_to != 0 ? what.complete_to : std::max(found.furthest, log.clock().behind());
  if (found.complete < found.complete_to) log.want(found.complete_to);
}
void complete_log(event_log& log, const find_event_news&, event_news_lookup& found) {
  const auto furthest = std::max(found.furthest, log.clock().behind());
  if (found.complete < furthest) log.want(furthest);
}

caf::result<store_answer> answer(reader_pointer self, const store_question& question) {
  store_answer found;
  bool known = false;
  try {
    known = self->state.link->run([&](db_connection& db) {
      found = std::visit(
          [&](const auto& what) -> store_answer {
            auto made = run(db, what);
            if (self->state.events) complete_log(*self->state.events, what, made);
            return made;
          },
          question);
    });
  } catch (const corrupt_row& error) {
    log::error("store.corrupt_row", {{"why", error.what()}});
  }
  wake_while_away(self);
  if (!known) return make_error(actor_errc::store_unavailable);
  return found;
}

reader_actor::behavior_type behave(reader_pointer self, const store_location& where,
                                   const std::shared_ptr<store_health>& health,
                                   const std::shared_ptr<event_log>& events) {
  self->state.link.emplace(where, access::read, health);
  self->state.events = events;
  return {
      [self](const store_question& question) { return answer(self, question); },
      [self](wake_atom) {
        self->state.wake_scheduled = false;
        self->state.link->try_to_reconnect();
        wake_while_away(self);
      },
  };
}

}  // namespace

store_reader spawn_store_reader(caf::actor_system& system, const store_location& where,
                                std::shared_ptr<store_health> health, std::shared_ptr<event_log> events) {
  return system.spawn<caf::detached>(behave, where, std::move(health), std::move(events));
}

}  // namespace gateway::persistence
