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
  const auto record = program.command().add_command(
      "backup-record", "Enter on the audit log that the database server's own tool has made a backup");
  add_directory(record, *given, "Where it is");
  record.on_parsed(take(action::record_backup));
  const auto verify = program.command().add_command(
      "backup-verify", "Prove a backup without a gateway: checksums, database, sums of the ledger, audit log");
  add_directory(verify, *given, "The directory of a backup; nothing in it is changed");
  verify.on_parsed(take(action::verify_backup));

  const auto recover = program.command().add_command(
      "recover", "After a restore: ask the providers what happened since, then take writes again");
  const auto from = std::make_shared<std::string>();
  recover.add("--from", *from, "When the backup was made, or earlier: 2026-11-20T09:30:00Z")
      .required()
      .type_name("TIME");
  recover.add_flag("--accept-unanswered", result.recover.accepts_unanswered,
                   "Take writes although providers did not answer about some payments");
  recover.on_parsed([from, &result] {
    if (from->size() < 20 || from->find('T') == from->npos)
      throw bad_input("--from: expected a time, as 2026-11-20T09:30:00Z");
    result.what = action::recover;
    result.recover.from = *from;
  });
}

}  // namespace gateway::ctl
