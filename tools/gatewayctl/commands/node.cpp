#include "commands.hpp"

namespace gateway::ctl {

void add_node_commands(const command_group& program) {
  const auto node = program.group("node", "The nodes that share the database");
  node.call("list", "Show them, by their names", "/operator/nodes/list");
  const auto drain = node.call("drain", "End a node in order, as SIGTERM does; other nodes take over its work",
                               "/operator/nodes/drain");
  drain.text("name", "node", "As `node list` shows it").type_name("NAME");
}

}  // namespace gateway::ctl
