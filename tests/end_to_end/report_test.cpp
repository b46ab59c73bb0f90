// Reports of money: what gatewayctl reports of payments through the sandbox and through Stripe, and the differences
// that it finds between the ledger and the provider's own report.
#include <catch2/catch.hpp>

#include <chrono>
#include <ctime>
#include <map>

#include "paths.hpp"
#include "stripe_fixture.hpp"

using namespace gateway::e2e;

namespace {

/// The day that is `ahead` days from today, UTC: a test may run over midnight, so it asks for yesterday to tomorrow.
std::string day(int ahead) {
  const auto at =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() + std::chrono::hours{24 * ahead});
  std::tm fields{};
  gmtime_r(&at, &fields);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &fields);
  return text;
}

struct report_sums {
  std::int64_t captured_count = 0, captured = 0, refunded_count = 0, refunded = 0, failed_count = 0, failed = 0,
               net = 0;
  bool operator==(const report_sums&) const = default;
};

/// The report by currency and provider, of the days around today.
std::map<std::string, report_sums> report_of(const gateway_process& gateway, const std::string& merchant,
                                             const std::string& mode) {
  const auto reported =
      gateway.ctl({"report", "--from", day(-1), "--to", day(1), "--merchant", merchant, "--mode", mode});
  std::map<std::string, report_sums> sums;
  for (const auto& row : reported["rows"].items()) {
    auto& of = sums[row["currency"].text() + ' ' + row["provider"].text()];
    of.captured_count += row["captured_count"].number();
    of.captured += row["captured_amount"].number();
    of.refunded_count += row["refunded_count"].number();
    of.refunded += row["refunded_amount"].number();
    of.failed_count += row["failed_count"].number();
    of.failed += row["failed_amount"].number();
    of.net += row["net_amount"].number();
  }
  return sums;
}

struct reconciled {
  int code = -1;
  json reported;

  std::string counts() const {
    std::string text;
    for (const auto* name : {"agree", "missing", "extra", "differs"})
      text += (text.empty() ? "" : ", ") + std::string{name} + ' ' + reported[name].dump();
    return text;
  }
  /// The differences, each as `missing cap_1`.
  lines differences() const {
    lines all;
    for (const auto& each : reported["differences"].items())
      all.push_back(each["difference"].text() + ' ' + each["reference"].text());
    std::ranges::sort(all);
    return all;
  }
};

reconciled reconcile(const gateway_process& gateway, const std::string& report, const std::string& merchant,
                     const std::string& provider) {
  const auto folder = new_folder("report");
  write_file(folder / "report.csv", report);
  const auto result = gateway.run_ctl({"reconcile", (folder / "report.csv").string(), "--provider", provider,
                                       "--merchant", merchant, "--mode", "test", "--from", day(-1), "--to", day(1)});
  std::filesystem::remove_all(folder);
  INFO(result.err);
  REQUIRE((result.code == 0 || result.code == 1));
  REQUIRE(result.err.empty());
  return {result.code, json::parse(result.out)};
}

std::string joined(const lines& all) {
  std::string text;
  for (const auto& line : all) text += line + '\n';
  return text;
}

std::string reference_in(const std::string& line, std::size_t column) {
  std::string rest = line;
  for (; column > 0; --column) rest = rest.substr(rest.find(',') + 1);
  return rest.substr(0, rest.find(','));
}

/// A correct report agrees; then one line is removed, one changed, and one added. `change` alters the amount of a line.
void finds_three_differences(const gateway_process& gateway, lines report, const std::string& merchant,
                             const std::string& provider, std::size_t ref_column, const std::string& extra,
                             const std::pair<std::string, std::string>& change) {
  const auto truth = reconcile(gateway, joined(report), merchant, provider);
  CHECK(truth.counts() == "agree " + std::to_string(report.size() - 1) + ", missing 0, extra 0, differs 0");
  CHECK(truth.code == 0);

  const auto changed = std::ranges::find_if(report, [&](const auto& l) { return l.find(change.first) != l.npos; });
  REQUIRE(changed != report.end());
  changed->replace(changed->find(change.first), change.first.size(), change.second);
  const auto taken = changed == report.end() - 1 ? report.begin() + 1 : report.end() - 1;
  const lines expected{"differs " + reference_in(*changed, ref_column), "extra " + reference_in(extra, ref_column),
                       "missing " + reference_in(*taken, ref_column)};
  const auto left = report.size() - 3;
  report.erase(taken);
  report.push_back(extra);
  const auto found = reconcile(gateway, joined(report), merchant, provider);
  CHECK(found.counts() == "agree " + std::to_string(left) + ", missing 1, extra 1, differs 1");
  CHECK(found.differences() == expected);
  CHECK(found.code == 1);
}

/// An amount in cents as a report writes it.
std::string major(std::int64_t minor) {
  const auto cents = std::to_string(100 + (minor < 0 ? -minor : minor) % 100).substr(1);
  return (minor < 0 ? "-" : "") + std::to_string((minor < 0 ? -minor : minor) / 100) + '.' + cents;
}

}  // namespace

TEST_CASE("report: what the sandbox captured, refunded and failed, compared with its own report") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test};
  const auto payment = [&](const std::string& method = "pm_card_visa") {
    const auto id = new_payment_id();
    merchant.create(server_payment(id, method).set("amount", 4200).set("currency", "HKD"));
    return id;
  };
  for (int i = 0; i < 3; ++i) CHECK(summary_of(merchant.capture(payment())) == "200 captured");
  const auto refunded = payment();
  CHECK(summary_of(merchant.capture(refunded)) == "200 captured");
  CHECK(summary_of(merchant.refund(refunded, 1000)) == "200 partially_refunded");
  CHECK(summary_of(merchant.refund(refunded, 300)) == "200 partially_refunded");
  payment();
  payment("pm_card_chargeDeclined");
  CHECK(merchant.state_of(payment("pm_card_riskBlocked")) == "failed");

  CHECK(report_of(gateway, account.id, "test") ==
        std::map<std::string, report_sums>{{"HKD sandbox", {4, 16'800, 2, 1'300, 2, 8'400, 15'500}}});
  CHECK(report_of(gateway, account.id, "live").empty());

  // Without --mode the report covers both modes, and each row names its mode.
  const auto whole = gateway.ctl({"report", "--from", day(-1), "--to", day(1), "--merchant", account.id});
  REQUIRE_FALSE(whole["rows"].items().empty());
  for (const auto& row : whole["rows"].items()) CHECK(row["mode"] == "test");
  const auto as_csv =
      gateway.run_ctl({"report", "--from", day(-1), "--to", day(1), "--merchant", account.id, "--format", "csv"});
  CHECK(as_csv.out.starts_with("day,currency,provider,mode,"));
  CHECK(as_csv.out.find(",HKD,sandbox,test,") != std::string::npos);

  const auto made = run_command(
      {program("sandbox-provider").string(), "--settlement-report", "--ledger=" + gateway.ledger_file().string()});
  REQUIRE(made.code == 0);
  lines report;
  for (const auto& line : lines_of(made.out))
    if (report.empty() || line.find(account.id) != line.npos) report.push_back(line);
  REQUIRE(report.size() == 7);
  // The file's contents show its provider and mode.
  write_file(gateway.folder() / (account.id + ".csv"), joined(report));
  const auto alone =
      gateway.run_ctl({"reconcile", (gateway.folder() / (account.id + ".csv")).string(), "--merchant", account.id});
  CHECK(alone.code == 0);
  CHECK(json::parse(alone.out)["agree"].number() == 6);
  finds_three_differences(gateway, report, account.id, "sandbox", 0,
                          "cap_planted,pay_planted,captured,1,HKD," + day(0) + "T00:00:00.000Z," + account.id + ",test",
                          {",300,", ",301,"});
}

TEST_CASE("report: payments through Stripe, compared with its balance transactions") {
  stripe_shop s{shared_stripe(GENERATE(from_range(stores())))};
  const auto captured = [&] {
    const auto id = s.paid();
    CHECK(summary_of(s.merchant.capture(id)) == "200 captured");
    return id;
  };
  captured();
  const auto refunded = captured();
  CHECK(summary_of(s.merchant.refund(refunded, 1000)) == "200 partially_refunded");
  CHECK(summary_of(s.merchant.refund(refunded, 305)) == "200 partially_refunded");
  CHECK(summary_of(s.merchant.create(stripe_payment(new_payment_id(), "pm_card_chargeDeclined"))) == "200 failed");
  CHECK(report_of(s.on.gateway, s.account.id, "test") ==
        std::map<std::string, report_sums>{{"USD stripe", {2, 8'400, 2, 1'305, 1, 4'200, 7'095}}});

  // In the format of the Dashboard's export.
  lines report{"id,Type,Source,Amount,Fee,Net,Currency,Created (UTC)"};
  for (const auto& each : s.on.stripe.reported("balance")["transactions"].items()) {
    if (!(each["account"] == s.connected)) continue;
    const auto amount = major(each["amount"].number());
    report.push_back(each["id"].text() + ',' + each["type"].text() + ',' + each["source"].text() + ',' + amount +
                     ",0.00," + amount + ',' + each["currency"].text() + ',' + day(0) + " 12:00");
  }
  REQUIRE(report.size() == 5);
  finds_three_differences(s.on.gateway, report, s.account.id, "stripe", 2,
                          "txn_planted,charge,ch_planted,1.00,0.00,1.00,usd," + day(0) + " 12:00",
                          {",-3.05,0.00", ",-3.06,0.00"});
}

TEST_CASE("report: mistakes are reported, without a partial report") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  struct row {
    std::vector<std::string> arguments;
    int code;
    std::string part;
  };
  const row rows[] = {
      {{"report", "--from", "2026-11-02", "--to", "2026-11-01"}, 2, "--to must not be before --from"},
      {{"report", "--from", "yesterday", "--to", "2026-11-01"}, 2, "--from: expected a day"},
      {{"report", "--from", "2026-11-01"}, 2, "--to"},
      {{"report", "--from", "2026-11-01", "--to", "2026-11-01", "--merchant", "merch_of_nobody"},
       1,
       "There is no merchant merch_of_nobody."},
      {{"reconcile", "/nowhere.csv", "--provider", "stripe"}, 1, "cannot read /nowhere.csv"},
      {{"reconcile", "/nowhere.csv", "--provider", "bank"}, 2, "--provider"},
  };
  for (const auto& each : rows) {
    const auto result = gateway.run_ctl(each.arguments);
    CAPTURE(result.out, result.err);
    CHECK(result.code == each.code);
    CHECK(result.out.empty());
    CHECK(result.err.find(each.part) != std::string::npos);
  }
}
