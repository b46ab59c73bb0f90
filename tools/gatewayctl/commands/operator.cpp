#include "commands.hpp"

namespace gateway::ctl {

void add_operator_commands(const command_group& program) {
  const auto operators = program.group("operator", "Operators, who sign in to the console by name");
  const auto add =
      operators.call("add", "Add an operator; the answer has the link to set a password and a second factor",
                     "/operator/operators/add");
  add.text("name", "name", "For signing in, and in records").type_name("NAME");
  add.text("--role", "role",
           "admin: everything; support: acts on payments and deliveries; viewer: looks, and changes nothing")
      .one_of("admin,support,viewer")
      .type_name("ROLE");

  operators.call("list", "Show them, with their roles", "/operator/operators/list");

  const auto remove =
      operators.call("remove", "Remove an operator, and end the sessions", "/operator/operators/remove");
  remove.text("name", "name", "As `operator list` shows it").type_name("NAME");

  const auto reset = operators.call(
      "reset", "End an operator's password, second factor and sessions; the answer has the link to set new ones",
      "/operator/operators/reset");
  reset.text("name", "name", "As `operator list` shows it").type_name("NAME");
}

}  // namespace gateway::ctl
