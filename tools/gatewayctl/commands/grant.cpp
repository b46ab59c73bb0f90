#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

void add_grant_commands(const command_group& program) {
  const auto grant = program.group("grant", "Grants that merchants gave to platforms");

  const auto list = grant.call("list", "List grants, newest first", "/operator/grants/list");
  list.optional_text("--merchant", "merchant_id", "Only those that this merchant gave").type_name("MERCHANT");
  list.optional_text("--platform", "platform_id", "Only those that this platform has or had").type_name("PLATFORM");
  add_list_limit(list);

  const auto revoke =
      grant.call("revoke", "End a grant: from the answer on the platform cannot act by it", "/operator/grants/revoke");
  revoke.text("grant", "grant_id", "grant_…").type_name("GRANT");
  revoke.optional_text("--reason", "reason", "Kept with the grant [operator_requested]").type_name("TEXT");
}

}  // namespace gateway::ctl
