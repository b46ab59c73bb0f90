#include "commands.hpp"

namespace gateway::ctl {

void add_key_commands(const command_group& program) {
  const auto key = program.group("key", "API keys of merchants and platforms");
  const auto revoke = key.call("revoke", "Revoke a key: from the answer on it signs nothing", "/operator/keys/revoke");
  revoke.text("key", "key_id", "mk_test_…, mk_live_… or mk_platform_…").type_name("KEY");
}

}  // namespace gateway::ctl
