#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

void add_user_commands(const command_group& program) {
  const auto user = program.group("user", "People, whichever merchants they act for");
  const auto list = user.call("list", "List the people of a merchant, with their roles", "/operator/users/list");
  add_merchant(list);

  const auto reset = user.call("reset-second-factor", "Turn the second factor off for a user who has lost it",
                               "/operator/users/reset-second-factor");
  add_user_address(reset);
}

}  // namespace gateway::ctl
