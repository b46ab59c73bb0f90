// What entities ask of the store. A null answer means that the store did not answer.
#pragma once

#include <string>

#include "continuation.hpp"
#include "entity/entity_spans.hpp"
#include "entity_unit.hpp"
#include "gateway/messages/actors.hpp"

namespace gateway::actors {

void find_row(entity_actor::pointer self, const store_reader& reader, const entity_key& key,
              continuation<entity_lookup*> then);
void find_record(entity_actor::pointer self, const store_reader& reader, const command_key& key,
                 continuation<command_lookup*> then);
void find_entries(entity_actor::pointer self, const store_reader& reader, const entity_key& key,
                  continuation<timeline_lookup*> then);
/// Commits a unit. `spans` must outlive the answer, and records how long the commit took.
void commit_unit(entity_actor::pointer self, const store_writer& writer, entity_unit&& unit, entity_spans& spans,
                 continuation<commit_outcome> then);

void find_past(entity_actor::pointer self, const store_reader& reader, const grant_id& id,
               continuation<const grant_lookup*> then);
/// Finds the payment that has this reference at the provider.
void find_payment_of(entity_actor::pointer self, const store_reader& reader, environment env, provider_kind provider,
                     const std::string& provider_ref, continuation<const payment_key_lookup*> then);
/// Finds whether that payment was purged.
void find_purged(entity_actor::pointer self, const store_reader& reader, const entity_key& payment,
                 continuation<const purged_payment_lookup*> then);
/// Finds the subscriptions to which the provider has given this id.
void find_subscription_of(entity_actor::pointer self, const store_reader& reader, const std::string& provider_id,
                          continuation<const subscription_keys_lookup*> then);
/// Finds the customers whose first id at a provider (customer::provider_id) is this one.
void find_customer_of(entity_actor::pointer self, const store_reader& reader, const std::string& provider_id,
                      continuation<const customer_keys_lookup*> then);
/// Finds the connections that have this account.
void find_connections(entity_actor::pointer self, const store_reader& reader, const named_account& account,
                      continuation<const directory_lookup*> then);

}  // namespace gateway::actors
