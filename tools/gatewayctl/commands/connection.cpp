#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

void add_connection_commands(const command_group& program) {
  const auto connection = program.group("connection", "A merchant's accounts at providers");
  const auto set = connection.call("set", "Set a merchant's connection to a provider", "/operator/connections");
  add_merchant_and_mode(set);
  add_provider(set);
  set.text("--status", "status", "Only a connected one takes payments")
      .one_of("not_connected,in_progress,connected,unavailable")
      .type_name("STATUS");
  set.optional_text("--account", "account", "The merchant's account at the provider").type_name("ACCOUNT");

  const auto list = connection.call("list", "List a merchant's connections", "/operator/connections/list");
  add_merchant(list);
}

}  // namespace gateway::ctl
