// Retention: payments that have ended and old entries of the audit log are purged, and what stays is still proved.
#include <catch2/catch.hpp>

#include <algorithm>

#include "destinations.hpp"
#include "merchant.hpp"
#include "paths.hpp"
#include "text.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// A data directory on which one gateway runs after another.
struct aging_data {
  store_kind store;
  std::filesystem::path folder = new_folder("retention");
  std::optional<mysql_address> database;

  explicit aging_data(store_kind kind) : store{kind} {
    if (store == store_kind::mysql) database = new_shared_database();
  }
  ~aging_data() {
    if (keeps_data()) return;
    std::error_code ignored;
    if (database) drop_database(*database);
    std::filesystem::remove_all(folder, ignored);
  }
  gateway_options with(std::vector<std::string> arguments) const {
    gateway_options options;
    options.store = store;
    options.folder = folder;
    options.database = database;
    options.arguments = std::move(arguments);
    options.arguments.emplace_back("--reconcile-interval=100ms");
    return options;
  }
};

std::string captured(api& merchant, const call& how = {}) {
  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant.create(server_payment(id), how)) == "200 authorized");
  REQUIRE(summary_of(merchant.capture(id)) == "200 captured");
  return id;
}

/// How many rows of the payment a table has.
std::string rows_of(const gateway_process& gateway, const std::string& table, const std::string& column,
                    const std::string& payment) {
  const auto lines =
      lines_of(gateway.sql("SELECT COUNT(*) FROM " + table + " WHERE " + column + " = '" + payment + "'"));
  return lines.empty() ? "" : lines.front();
}

void dispute(const gateway_process& gateway, const merchant_account& of, const std::string& payment,
             const std::string& act) {
  gateway.ctl({"sandbox", "dispute", payment, "--merchant", of.id, "--mode", "test", act});
}

/// How often the provider did something to the payment.
std::ptrdiff_t effects_on(const gateway_process& gateway, const std::string& payment) {
  const auto all = read_ledger(gateway.ledger_file());
  return std::ranges::count(all, payment, &ledger_entry::payment_id);
}

std::vector<std::pair<std::string, std::string>> tables_of_payment() {
  return {{"payments", "payment_id"},
          {"attempts", "subject_id"},
          {"events", "subject_id"},
          {"disputes", "payment_id"},
          {"sandbox_events", "payment_id"}};
}

json requirement_in(const json& compliance, const std::string& number) {
  for (const auto& each : compliance["requirements"].items())
    if (each["requirement"] == number) return each;
  return {};
}

bool names(const json& list, const std::string& statement) {
  return std::ranges::any_of(list.items(), [&](const json& one) { return one.text().find(statement) == 0; });
}

}  // namespace

TEST_CASE("payments that ended 60 days ago are purged with all that belongs to them, and others are not") {
  const aging_data data{GENERATE(from_range(stores()))};
  std::string ended, disputed, authorized, in_ledger;
  std::ptrdiff_t effects = 0;
  merchant_account account;
  const call first{.key = new_uuid()};
  {
    gateway_process gateway{data.with({})};
    account = new_merchant(gateway);
    api merchant{gateway, account.test};
    ended = captured(merchant, first);
    REQUIRE(summary_of(merchant.refund(ended, 100)) == "200 partially_refunded");
    dispute(gateway, account, ended, "--open");
    dispute(gateway, account, ended, "--lose");
    disputed = captured(merchant);
    dispute(gateway, account, disputed, "--open");
    authorized = new_payment_id();
    REQUIRE(summary_of(merchant.create(server_payment(authorized))) == "200 authorized");
    in_ledger = rows_of(gateway, "ledger", "payment_id", ended);
    effects = effects_on(gateway, ended);
    for (const auto& [table, column] : tables_of_payment()) {
      INFO(table);
      CHECK(rows_of(gateway, table, column, ended) != "0");
    }
    gateway.terminate();
  }
  const call later{.ahead = 61 * 24h};
  gateway_process gateway{data.with({"--clock-offset=61d", "--payments-kept=60d"})};
  api merchant{gateway, account.test};
  CHECK(eventually([&] { return rows_of(gateway, "payments", "payment_id", ended) == "0"; }));
  for (const auto& [table, column] : tables_of_payment()) {
    INFO(table);
    CHECK(rows_of(gateway, table, column, ended) == "0");
  }
  const auto path = "/v1/payment_intents/" + ended;
  CHECK(merchant.get(path, later).status == 404);
  CHECK(merchant.get(path + "/timeline", later).status == 404);
  CHECK(merchant.get(path, later).body == merchant.get("/v1/payment_intents/pay_never_made", later).body);
  CHECK(merchant.refund(ended, 100, later).status == 404);
  for (const auto& id : {disputed, authorized}) CHECK(merchant.get("/v1/payment_intents/" + id, later).status == 200);

  // The id is not charged again, although the key of the first request has been forgotten.
  auto again = first;
  again.ahead = later.ahead;
  const auto refused = merchant.create(server_payment(ended), again);
  CHECK(refused.status == 409);
  CHECK(json::parse(refused.body)["error"] == "payment already exists");
  CHECK(effects_on(gateway, ended) == effects);

  // Amounts and references stay in the ledger.
  CHECK(rows_of(gateway, "ledger", "payment_id", ended) == in_ledger);
  CHECK(eventually([&] { return gateway.log().find("\"payments_purged\"") != std::string::npos; }));
}

TEST_CASE("in development payments may be kept for seconds") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  options.arguments = {"--payments-kept=2s", "--audit-kept=forever", "--reconcile-interval=100ms"};
  gateway_process gateway{options};
  api merchant{gateway, new_merchant(gateway).test};
  const auto waits = new_payment_id();
  REQUIRE(summary_of(merchant.create(server_payment(waits))) == "200 authorized");
  const auto id = captured(merchant);
  CHECK(eventually([&] { return merchant.view(id).status == 404; }));
  CHECK(summary_of(merchant.create(server_payment(id))).starts_with("409"));
  CHECK(merchant.view(waits).status == 200);
}

TEST_CASE("old entries of the audit log are purged, the rest is proved, and what else was removed is still found") {
  const aging_data data{GENERATE(from_range(stores()))};
  std::int64_t written = 0;
  {
    gateway_process gateway{data.with({})};
    const auto account = new_merchant(gateway);
    for (int i = 0; i < 3; ++i) mint_key(gateway, account.id);
    written = gateway.ctl({"audit", "verify"})["entries"].number();
    REQUIRE(written > 3);
    gateway.terminate();
  }
  gateway_process gateway{data.with({"--clock-offset=400d", "--audit-kept=1y"})};
  CHECK(eventually([&] { return gateway.log().find("\"audit_entries_purged\"") != std::string::npos; }));
  for (int i = 0; i < 2; ++i) new_merchant(gateway);
  const auto verified = gateway.ctl({"audit", "verify"});
  CHECK(verified["ok"] == true);
  CHECK(verified["heads"].at(0)["purged_to"].number() == written);
  CHECK(verified["heads"].at(0)["number"].number() > written);
  CHECK(verified["entries"].number() == verified["heads"].at(0)["number"].number() - written);
  gateway.sql("DELETE FROM audit_log WHERE chain_number = " + std::to_string(written + 1));
  const auto found = gateway.run_ctl({"audit", "verify"});
  CHECK(found.code == 1);
  CHECK(json::parse(found.out)["problems"].at(0)["number"] == written + 1);
}

TEST_CASE(
    "compliance shows where each requirement is met, with the evidence on this installation, and what is not met") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  options.operator_listener = true;
  options.arguments = {"--audit-kept=7y", "--portal-session-idle=15m"};
  gateway_process gateway{options};
  new_merchant(gateway);
  gateway.ctl({"operator", "add", "ada", "--role", "admin"});
  const auto compliance = gateway.ctl({"compliance"});
  std::vector<std::string> numbers;
  for (const auto& each : compliance["requirements"].items()) numbers.push_back(each["requirement"].text());
  CHECK(numbers ==
        std::vector<std::string>{"3.2.1", "3.6.1", "3.7.4", "8.2.1", "8.2.8", "8.4.2", "10.3", "10.5.1", "backups"});
  CHECK(requirement_in(compliance, "3.2.1")["met"] == false);
  CHECK(names(requirement_in(compliance, "3.2.1")["evidence"], "payments-kept: forever"));
  CHECK(requirement_in(compliance, "3.7.4")["met"] == true);
  CHECK(names(requirement_in(compliance, "3.7.4")["evidence"], "1 master key"));
  CHECK(names(requirement_in(compliance, "8.2.1")["evidence"], "ada (admin), not set up"));
  CHECK(requirement_in(compliance, "8.2.8")["met"] == true);
  CHECK(names(requirement_in(compliance, "8.4.2")["missing"], "1 operator has not set up"));
  CHECK(requirement_in(compliance, "10.3")["met"] == true);
  CHECK(names(requirement_in(compliance, "10.5.1")["evidence"], "audit-kept: 2555d"));
  CHECK(requirement_in(compliance, "10.5.1")["met"] == true);
  CHECK(requirement_in(compliance, "backups")["met"] == false);
}
