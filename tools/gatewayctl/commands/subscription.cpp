#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

void add_subscription_commands(const command_group& program) {
  const auto subscription = program.group("subscription", "Subscriptions that platforms have sold for a merchant");

  const auto list = subscription.call("list", "List a merchant's subscriptions", "/operator/subscriptions/list");
  list.text("--merchant", "merchant_id", "Whose subscriptions they are").type_name("MERCHANT");
  add_list_limit(list);

  add_subscription(
      subscription.call("show", "Show all that is known of a subscription", "/operator/subscriptions/show"));
}

}  // namespace gateway::ctl
