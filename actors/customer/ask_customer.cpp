#include "ask_customer.hpp"

#include <utility>
#include <variant>

namespace gateway::actors {

namespace {

customer_seen seen_in(const entity_reply* reply) {
  customer_seen seen;
  if (!reply)
    seen.failed = problem::store_unavailable;
  else if (const auto* found = std::get_if<entity_row>(&reply->what))
    seen.known = std::get<customer_ptr>(*found);
  else if (const auto why = std::get<problem>(reply->what); why != problem::customer_not_found)
    seen.failed = why;
  return seen;
}

}  // namespace

void read_customer(entity_actor::pointer self, const router_actor& router, entity_key customer, asked_for what_for,
                   on_customer then) {
  ask_entity(self, router, std::move(customer), view_entity{}, std::move(what_for),
             [then = std::move(then)](const entity_reply* reply) { then(seen_in(reply)); });
}

void report_to_customer(entity_actor::pointer self, const router_actor& router, entity_key customer,
                        record_customer report, asked_for what_for, on_customer then) {
  ask_entity(self, router, std::move(customer), std::move(report), std::move(what_for),
             [then = std::move(then)](const entity_reply* reply) { then(seen_in(reply)); });
}

}  // namespace gateway::actors
