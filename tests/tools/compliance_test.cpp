// gatewayctl compliance: which requirements are met by which facts, and what it asks the gateway for.
#include <catch2/catch.hpp>

#include <map>
#include <sstream>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include "compliance.hpp"

using namespace gateway::ctl;
using Catch::Contains;

namespace {

namespace json = boost::json;

/// An installation that meets every requirement.
json::object good_facts() {
  return json::parse(R"({"checked_at":"2026-11-20T09:30:00.000Z","node":"n1",
    "settings":{"payments_kept_ms":46656000000,"events_kept_ms":7776000000,"deliveries_kept_ms":2592000000,
      "notifications_kept_ms":2592000000,"idempotency_kept_ms":2592000000,"audit_kept_ms":null,
      "console_session_idle_ms":900000,"portal_session_idle_ms":900000,"master_key_command":true,
      "master_key_beside_data":false,"console":true,"dev":false,"core_dumps":false,
      "store":"sqlite","engine":"SQLite 3.40.1"},
    "master_keys":[{"id":"mk_1","status":"retired","created_at":"2024-01-01T00:00:00.000Z","sealed":0},
      {"id":"mk_2","status":"old","created_at":"2025-01-01T00:00:00.000Z","sealed":3},
      {"id":"mk_3","status":"current","created_at":"2026-11-10T23:00:00.000Z","sealed":41}],
    "operators":[{"name":"ada","role":"admin","is_set_up":true},{"name":"bob","role":"viewer","is_set_up":true}]})")
      .as_object();
}

json::object good_audit() {
  return json::parse(R"({"ok":true,"entries":120,"erased":0,"unlinked":2,"problems":[],
    "heads":[{"chain":0,"number":100,"hash":"aa","purged_to":30},{"chain":4,"number":50,"hash":"bb"}]})")
      .as_object();
}

json::object good_backup() {
  return {{"action", "make backup"}, {"occurred_at", "2026-11-19T01:00:00.000Z"}, {"actor", "root"}};
}

/// By requirement: what is missing, one statement after the other; empty where it is met.
std::map<std::string, std::string> missing_in(const json::object& compliance) {
  std::map<std::string, std::string> found;
  for (const auto& each : compliance.at("requirements").as_array()) {
    const auto& one = each.as_object();
    auto& missing = found[json::value_to<std::string>(one.at("requirement"))];
    for (const auto& what : one.at("missing").as_array()) missing += json::value_to<std::string>(what) + ';';
    CHECK(one.at("met").as_bool() == missing.empty());
    CHECK_FALSE(one.at("where").as_string().empty());
  }
  return found;
}

struct changed_fact {
  const char* requirement;
  const char* what;  ///< of the missing statement
  void (*change)(json::object& facts, json::object& audit, json::object& backup);
};

json::object& settings_in(json::object& facts) { return facts.at("settings").as_object(); }

}  // namespace

TEST_CASE("an installation that has everything set up meets every requirement, in the order of their numbers") {
  const auto compliance = compliance_of(good_facts(), good_audit(), good_backup());
  std::vector<std::string> numbers;
  for (const auto& each : compliance.at("requirements").as_array())
    numbers.push_back(json::value_to<std::string>(each.at("requirement")));
  CHECK(numbers ==
        std::vector<std::string>{"3.2.1", "3.6.1", "3.7.4", "8.2.1", "8.2.8", "8.4.2", "10.3", "10.5.1", "backups"});
  for (const auto& [number, missing] : missing_in(compliance)) {
    INFO(number);
    CHECK(missing == "");
  }
}

TEST_CASE("each requirement says what is missing, and no other with it") {
  const std::vector<changed_fact> rows{
      {"3.2.1", "payments are kept for ever",
       [](auto& facts, auto&, auto&) { settings_in(facts)["payments_kept_ms"] = nullptr; }},
      {"3.6.1", "beside what it seals",
       [](auto& facts, auto&, auto&) {
         settings_in(facts)["master_key_command"] = false;
         settings_in(facts)["master_key_beside_data"] = true;
       }},
      {"3.6.1", "a file in the clear",
       [](auto& facts, auto&, auto&) { settings_in(facts)["master_key_command"] = false; }},
      {"3.6.1", "runs with dev", [](auto& facts, auto&, auto&) { settings_in(facts)["dev"] = true; }},
      {"3.6.1", "core-dumps is set", [](auto& facts, auto&, auto&) { settings_in(facts)["core_dumps"] = true; }},
      {"3.7.4", "older than a year",
       [](auto& facts, auto&, auto&) {
         facts["master_keys"].as_array()[2].as_object()["created_at"] = "2025-11-19T00:00:00.000Z";
       }},
      {"3.7.4", "no master key", [](auto& facts, auto&, auto&) { facts["master_keys"] = json::array{}; }},
      {"8.2.1", "no operators", [](auto& facts, auto&, auto&) { facts["operators"] = json::array{}; }},
      {"8.2.8", "portal-session-idle is longer than 15m",
       [](auto& facts, auto&, auto&) { settings_in(facts)["portal_session_idle_ms"] = 1'800'000; }},
      {"8.2.8", "console-session-idle is longer than 15m",
       [](auto& facts, auto&, auto&) { settings_in(facts)["console_session_idle_ms"] = 900'001; }},
      {"8.4.2", "1 operator has not set up",
       [](auto& facts, auto&, auto&) { facts["operators"].as_array()[1].as_object()["is_set_up"] = false; }},
      {"10.3", "found problems", [](auto&, auto& audit, auto&) { audit["ok"] = false; }},
      {"10.5.1", "less than twelve months",
       [](auto& facts, auto&, auto&) { settings_in(facts)["audit_kept_ms"] = 31'535'999'999; }},
      {"backups", "names no backup", [](auto&, auto&, auto& backup) { backup.clear(); }},
      {"backups", "older than a week",
       [](auto&, auto&, auto& backup) { backup["occurred_at"] = "2026-11-12T23:59:59.000Z"; }},
      {"backups", "own tools",
       [](auto& facts, auto&, auto& backup) {
         settings_in(facts)["store"] = "mysql";
         backup.clear();
       }},
  };
  for (const auto& row : rows) {
    auto facts = good_facts(), audit = good_audit(), backup = good_backup();
    row.change(facts, audit, backup);
    for (const auto& [number, missing] : missing_in(compliance_of(facts, audit, backup))) {
      INFO(row.requirement << ", " << row.what << ": " << number);
      CHECK_THAT(missing, number == row.requirement ? Contains(row.what) : Contains(""));
      CHECK(missing.empty() == (number != row.requirement));
    }
  }
}

TEST_CASE("the evidence names settings, dates and counts of this installation") {
  const auto text = compliance_as_text(compliance_of(good_facts(), good_audit(), good_backup()));
  for (const std::string line :
       {"PCI DSS 4.0, what a gateway can show of it, checked at 2026-11-20 09:30 UTC on node n1: 9 of 9 met",
        "3.2.1    met      Stored data is kept no longer than needed", "  evidence: payments-kept: 540d",
        "  evidence: 3 master keys since the installation",
        "  evidence: mk_3 is current since 2026-11-10 (10 days), and seals 41 secrets",
        "  evidence: 1 older key still seals 3 secrets",
        "  evidence: 2 operators, 2 set up with a password and a second factor", "  evidence: ada (admin)",
        "  evidence: console-session-idle: 15m", "  evidence: 120 entries verified in 2 chains",
        "  evidence: 30 older entries purged by audit-kept", "  evidence: audit-kept: forever",
        "  evidence: the last backup was made on 2026-11-19 by root"}) {
    INFO(text);
    CHECK_THAT(text, Contains(line + '\n'));
  }
  auto facts = good_facts();
  settings_in(facts)["payments_kept_ms"] = nullptr;
  CHECK_THAT(compliance_as_text(compliance_of(facts, good_audit(), good_backup())),
             Contains("3.2.1    NOT MET  Stored") && Contains("  missing:  payments are kept for ever"));
}

TEST_CASE("a backup of a database server counts once it is recorded") {
  auto facts = good_facts();
  settings_in(facts)["store"] = "mysql";
  settings_in(facts)["engine"] = "TiDB 8.0.11-TiDB-v8.5.3";
  const auto found = compliance_of(facts, good_audit(), good_backup());
  CHECK(missing_in(found).at("backups") == "");
  CHECK_THAT(compliance_as_text(found), Contains("  evidence: the database is TiDB 8.0.11-TiDB-v8.5.3\n"));
}

TEST_CASE("the command asks for the facts, verifies the audit log and looks for the newest backup, page by page") {
  std::vector<std::string> requests;
  std::vector<std::string> answers{json::serialize(good_facts()),
                                   R"({"ok":true,"entries":2,"erased":0,"unlinked":0,"problems":[],
                                       "head":{"chain":0,"number":2,"hash":"aa"}})",
                                   R"({"entries":[{"action":"mint key"}],"next":"n1"})",
                                   R"({"entries":[{"action":"make backup","occurred_at":"2026-11-18T00:00:00.000Z",
                                       "actor":"ada"},{"action":"make backup"}],"next":"n2"})"};
  const operator_poster post = [&](const std::string& path, const json::object& body) {
    requests.push_back(path + ' ' + json::serialize(body));
    return json::parse(answers.at(requests.size() - 1)).as_object();
  };
  std::ostringstream out;
  write_compliance(true, post, out);
  CHECK(requests == std::vector<std::string>{"/operator/compliance {}", "/operator/audit/verify {}",
                                             R"(/operator/audit/list {"limit":1000})",
                                             R"(/operator/audit/list {"limit":1000,"after":"n1"})"});
  const auto written = json::parse(out.str()).as_object();
  CHECK(missing_in(written).at("backups") == "");
  CHECK_THAT(out.str(), Contains("2026-11-18 by ada"));
}
