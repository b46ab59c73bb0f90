#include "command_line.hpp"

#include <algorithm>

#include "commands/commands.hpp"
#include "config/option_parser.hpp"
#include "config/option_value.hpp"

namespace gateway::ctl {

namespace {

void add_commands(const command_group& program) {
  add_search_command(program);
  add_merchant_commands(program);
  add_user_commands(program);
  add_operator_commands(program);
  add_platform_commands(program);
  add_key_commands(program);
  add_connection_commands(program);
  add_route_commands(program);
  add_provider_commands(program);
  add_grant_commands(program);
  add_payment_commands(program);
  add_customer_commands(program);
  add_personal_data_commands(program);
  add_subscription_commands(program);
  add_sandbox_commands(program);
  add_audit_commands(program);
  add_compliance_command(program);
  add_node_commands(program);
  add_master_key_commands(program);
  add_destination_commands(program);
  add_delivery_commands(program);
  add_event_commands(program);
  add_notification_commands(program);
  add_mail_commands(program);
  add_ledger_commands(program);
  add_backup_commands(program);
}

constexpr std::string_view exit_status =
    "Exit status: 0 done, 1 refused, no gateway running, or reconcile, audit verify or backup-verify found a "
    "difference, or recover could not finish, 2 usage.";

std::string one_line(std::string line) {
  std::ranges::replace(line, '\n', ' ');
  return "gatewayctl: " + line + " (try --help)";
}

void apply(const options::result& read, command_line& result) {
  if (read.what == options::outcome::parsed) return;
  result.what = read.what == options::outcome::fault ? action::usage_error : action::information;
  if (read.what == options::outcome::help) result.text = read.text;
  if (read.what == options::outcome::version) result.text = read.text + '\n';
  if (read.what != options::outcome::fault) return;
  // CLI11 reports a missing subcommand before an unknown word, but the unknown word explains the fault better.
  const auto& unexpected = read.unexpected;
  result.text = one_line(unexpected.empty() ? read.text
                                            : '\'' + unexpected.front().substr(0, unexpected.front().find('=')) +
                                                  "' was not expected");
}

}  // namespace

command_line parse_command_line(int argc, const char* const* argv, std::istream& input) {
  command_line result;
  const options::parser parser{
      {.name = "gatewayctl",
       .description = "gatewayctl: operates a running gateway over the operator socket in its data directory.",
       .version = "gatewayctl " GATEWAY_VERSION,
       .footer = exit_status,
       .column_width = 34,
       .options_after_command = true}};
  const auto app = parser.root();
  auto data_dir = result.data_dir.string();
  app.add("--data-dir", data_dir, "The gateway's data directory [data]").type_name("DIR");
  app.add_flag("--json", result.json, "Answer with one JSON object");
  add_commands({app, input, result});
  app.list_commands("All commands; each explains itself: gatewayctl merchant list --help", std::string{exit_status});
  try {
    if (const auto bare = option_without_value(argc, argv)) throw bad_input(*bare + ": the value is missing");
    apply(parser.parse(argc, argv), result);
  } catch (const bad_input& fault) {
    result.what = action::usage_error;
    result.text = one_line(fault.what());
  }
  result.data_dir = data_dir;
  result.audit_verify.as_json = result.json;
  result.backup.as_json = result.json;
  result.recover.as_json = result.json;
  result.backup.data_dir = result.data_dir;
  return result;
}

}  // namespace gateway::ctl
