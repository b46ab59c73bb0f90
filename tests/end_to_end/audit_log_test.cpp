// The audit log: who changed what, when, from where, before and after; and what shows that its rows were changed.
#include <catch2/catch.hpp>

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <regex>

#include "destinations.hpp"
#include "merchant.hpp"
#include "platform.hpp"
#include "text.hpp"
#include "visitor.hpp"

using namespace gateway::e2e;

namespace {

using words = std::vector<std::string>;

std::string unix_user() {
  const auto* entry = ::getpwuid(::geteuid());
  return entry ? entry->pw_name : "operator";
}

gateway_options plain_gateway(store_kind store) {
  gateway_options options;
  options.store = store;
  return options;
}

std::vector<json> entries_of(const gateway_process& gateway, words more = {}) {
  words command{"audit", "list"};
  command.insert(command.end(), more.begin(), more.end());
  return gateway.ctl(command)["entries"].items();
}

/// The newest entry of this action; absent if there is none.
json newest(const gateway_process& gateway, const std::string& action) {
  for (const auto& entry : entries_of(gateway))
    if (entry["action"] == action) return entry;
  return {};
}

struct verification {
  int code;
  json answer;
};

verification verify(const gateway_process& gateway, words more = {}) {
  words command{"audit", "verify"};
  command.insert(command.end(), more.begin(), more.end());
  const auto result = gateway.run_ctl(command);
  INFO(result.err);
  return {result.code, json::parse(result.out)};
}

bool names_fault(const json& answer, const std::string& fault) {
  return std::ranges::any_of(answer["problems"].items(), [&](const json& each) { return each["problem"] == fault; });
}

/// The last `audit_head` of the process log, as --head takes it.
std::string logged_head(const gateway_process& gateway) {
  std::string head;
  for (const auto& line : lines_of(gateway.log())) {
    if (line.find("\"audit_head\"") == line.npos) continue;
    const auto at = json::parse(line);
    head = at["chain"].dump() + ':' + at["number"].dump() + ':' + at["hash"].text();
  }
  return head;
}

/// Some changes of one merchant, each in its own commit.
merchant_account shop_with_history(const gateway_process& gateway) {
  auto account = new_merchant(gateway);
  for (int i = 0; i < 3; ++i) gateway.ctl({"key", "revoke", mint_key(gateway, account.id).key_id});
  return account;
}

}  // namespace

TEST_CASE(
    "an operator's commands are on the audit log: who, what, when, from where, before and after, without secrets") {
  gateway_process gateway{plain_gateway(GENERATE(from_range(stores())))};
  const auto account = new_merchant(gateway);
  const auto key = mint_key(gateway, account.id);
  gateway.ctl({"key", "revoke", key.key_id});
  const auto entry = newest(gateway, "revoke key");
  REQUIRE(entry.present());
  CHECK(entry["actor"] == unix_user());
  CHECK(entry["actor_kind"] == "operator");
  CHECK(entry["subject"] == key.key_id);
  CHECK(entry["merchant_id"] == account.id);
  CHECK(entry["mode"] == "test");
  CHECK(std::regex_match(entry["occurred_at"].text(), std::regex{R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"}));
  CHECK_FALSE(entry["address"].text().empty());
  CHECK(entry["before.key.status"] == "active");
  CHECK(entry["after.key.status"] == "revoked");
  CHECK(entry["linked"] == true);
  CHECK(entry["hash"].text().size() == 64);
  CHECK(entry["previous_hash"].text().size() == 64);

  const auto to = set_destination(gateway, account, "https://shop.example/hooks");
  gateway.ctl({"destination", "disable", to.id, "--reason", "it is down"});
  CHECK(newest(gateway, "set destination")["subject"] == to.id);
  const auto disabled = newest(gateway, "disable destination");
  CHECK(disabled["before.destination.status"] == "enabled");
  CHECK(disabled["after.destination.status"] == "disabled");
  gateway.ctl({"merchant", "user", "add", "--merchant", account.id, "--email", "ada@shop.example", "--password-stdin"},
              "correct horse battery\n");
  const auto all = gateway.run_ctl({"audit", "list"}).out;
  CHECK(all.find("ada@shop.example") != all.npos);
  for (const auto& secret : {std::string{"correct horse"}, key.secret, to.secret}) CHECK(all.find(secret) == all.npos);
  CHECK(verify(gateway).code == 0);
}

TEST_CASE("delivery redeliver is on the audit log, for one delivery and for a destination's failed ones") {
  auto options = plain_gateway(store_kind::sqlite);
  options.arguments = {"--webhook-attempts=1"};
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  webhook_receiver receiver;
  receiver.answers("/hooks", webhook_answer{.status = 503, .body = "later"});
  const auto to = set_destination(gateway, account, receiver.url());
  api merchant{gateway, account.test};
  REQUIRE(summary_of(merchant.create(server_payment(new_payment_id(), "pm_card_riskBlocked"))) == "200 failed");
  REQUIRE(deliveries_come_to(gateway, to.id, "failed", 1));
  const auto number = deliveries_to(gateway, to.id, "failed").front()["id"].dump();
  gateway.ctl({"delivery", "redeliver", number});
  const auto one = newest(gateway, "redeliver");
  REQUIRE(one.present());
  CHECK(one["subject"] == number);
  CHECK(one["merchant_id"] == account.id);
  CHECK(one["actor"] == unix_user());
  gateway.ctl({"delivery", "redeliver", "--destination", to.id});
  CHECK(newest(gateway, "redeliver all failed")["subject"] == to.id);
  const auto before = entries_of(gateway).size();
  CHECK(gateway.run_ctl({"delivery", "redeliver", "9999999"}).code == 1);
  CHECK(entries_of(gateway).size() == before);
}

TEST_CASE("what an owner and a platform change about themselves is on the audit log with their names and addresses") {
  gateway_process gateway{plain_gateway(store_kind::sqlite)};
  pair_of_parties parties{gateway};
  const auto second = mint_platform_key(gateway, parties.who.id);
  api platform{gateway, parties.who.key};
  CHECK(platform.post("/v1/platform_keys/" + second.key_id + "/revoke").status == 204);
  const auto by_platform = newest(gateway, "revoke key");
  REQUIRE(by_platform.present());
  CHECK(by_platform["actor"] == parties.who.id);
  CHECK(by_platform["actor_kind"] == "platform");
  CHECK(by_platform["address"] == "127.0.0.1");
  CHECK(by_platform["subject"] == second.key_id);
  CHECK(by_platform["before.key.status"] == "active");

  parties.grant("live");
  const auto consent = newest(gateway, "connect platform");
  REQUIRE(consent.present());
  CHECK(consent["actor"] == parties.email);
  CHECK(consent["actor_kind"] == "person");
  CHECK(consent["merchant_id"] == parties.shop.id);
  CHECK(consent["after.status"] == "active");
  CHECK(verify(gateway).code == 0);
}

TEST_CASE("the list is paged and filtered, and the export has every entry, the oldest first") {
  gateway_process gateway{plain_gateway(GENERATE(from_range(stores())))};
  const auto account = shop_with_history(gateway), other = shop_with_history(gateway);
  const auto exported = json::parse(gateway.run_ctl({"audit", "export"}).out)["entries"].items();
  auto listed = entries_of(gateway, {"--limit=1000"});
  REQUIRE(exported.size() == listed.size());
  std::ranges::reverse(listed);
  for (std::size_t i = 0; i < exported.size(); ++i) CHECK(exported[i]["audit_id"] == listed[i]["audit_id"].text());

  const auto of_one = json::parse(gateway.run_ctl({"audit", "export", "--merchant", account.id}).out)["entries"];
  CHECK(of_one.size() == listed.size() / 2);
  for (const auto& entry : of_one.items()) CHECK(entry["merchant_id"] == account.id);
  const auto today = exported.front()["occurred_at"].text().substr(0, 10);
  CHECK(entries_of(gateway, {"--from", today, "--limit=1000"}).size() == listed.size());
  CHECK(entries_of(gateway, {"--to", "2001-01-01"}).empty());
  CHECK(entries_of(gateway, {"--to", exported.front()["occurred_at"].text()}).empty());

  words seen;
  for (words more{"--limit=3"};;) {
    words command{"audit", "list"};
    command.insert(command.end(), more.begin(), more.end());
    const auto page = gateway.ctl(command);
    for (const auto& entry : page["entries"].items()) seen.push_back(entry["audit_id"].text());
    if (!page["next"].present()) break;
    more = {"--limit=3", "--after", page["next"].text()};
  }
  words expected;
  for (const auto& entry : exported) expected.push_back(entry["audit_id"].text());
  std::ranges::reverse(expected);
  CHECK(seen == expected);
}

TEST_CASE("audit verify finds an entry that was changed, removed or moved, also at the end, and exits with 1") {
  const auto store = GENERATE(from_range(stores()));
  gateway_process gateway{plain_gateway(store)};
  shop_with_history(gateway);
  const auto good = verify(gateway);
  CHECK(good.code == 0);
  CHECK(good.answer["ok"] == true);
  CHECK(good.answer["entries"].number() == static_cast<std::int64_t>(entries_of(gateway, {"--limit=1000"}).size()));
  CHECK(good.answer["problems"].size() == 0);
  const auto listed = entries_of(gateway);
  const auto last = listed.at(0)["audit_id"].text(), middle = listed.at(2)["audit_id"].text();
  const auto number = listed.at(2)["number"].number();

  gateway.sql("UPDATE audit_log SET subject = 'mk_other' WHERE audit_id = '" + middle + "';");
  auto found = verify(gateway);
  CHECK(found.code == 1);
  CHECK(names_fault(found.answer, "changed"));
  CHECK(found.answer["problems"].at(0)["audit_id"] == middle);
  CHECK(found.answer["problems"].at(0)["number"] == number);
  gateway.sql("UPDATE audit_log SET subject = '" + listed.at(2)["subject"].text() + "' WHERE audit_id = '" + middle +
              "';");
  CHECK(verify(gateway).code == 0);

  const auto swap = [&](std::int64_t one, std::int64_t two) {
    using step = std::pair<std::int64_t, std::int64_t>;
    for (const auto& [from, to] : {step{one, -1}, step{two, one}, step{-1, two}})
      gateway.sql("UPDATE audit_log SET chain_number = " + std::to_string(to) +
                  " WHERE chain_number = " + std::to_string(from) + ";");
  };
  swap(number, number - 1);
  found = verify(gateway);
  CHECK(found.code == 1);
  CHECK(names_fault(found.answer, "reordered"));
  swap(number, number - 1);
  CHECK(verify(gateway).code == 0);

  gateway.sql("DELETE FROM audit_log WHERE audit_id = '" + last + "';");
  found = verify(gateway);
  CHECK(found.code == 1);
  CHECK(names_fault(found.answer, "missing"));
  gateway.sql("DELETE FROM audit_log WHERE audit_id = '" + middle + "';");
  CHECK(verify(gateway).answer["problems"].size() == 2);
}

TEST_CASE("the process log witnesses the log's end: a log that was cut together with the record of its end is found") {
  gateway_process gateway{plain_gateway(store_kind::sqlite)};
  shop_with_history(gateway);
  REQUIRE(gateway.terminate());
  gateway.start();  // the ends are logged at the start, and then once a minute
  REQUIRE(eventually([&] { return !logged_head(gateway).empty(); }));
  const auto head = logged_head(gateway);
  CHECK(verify(gateway, {"--head", head}).code == 0);
  gateway.sql(
      "DELETE FROM audit_log WHERE chain_number = (SELECT MAX(chain_number) FROM audit_log); "
      "UPDATE audit_heads SET chain_number = chain_number - 1, entry_hash = (SELECT entry_hash FROM audit_log ORDER BY "
      "chain_number DESC LIMIT 1);");
  CHECK(verify(gateway).code == 0);
  const auto found = verify(gateway, {"--head", head});
  CHECK(found.code == 1);
  CHECK(names_fault(found.answer, "missing"));
  CHECK(gateway.run_ctl({"audit", "verify", "--head", "0:7"}).code == 2);
}
