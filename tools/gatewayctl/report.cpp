#include <algorithm>
#include <map>
#include <tuple>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include "gateway/domain/ledger.hpp"
#include "gateway/domain/time.hpp"
#include "ledger_calls.hpp"

namespace gateway::ctl {

namespace {

namespace json = boost::json;

/// How many days one request covers, so that no answer takes long, however many payments a merchant has.
constexpr std::chrono::days days_at_once{7};

struct report_row {
  std::int64_t count[enum_count<ledger_kind>] = {};
  std::int64_t amount[enum_count<ledger_kind>] = {};
};

using report_key = std::tuple<std::string, std::string, std::string, std::string>;  ///< day, currency, provider, mode
using report_rows = std::map<report_key, report_row>;

/// The columns after the key, in order. New columns are added at the end, for readers that count columns.
constexpr std::string_view columns[] = {"captured_count",     "captured_amount",     "refunded_count",
                                        "refunded_amount",    "failed_count",        "failed_amount",
                                        "net_amount",         "disputes_lost_count", "disputes_lost_amount",
                                        "disputes_won_count", "disputes_won_amount"};

/// A refund that came back counts against the refunds of its day. A dispute counts when it is closed.
std::vector<std::int64_t> values_of(const report_row& row) {
  const auto count = [&](ledger_kind of) { return row.count[static_cast<std::size_t>(of)]; };
  const auto amount = [&](ledger_kind of) { return row.amount[static_cast<std::size_t>(of)]; };
  using enum ledger_kind;
  const auto given_back = amount(refunded) - amount(refund_failed);
  return {count(captured),
          amount(captured),
          count(refunded) - count(refund_failed),
          given_back,
          count(failed),
          amount(failed),
          amount(captured) - given_back - amount(dispute_lost),
          count(dispute_lost),
          amount(dispute_lost),
          count(dispute_won),
          amount(dispute_won)};
}

std::string text_of(const json::object& row, std::string_view name) {
  return json::value_to<std::string>(row.at(name));
}

void add_sums(const json::object& answer, environment env, report_rows& to) {
  for (const auto& each : answer.at("sums").as_array()) {
    const auto& sum = each.as_object();
    const auto kind = parse_ledger_kind(text_of(sum, "kind"));
    if (!kind) throw std::runtime_error("the gateway's answer names a kind that gatewayctl does not know");
    auto& row =
        to[{text_of(sum, "day"), text_of(sum, "currency"), text_of(sum, "provider"), std::string{to_string(env)}}];
    row.count[static_cast<std::size_t>(*kind)] += sum.at("count").as_int64();
    row.amount[static_cast<std::size_t>(*kind)] += sum.at("amount").as_int64();
  }
}

/// Adds the sums of the days from `from` to `to`, for the requested merchant or for all.
void add_rows(const report_request& request, environment env, std::chrono::sys_days from, std::chrono::sys_days to,
              const operator_poster& post, report_rows& rows) {
  json::object body{{"mode", to_string(env)}, {"from", format_day(from)}, {"to", format_day(to)}};
  if (!request.merchant.empty()) body["merchant_id"] = request.merchant;
  for (;;) {
    const auto answer = post("/operator/ledger/sums", body);
    add_sums(answer, env, rows);
    const auto* next = answer.if_contains("next");
    if (!next) return;
    body["after"] = *next;
  }
}

report_rows rows_of(const report_request& request, std::chrono::sys_days from, std::chrono::sys_days to,
                    const operator_poster& post) {
  report_rows rows;
  for (const auto env : {environment::live, environment::test})
    if (!request.env || *request.env == env) add_rows(request, env, from, to, post, rows);
  return rows;
}

void write_csv(const report_rows& rows, std::ostream& out) {
  for (const auto& [key, row] : rows) {
    const auto& [day, currency, provider, mode] = key;
    out << day << ',' << currency << ',' << provider << ',' << mode;
    for (const auto value : values_of(row)) out << ',' << value;
    out << '\n';
  }
}

void write_json(const report_rows& rows, bool& first, std::ostream& out) {
  for (const auto& [key, row] : rows) {
    const auto& [day, currency, provider, mode] = key;
    json::object object{{"day", day}, {"currency", currency}, {"provider", provider}, {"mode", mode}};
    const auto values = values_of(row);
    for (std::size_t i = 0; i < std::size(columns); ++i) object[columns[i]] = values[i];
    out << (std::exchange(first, false) ? "" : ",") << json::serialize(object);
  }
}

}  // namespace

void write_report(const report_request& request, const operator_poster& post, std::ostream& out) {
  bool first = true;
  // The first request precedes all output, so that a refused report writes nothing.
  for (auto from = request.from; from <= request.to; from += days_at_once) {
    const auto rows = rows_of(request, from, std::min(request.to, from + days_at_once - std::chrono::days{1}), post);
    if (from == request.from && request.as_json) {
      out << '{';
      if (request.env) out << R"("mode":")" << to_string(*request.env) << R"(",)";
      out << R"("from":")" << format_day(request.from) << R"(","to":")" << format_day(request.to) << R"(","rows":[)";
    } else if (from == request.from) {
      out << "day,currency,provider,mode";
      for (const auto column : columns) out << ',' << column;
      out << '\n';
    }
    if (request.as_json)
      write_json(rows, first, out);
    else
      write_csv(rows, out);
  }
  if (request.as_json) out << "]}\n";
}

}  // namespace gateway::ctl
