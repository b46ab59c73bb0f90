#include "commands.hpp"

namespace gateway::ctl {

void add_search_command(const command_group& program) {
  const auto search = program.call(
      "search", "Find merchants, people, keys, payments, requests, events … by an id, a name or an address",
      "/operator/search");
  search
      .text("text", "text",
            "A whole id or provider's reference, or a part of a name or of an e-mail address, in any case")
      .type_name("TEXT");
}

}  // namespace gateway::ctl
