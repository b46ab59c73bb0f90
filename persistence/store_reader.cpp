#include "persistence/store_reader.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <optional>

#include "gateway/base/log.hpp"
#include "persistence/queries.hpp"
#include "persistence/rows.hpp"

namespace gateway::persistence {

namespace {

/// The reader's own message: wake_atom ends the pause before the next attempt to reconnect.
using reader_actor = store_reader::extend<caf::reacts_to<wake_atom>>;

struct reader_state {
  static inline const char* name = "store_reader";
  std::optional<database_session> link;
  bool wake_scheduled = false;
};

using reader_pointer = reader_actor::stateful_pointer<reader_state>;

void wake_while_away(reader_pointer self) {
  auto& state = self->state;
  if (!state.link->away() || state.wake_scheduled) return;
  state.wake_scheduled = true;
  self->delayed_send(self, state.link->pause(), wake_atom{});
}

template <class Answer, class Question>
caf::result<Answer> answer(reader_pointer self, const Question& question) {
  Answer found;
  bool known = false;
  try {
    known = self->state.link->run([&](db_connection& db) { found = run(db, question); });
  } catch (const corrupt_row& error) {
    log::error("store.corrupt_row", {{"why", error.what()}});
  }
  wake_while_away(self);
  if (!known) return make_error(actor_errc::store_unavailable);
  return found;
}

reader_actor::behavior_type behave(reader_pointer self, const store_location& where,
                                   const std::shared_ptr<store_health>& health) {
  self->state.link.emplace(where, access::read, health);
  return {
      [self](const find_entity& q) { return answer<entity_lookup>(self, q); },
      [self](const find_command& q) { return answer<command_lookup>(self, q); },
      [self](const find_timeline& q) { return answer<timeline_lookup>(self, q); },
      [self](const find_due& q) { return answer<due_lookup>(self, q); },
      [self](const find_directory& q) { return answer<directory_lookup>(self, q); },
      [self](const find_directory_news& q) { return answer<directory_news>(self, q); },
      [self](const find_due_deliveries& q) { return answer<due_deliveries_lookup>(self, q); },
      [self](const find_backlog& q) { return answer<backlog_lookup>(self, q); },
      [self](const find_deliveries& q) { return answer<deliveries_lookup>(self, q); },
      [self](const find_events& q) { return answer<events_lookup>(self, q); },
      [self](const find_grant& q) { return answer<grant_lookup>(self, q); },
      [self](const find_grants& q) { return answer<grants_lookup>(self, q); },
      [self](const find_customers& q) { return answer<customers_lookup>(self, q); },
      [self](const find_subscription_keys& q) { return answer<subscription_keys_lookup>(self, q); },
      [self](const find_subscriptions& q) { return answer<subscriptions_lookup>(self, q); },
      [self](const find_user& q) { return answer<user_lookup>(self, q); },
      [self](const find_session& q) { return answer<session_lookup>(self, q); },
      [self](const find_destinations& q) { return answer<destinations_lookup>(self, q); },
      [self](const find_payments& q) { return answer<payments_lookup>(self, q); },
      [self](const find_payments_by_ref& q) { return answer<payments_lookup>(self, q); },
      [self](const find_daily_totals& q) { return answer<daily_totals_lookup>(self, q); },
      [self](const find_ledger_sums& q) { return answer<ledger_sums_lookup>(self, q); },
      [self](const find_ledger& q) { return answer<ledger_lookup>(self, q); },
      [self](const find_sessions& q) { return answer<sessions_lookup>(self, q); },
      [self](const find_audit& q) { return answer<audit_lookup>(self, q); },
      [self](const find_notifications& q) { return answer<notifications_lookup>(self, q); },
      [self](const find_payment_key& q) { return answer<payment_key_lookup>(self, q); },
      [self](const find_spent_token& q) { return answer<spent_token_lookup>(self, q); },
      [self](wake_atom) {
        self->state.wake_scheduled = false;
        self->state.link->try_to_reconnect();
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
