// How another entity asks a customer: for what is known of it, or to record what a provider has told.
#pragma once

#include <optional>

#include "entity/asks/entity_asks.hpp"

namespace gateway::actors {

struct customer_seen {
  std::optional<problem> failed;
  customer_ptr known;  ///< null: there is none
};

using on_customer = continuation<const customer_seen&>;

void look_at_customer(entity_actor::pointer self, const router_actor& router, entity_key customer, asked_for what_for,
                      on_customer then);
void tell_customer(entity_actor::pointer self, const router_actor& router, entity_key customer, record_customer news,
                   asked_for what_for, on_customer then);

}  // namespace gateway::actors
