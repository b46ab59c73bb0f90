#include "commands.hpp"

namespace gateway::ctl {

namespace {

options::option add_directory(const options::command& to, std::string& into, const char* help) {
  return to.add("DIR", into, help).required().type_name("");
}

}  // namespace

void add_backup_commands(const command_group& program) {
  const auto given = std::make_shared<std::string>();
  auto& result = program.result();
  const auto take = [given, &result](action what) {
    return [given, &result, what] {
      if (given->empty()) throw bad_input("DIR: the directory's name is empty");
      result.what = what;
      result.backup.to = *given;
    };
  };
  const auto backup = program.command().add_command(
      "backup", "Copy the embedded store into an empty or new directory, while the gateway serves");
  add_directory(backup, *given, "Where to; the copy holds customers' data, and no master key");
  backup.on_parsed(take(action::make_backup));
  const auto verify = program.command().add_command(
      "backup-verify", "Prove a backup without a gateway: checksums, database, sums of the ledger, audit log");
  add_directory(verify, *given, "The directory of a backup; nothing in it is changed");
  verify.on_parsed(take(action::verify_backup));
}

}  // namespace gateway::ctl
