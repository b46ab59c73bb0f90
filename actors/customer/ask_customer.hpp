// How other entities read the stored customer from a customer's actor, and report changes at a provider to that actor.
#pragma once

#include <optional>

#include "entity/asks/entity_asks.hpp"

namespace gateway::actors {

struct customer_seen {
  std::optional<problem> failed;
  customer_ptr known;  ///< null: no such customer
};

using on_customer = continuation<const customer_seen&>;

void read_customer(entity_actor::pointer self, const router_actor& router, entity_key customer, asked_for what_for,
                   on_customer then);
void report_to_customer(entity_actor::pointer self, const router_actor& router, entity_key customer,
                        customer_command report, asked_for what_for, on_customer then);

}  // namespace gateway::actors
