#include <limits>

#include "commands.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/time.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

namespace {

struct audit_options {
  std::string from, to, merchant;
  std::vector<std::string> heads;
};

constexpr const char* from_help = "From this day, or from this time on: 2026-11-20, 2026-11-20T09:30:00Z";
constexpr const char* to_help = "To this day, which counts, too; or before this time";

/// A day means its first moment, or with `is_end` the end of the day.
std::string time_of(const std::string& text, bool is_end, const char* option) {
  if (const auto day = parse_day(text)) return format_seconds(time_point{*day + std::chrono::days{is_end ? 1 : 0}});
  if (text.size() < 20 || text.find('T') == text.npos)
    throw bad_input(std::string{option} + ": expected a day or a time, as 2026-11-20 or 2026-11-20T09:30:00Z");
  return text;
}

void add_filter_to(boost::json::object& body, const audit_options& given) {
  if (!given.from.empty()) body["from"] = time_of(given.from, false, "--from");
  if (!given.to.empty()) body["to"] = time_of(given.to, true, "--to");
  if (!given.merchant.empty()) body["merchant_id"] = given.merchant;
}

void add_filter_options(const options::command& to, audit_options& given) {
  to.add("--from", given.from, from_help).type_name("TIME");
  to.add("--to", given.to, to_help).type_name("TIME");
  to.add("--merchant", given.merchant, "Only about this one [all]").type_name("MERCHANT");
}

/// `CHAIN:NUMBER:HASH`.
audit_witness witness_in(const std::string& text) {
  const auto first = text.find(':'), second = text.find(':', first == text.npos ? first : first + 1);
  if (second != text.npos) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    const auto chain = parse_whole(std::string_view{text}.substr(0, first), 0, most);
    const auto number = parse_whole(std::string_view{text}.substr(first + 1, second - first - 1), 1, most);
    auto hash = text.substr(second + 1);
    if (chain && number && !hash.empty()) return {*chain, *number, std::move(hash)};
  }
  throw bad_input("--head: expected CHAIN:NUMBER:HASH, as the process log has them");
}

void add_audit_list(const command_group& audit) {
  const auto list = audit.call("list", "Show who changed what, newest first", "/operator/audit/list");
  const auto given = std::make_shared<audit_options>();
  add_filter_options(list.command(), *given);
  list.optional_text("--after", "after", "The next page: `next` of the page before").type_name("NEXT");
  list.then([given](auto& body) { add_filter_to(body, *given); });
  add_page_limit(list);
}

void add_audit_export(const command_group& audit) {
  const auto given = std::make_shared<audit_options>();
  auto& result = audit.result();
  const auto export_ = audit.command().add_command("export", "Write all entries as JSON, oldest first");
  add_filter_options(export_, *given);
  export_.on_parsed([given, &result] {
    result.what = action::export_audit;
    add_filter_to(result.audit_export.filter, *given);
  });
}

void add_audit_verify(const command_group& audit) {
  const auto given = std::make_shared<audit_options>();
  auto& result = audit.result();
  const auto verify = audit.command().add_command(
      "verify", "Find entries that were changed, removed or moved; exit 1 if there are any");
  verify.add("--head", given->heads, "Also compare an entry with the process log: CHAIN:NUMBER:HASH. May be repeated")
      .type_name("HEAD");
  verify.on_parsed([given, &result] {
    result.what = action::verify_audit;
    for (const auto& head : given->heads) result.audit_verify.heads.push_back(witness_in(head));
  });
}

}  // namespace

void add_audit_commands(const command_group& program) {
  const auto audit = program.group("audit", "Who changed what, when and from where");
  add_audit_list(audit);
  add_audit_export(audit);
  add_audit_verify(audit);
}

}  // namespace gateway::ctl
