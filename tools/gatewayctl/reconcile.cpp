#include <fstream>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include "gateway/domain/time.hpp"
#include "ledger_calls.hpp"
#include "reconciliation.hpp"

namespace gateway::ctl {

namespace {

namespace json = boost::json;

/// How far before and after the period counterparts are searched: the ledger settles an unknown outcome later than the
/// provider does.
constexpr std::chrono::days margin{3};

std::string text_in(const json::object& from, std::string_view name) {
  return json::value_to<std::string>(from.at(name));
}

/// The fields that are compared and shown.
ledger_entry entry_in(const json::object& row, provider_kind provider) {
  ledger_entry e;
  const auto kind = parse_ledger_kind(text_in(row, "kind"));
  const auto unit = currency::parse(text_in(row, "currency"));
  const auto at = text_in(row, "occurred_at");  // its milliseconds are ignored
  const auto second = parse_seconds(at.substr(0, 19) + 'Z');
  if (!kind || !unit || !second) throw std::runtime_error("the gateway's answer cannot be read");
  e.payment.merchant = merchant_id{text_in(row, "merchant_id")};
  e.payment.id = text_in(row, "payment_id");
  e.at = *second;
  e.what = *kind;
  e.amount = {row.at("amount").as_int64(), *unit};
  e.provider = provider;
  e.payment_ref = text_in(row, "payment_ref");
  e.movement_ref = text_in(row, "movement_ref");
  return e;
}

/// The part of the ledger that is compared.
struct ledger_part {
  provider_kind provider;
  environment env;
};

void stream_ledger(const reconcile_request& request, const ledger_part& part, const reconciled_period& period,
                   const operator_poster& post, reconciliation& to) {
  json::object body{{"mode", to_string(part.env)},
                    {"provider", to_string(part.provider)},
                    {"from", format_day(period.from - margin)},
                    {"to", format_day(period.to + margin)}};
  if (!request.merchant.empty()) body["merchant_id"] = request.merchant;
  for (;;) {
    const auto answer = post("/operator/ledger/list", body);
    for (const auto& each : answer.at("entries").as_array()) to.compare(entry_in(each.as_object(), part.provider));
    const auto* next = answer.if_contains("next");
    if (!next) return;
    for (const auto& field : next->as_object()) body[field.key()] = field.value();
  }
}

std::string shown(ledger_kind what, std::int64_t minor, std::string_view unit) {
  return std::string{to_string(what)}
      .append(" ")
      .append(std::to_string(minor))
      .append(" ")
      .append(unit.empty() ? "(no currency)" : unit);
}

std::string shown(const ledger_entry& e) { return shown(e.what, e.amount.minor, e.amount.unit.code()); }

void write_line(const difference& d, std::ostream& out) {
  out << to_string(d.kind) << ' ' << d.ref;
  if (d.entry)
    out << " ledger: " << shown(*d.entry) << ' ' << d.entry->payment.id << ' ' << d.entry->payment.merchant.value << ' '
        << format_seconds(d.entry->at);
  if (d.report) out << " line " << d.line << ": " << shown(d.report->what, d.report->minor, d.report->unit);
  out << '\n';
}

void write_object(const difference& d, std::ostream& out) {
  json::object object{{"difference", to_string(d.kind)}, {"reference", d.ref}};
  if (d.entry)
    object["ledger"] = {{"kind", to_string(d.entry->what)},
                        {"amount", d.entry->amount.minor},
                        {"currency", d.entry->amount.unit.code()},
                        {"payment_id", d.entry->payment.id},
                        {"merchant_id", d.entry->payment.merchant.value},
                        {"occurred_at", format_seconds(d.entry->at)}};
  if (d.report)
    object["report"] = {{"line", d.line},
                        {"kind", to_string(d.report->what)},
                        {"amount", d.report->minor},
                        {"currency", d.report->unit}};
  out << json::serialize(object);
}

void write_counts(const reconciliation_counts& counts, std::uint64_t others, const reconciled_period& period,
                  bool as_json, std::ostream& out) {
  const std::pair<std::string_view, std::uint64_t> rows[] = {
      {"agree", counts.agree},     {"missing", counts.missing}, {"extra", counts.extra},
      {"differs", counts.differs}, {"outside", counts.outside}, {"not_in_reports", counts.not_reported},
      {"other_lines", others}};
  if (as_json) {
    out << R"(],"from":")" << format_day(period.from) << R"(","to":")" << format_day(period.to) << '"';
    for (const auto& [name, count] : rows) out << ",\"" << name << "\":" << count;
    out << "}\n";
    return;
  }
  out << "period " << format_day(period.from) << " to " << format_day(period.to) << '\n';
  for (const auto& [name, count] : rows) out << name << ' ' << count << '\n';
}

}  // namespace

bool reconcile(const reconcile_request& request, const operator_poster& post, std::ostream& out) {
  std::ifstream file{request.file};
  if (!file) throw std::runtime_error("cannot read " + request.file.string());
  reconciliation sides;
  settlement_file read;
  try {
    read = read_settlement(file, {request.provider, request.env, request.merchant},
                           [&](const settlement_line& line) { sides.add(line); });
  } catch (const bad_file& fault) {
    throw std::runtime_error(request.file.string() + ": " + fault.what());
  }
  const auto period =
      request.from ? std::optional{reconciled_period{*request.from, *request.to}} : sides.period_of_report();
  if (!period) throw std::runtime_error(request.file.string() + ": has no day: give --from and --to");
  // The first request precedes all output, so that a refused reconciliation writes nothing.
  std::string_view before = R"({"differences":[)";
  const auto separate = [&] { out << std::exchange(before, ","); };
  sides.begin(*period, [&](const difference& d) {
    if (!request.as_json) return write_line(d, out);
    separate();
    write_object(d, out);
  });
  auto modes = request.env ? std::vector{*request.env} : read.modes;
  if (modes.empty()) modes.push_back(environment::live);
  for (const auto env : modes) stream_ledger(request, {read.provider, env}, *period, post, sides);
  const auto counts = sides.end();
  if (request.as_json && before != ",") separate();
  write_counts(counts, read.others, *period, request.as_json, out);
  return counts.all_agree();
}

}  // namespace gateway::ctl
