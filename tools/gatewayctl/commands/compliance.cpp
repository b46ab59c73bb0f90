#include "commands.hpp"

namespace gateway::ctl {

void add_compliance_command(const command_group& program) {
  auto& result = program.result();
  program.command()
      .add_command("compliance", "Show what an audit under PCI DSS asks for, where it is met, and what is not met")
      .on_parsed([&result] { result.what = action::compliance; });
}

}  // namespace gateway::ctl
