#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

void add_route_commands(const command_group& program) {
  const auto route = program.group("route", "Which provider takes a merchant's payments");
  const auto set = route.call("set", "Set which payments a provider takes", "/operator/routes");
  add_merchant_and_mode(set);
  add_provider(set);
  set.list("--currencies", "currencies", "ISO 4217 codes, comma-separated").type_name("A,B");
  set.list("--methods", "methods", "card, recurring_card (of subscriptions), pkr_wallet, or several with commas")
      .type_name("A,B");

  const auto list =
      route.call("list", "List a merchant's routes, in the order in which they are tried", "/operator/routes/list");
  add_merchant(list);
}

}  // namespace gateway::ctl
