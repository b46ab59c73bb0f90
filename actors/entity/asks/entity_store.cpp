#include "entity_store.hpp"

#include <utility>

#include "ask.hpp"

namespace gateway::actors {

void find_row(entity_actor::pointer self, const store_reader& reader, const entity_key& key,
              continuation<entity_lookup*> then) {
  ask(self, reader, find_entity{key}, std::move(then));
}

void find_record(entity_actor::pointer self, const store_reader& reader, const command_key& key,
                 continuation<command_lookup*> then) {
  ask(self, reader, find_command{key}, std::move(then));
}

void find_entries(entity_actor::pointer self, const store_reader& reader, const entity_key& key,
                  continuation<timeline_lookup*> then) {
  ask(self, reader, find_timeline{key}, std::move(then));
}

void commit_unit(entity_actor::pointer self, const store_writer& writer, entity_unit&& unit, entity_spans& spans,
                 continuation<commit_outcome> then) {
  const auto committed = [&spans, then = std::move(then), what = unit.kind(),
                          begun = spans.begin()](commit_outcome outcome) {
    spans.committed(what, begun, outcome);
    then(outcome);
  };
  self->request(writer, caf::infinite, std::move(unit).take())
      .then([committed](commit_outcome outcome) { committed(outcome); },
            [committed](const caf::error&) { committed(commit_outcome::unavailable); });
}

void find_past(entity_actor::pointer self, const store_reader& reader, const grant_id& id,
               continuation<const grant_lookup*> then) {
  ask(self, reader, find_grant{id}, std::move(then));
}

void find_payment_of(entity_actor::pointer self, const store_reader& reader, environment env, provider_kind provider,
                     const std::string& provider_ref, continuation<const payment_key_lookup*> then) {
  ask(self, reader, find_payment_key{env, provider, provider_ref}, std::move(then));
}

void find_purged(entity_actor::pointer self, const store_reader& reader, const entity_key& payment,
                 continuation<const purged_payment_lookup*> then) {
  ask(self, reader, find_purged_payment{payment}, std::move(then));
}

void find_subscription_of(entity_actor::pointer self, const store_reader& reader, const std::string& provider_id,
                          continuation<const subscription_keys_lookup*> then) {
  ask(self, reader, find_subscription_keys{{}, provider_id}, std::move(then));
}

void find_customer_of(entity_actor::pointer self, const store_reader& reader, const std::string& provider_id,
                      continuation<const customer_keys_lookup*> then) {
  ask(self, reader, find_customer_keys{provider_id}, std::move(then));
}

void find_connections(entity_actor::pointer self, const store_reader& reader, const named_account& account,
                      continuation<const directory_lookup*> then) {
  find_directory question;
  question.account = account;
  ask(self, reader, std::move(question), std::move(then));
}

}  // namespace gateway::actors
