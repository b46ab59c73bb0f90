#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

void add_key_commands(const command_group& program) {
  const auto key = program.group("key", "API keys of merchants and platforms");
  const auto list = key.call("list", "List keys, revoked ones included, without their secrets", "/operator/keys/list");
  const auto whose = list.group("Whose", "Exactly one", 1, 1);
  whose.optional_text("--merchant", "merchant_id", "merch_…").type_name("MERCHANT");
  whose.optional_text("--platform", "platform_id", "plat_…").type_name("PLATFORM");

  const auto revoke = key.call("revoke", "Revoke a key: from the answer on it signs nothing", "/operator/keys/revoke");
  revoke.text("key", "key_id", "mk_test_…, mk_live_… or mk_platform_…").type_name("KEY");
}

}  // namespace gateway::ctl
