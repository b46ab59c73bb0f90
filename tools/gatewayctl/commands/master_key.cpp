#include "commands.hpp"

namespace gateway::ctl {

void add_master_key_commands(const command_group& program) {
  const auto key = program.group("master-key", "The keys that seal the secrets in the database");
  key.call("rotate", "Make a new key, which every node uses at once; what older keys seal is resealed meanwhile",
           "/operator/master-keys/rotate");
  key.call("status", "Show the keys, and how many texts each seals", "/operator/master-keys/list");
  const auto retire =
      key.call("retire", "Remove an old key that seals nothing any more", "/operator/master-keys/retire");
  retire.text("id", "id", "As `master-key status` shows it").type_name("ID");
}

}  // namespace gateway::ctl
