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
                        customer_command report, asked_for what_for, on_customer then) {
  auto answered = [then = std::move(then)](const entity_reply* reply) { then(seen_in(reply)); };
  if (auto* gone = std::get_if<forget_at_provider>(&report))
    ask_entity(self, router, std::move(customer), std::move(*gone), std::move(what_for), std::move(answered));
  else
    ask_entity(self, router, std::move(customer), std::get<record_customer>(std::move(report)), std::move(what_for),
               std::move(answered));
}

}  // namespace gateway::actors
