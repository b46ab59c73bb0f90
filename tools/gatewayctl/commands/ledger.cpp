#include <chrono>

#include "commands.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/time.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

namespace {

/// The options of both commands.
struct ledger_options {
  std::string merchant, mode, from, to, provider, format, file;
};

std::chrono::sys_days day_of(const std::string& text, const char* option) {
  const auto day = parse_day(text);
  if (!day) throw bad_input(std::string{option} + ": expected a day, as 2026-11-20");
  return *day;
}

void check_days(std::chrono::sys_days from, std::chrono::sys_days to) {
  if (to < from) throw bad_input("--to must not be before --from");
  if (to - from > std::chrono::days{3'660}) throw bad_input("--from and --to: at most ten years");
}

void add_days_and_merchant(const options::command& to, ledger_options& given, bool required, const char* mode_help) {
  to.add("--from", given.from, "The first day, UTC: 2026-11-01").required(required).type_name("DAY");
  to.add("--to", given.to, "The last day, which counts, too").required(required).type_name("DAY");
  to.add("--merchant", given.merchant, "Only of this one [all]").type_name("MERCHANT");
  to.add("--mode", given.mode, mode_help).one_of("test,live").type_name("MODE");
}

void take_report(const ledger_options& given, command_line& result) {
  auto& request = result.report;
  result.what = action::report;
  request.merchant = given.merchant;
  request.env = parse_environment(given.mode);
  request.from = day_of(given.from, "--from");
  request.to = day_of(given.to, "--to");
  request.as_json = given.format == "json" || (given.format.empty() && result.json);
  check_days(request.from, request.to);
}

void take_reconciliation(const ledger_options& given, command_line& result) {
  auto& request = result.reconcile;
  result.what = action::reconcile;
  request.file = given.file;
  request.provider = parse_provider_kind(given.provider);
  request.merchant = given.merchant;
  request.env = parse_environment(given.mode);
  request.as_json = result.json;
  if (given.from.empty() != given.to.empty()) throw bad_input("--from and --to go together");
  if (given.from.empty()) return;
  request.from = day_of(given.from, "--from");
  request.to = day_of(given.to, "--to");
  check_days(*request.from, *request.to);
}

}  // namespace

void add_ledger_commands(const command_group& program) {
  const auto given = std::make_shared<ledger_options>();
  auto& result = program.result();

  const auto report = program.command().add_command(
      "report", "What was captured, refunded, failed and disputed, by day, currency and provider");
  add_days_and_merchant(report, *given, true, "Only of test or of live [both]");
  report.add("--format", given->format, "csv or json [csv]").one_of("csv,json").type_name("FORMAT");
  report.on_parsed([given, &result] { take_report(*given, result); });

  const auto reconcile = program.command().add_command(
      "reconcile", "Compare a provider's settlement report with the ledger, line by line");
  reconcile.add("FILE", given->file, "The report, as CSV").required().type_name("");
  reconcile.add("--provider", given->provider, provider_help() + " [the one whose columns FILE has]")
      .one_of(provider_names(","))
      .type_name("KIND");
  add_days_and_merchant(reconcile, *given, false, "test or live [the mode in FILE, or live]");
  reconcile.on_parsed([given, &result] { take_reconciliation(*given, result); });
}

}  // namespace gateway::ctl
