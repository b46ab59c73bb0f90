#include "persistence/store_reader.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <optional>

#include "gateway/base/log.hpp"
#include "persistence/queries.hpp"
#include "persistence/rows.hpp"

namespace gateway::persistence {

namespace {

/// Knocks at the database while it is away.
using reader_actor = store_reader::extend<caf::reacts_to<wake_atom>>;

struct sessions {
  sessions(const store_location& where, const std::shared_ptr<store_health>& health)
      : reads(where, access::read, health), writes(where, access::write, health) {}

  database_session reads;
  database_session writes;
};

struct reader_state {
  static inline const char* name = "store_reader";
  std::optional<sessions> links;
  bool wake_on_its_way = false;
};

using reader_pointer = reader_actor::stateful_pointer<reader_state>;

void wake_while_away(reader_pointer self) {
  auto& state = self->state;
  auto& [reads, writes] = *state.links;
  if ((!reads.away() && !writes.away()) || state.wake_on_its_way) return;
  state.wake_on_its_way = true;
  self->delayed_send(self, reads.away() ? reads.pause() : writes.pause(), wake_atom{});
}

template <class Answer, class Question>
caf::result<Answer> answer(reader_pointer self, database_session& link, const Question& question) {
  Answer found;
  bool known = false;
  try {
    known = link.run([&](db_connection& db) { found = run(db, question); });
  } catch (const corrupt_row& error) {
    log::error("store.corrupt_row", {{"why", error.what()}});
  }
  wake_while_away(self);
  if (!known) return make_error(actor_errc::store_unavailable);
  return found;
}

reader_actor::behavior_type behave(reader_pointer self, const store_location& where,
                                   const std::shared_ptr<store_health>& health) {
  self->state.links.emplace(where, health);
  auto& [reads, writes] = *self->state.links;
  return {
      [self, &reads](const find_entity& q) { return answer<entity_lookup>(self, reads, q); },
      [self, &reads](const find_command& q) { return answer<command_lookup>(self, reads, q); },
      [self, &reads](const find_timeline& q) { return answer<timeline_lookup>(self, reads, q); },
      [self, &reads](const find_due& q) { return answer<due_lookup>(self, reads, q); },
      [self, &reads](const find_directory& q) { return answer<directory_lookup>(self, reads, q); },
      [self, &writes](const purge_commands& q) { return answer<purge_result>(self, writes, q); },
      [self, &reads](const find_due_deliveries& q) { return answer<due_deliveries_lookup>(self, reads, q); },
      [self, &reads](const find_backlog& q) { return answer<backlog_lookup>(self, reads, q); },
      [self, &reads](const find_deliveries& q) { return answer<deliveries_lookup>(self, reads, q); },
      [self, &reads](const find_events& q) { return answer<events_lookup>(self, reads, q); },
      [self, &writes](const redeliver_rows& q) { return answer<redeliver_rows_result>(self, writes, q); },
      [self](wake_atom) {
        self->state.wake_on_its_way = false;
        self->state.links->reads.try_to_return();
        self->state.links->writes.try_to_return();
        wake_while_away(self);
      },
  };
}

}  // namespace

store_reader spawn_store_reader(caf::actor_system& system, const store_location& where,
                                std::shared_ptr<store_health> health) {
  return system.spawn<caf::detached>(behave, where, std::move(health));
}

}  // namespace gateway::persistence
