// A gateway whose database is older than what it has answered: writes are refused, and the operator socket's routes
// that gatewayctl backup and recover use.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using Catch::Contains;

namespace {

struct recovery_fixture : gateway_fixture {
  write_gate gate;
  provider_board board{merchants, false};
  commit_outcome accepted = commit_outcome::committed;
  std::vector<save_audit> accepts;
  std::vector<save_audit> committed_notes;
  std::vector<save_fact> committed_facts;

  recovery_fixture() {
    gate.close();
    shared.gate = &gate;
    shared.providers = &board;
    shared.witness = system.spawn([this](database_witness_actor::pointer) -> database_witness_actor::behavior_type {
      return {[](wake_atom) {}, [](drain_atom) { return true; },
              [this](const accept_database& wanted) {
                accepts.push_back(wanted.note);
                return accepted;
              }};
    });
    scene.commits = [this](const unit_of_work& unit) {
      for (const auto& row : unit.inserts) {
        if (const auto* note = std::get_if<save_audit>(&row)) committed_notes.push_back(*note);
        if (const auto* fact = std::get_if<save_fact>(&row)) committed_facts.push_back(*fact);
      }
      return commit_outcome::committed;
    };
  }
  ~recovery_fixture() { caf::anon_send_exit(shared.witness, caf::exit_reason::kill); }

  response ask(std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  }
};

payment_ptr payment_number(int number, std::int64_t version = 1) {
  auto p = *waiting_payment();
  p.key.id = "pay_" + std::to_string(number);
  p.version = version;
  return std::make_shared<const payment>(std::move(p));
}

/// A file that is removed on destruction.
struct ledger_file {
  std::filesystem::path path;

  explicit ledger_file(const std::string& text) {
    auto name = (std::filesystem::temp_directory_path() / "gateway-ledger-XXXXXX").string();
    const int made = ::mkstemp(name.data());
    REQUIRE(made >= 0);
    path = name;
    std::ofstream{path} << text;
  }
  ~ledger_file() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

std::string ledger_line(const std::string& payment, const std::string& begun_at) {
  return R"({"provider_key":"pk_1","operation":"create","payment_id":")" + payment +
         R"(","merchant":"merch_1","environment":"test","amount":4200,"currency":"HKD","moved":"","reference":"r",)" +
         R"("begun_at":")" + begun_at + R"(","status":"approved"})" + "\n";
}

}  // namespace

TEST_CASE_METHOD(recovery_fixture,
                 "while the gate is closed, writes are refused before an actor is asked, and reads go on") {
  for (const auto* path : {"/v1/payment_intents", "/v1/payment_intents/pay_1/capture", "/v1/charges/saved"}) {
    client_request write;
    write.path = path;
    const auto out = write.send(*this);
    CHECK(out.status == 503);
    CHECK(code_in(out) == "recovery_required");
    CHECK(header(out, "Retry-After") == "1");
  }
  CHECK(scene.seen.empty());
  scene.router = [](const entity_request&) { return entity_reply{entity_row{waiting_payment()}}; };
  CHECK(get("/v1/payment_intents/pay_1").send(*this).status == 200);
  CHECK(run(unsigned_request("GET", "/healthz")).status == 200);
  gate.open();
  scene.router = [](const entity_request&) { return entity_reply{problem::payment_not_found}; };
  CHECK(client_request{}.send(*this).status == 404);
}

TEST_CASE_METHOD(recovery_fixture,
                 "while the gate is closed, a person's form gets a page, and a provider's post JSON") {
  const auto form =
      run(unsigned_request("POST", "/sandbox/checkout/token", "a=b", "application/x-www-form-urlencoded"));
  CHECK(form.status == 503);
  CHECK(form.content_type == "text/html; charset=utf-8");
  CHECK_THAT(std::string{form.sent_body()}, Contains("is being restored after a fault"));
  const auto posted = run(unsigned_request("POST", "/v1/public/providers/stripe/test/notifications", "{}"));
  CHECK(posted.status == 503);
  CHECK(code_in(posted) == "recovery_required");
  const auto sign_in = run(unsigned_request("POST", "/portal/sign-in", "a=b", "application/x-www-form-urlencoded"));
  CHECK(sign_in.status != 503);
}

TEST_CASE_METHOD(recovery_fixture, "a recovery begins with an entry on the audit log and the providers' lists") {
  const auto out = ask("/operator/recovery/begin", R"({"from":"2026-11-20T09:30:00Z"})");
  CHECK(out.status == 200);
  CHECK_THAT(out.body, Contains(R"("required":true)") && Contains(R"({"provider":"sandbox","mode":"test"})") &&
                           !Contains("live"));
  REQUIRE(committed_notes.size() == 1);
  CHECK(committed_notes[0].action == "begin recovery");
  CHECK(committed_notes[0].subject == "2026-11-20T09:30:00.000Z");
  for (const auto* wrong : {"{}", R"({"from":"yesterday"})", R"({"from":"2999-01-01T00:00:00Z"})", "[]"})
    CHECK(ask("/operator/recovery/begin", wrong).status == 400);
}

TEST_CASE_METHOD(recovery_fixture,
                 "a part of the payments is asked about, and the answer says what changed and where to go on") {
  std::vector<find_payments_of_merchants> queries;
  scene.of<find_payments_of_merchants>() = [&](const find_payments_of_merchants& query) {
    queries.push_back(query);
    payments_of_merchants_lookup found;
    found.payments = {payment_number(1), payment_number(2), payment_number(3)};
    found.next = merchants_payment_position{merchant_id{"merch_1"}, environment::test, {noon, "pay_3"}};
    return found;
  };
  scene.router = [](const entity_request& asked) -> entity_reply {
    CHECK(command_if<ask_provider>(asked.what));
    if (asked.key.id == "pay_1") {
      auto paid = *payment_number(1, 2);
      paid.state = payment_state::captured;
      return entity_reply{entity_row{std::make_shared<const payment>(paid)}};
    }
    if (asked.key.id == "pay_2") return entity_reply{problem::provider_unavailable};
    return entity_reply{entity_row{payment_number(3, 2)}};  // a question alone makes a version
  };
  const auto out = ask("/operator/recovery/payments", R"({"state":"processing"})");
  REQUIRE(out.status == 200);
  const auto body = boost::json::parse(out.body).as_object();
  CHECK(body.at("refreshed").as_int64() == 3);
  CHECK(body.at("changed").as_int64() == 1);
  REQUIRE(body.at("unanswered").as_array().size() == 1);
  CHECK(body.at("unanswered").as_array()[0].at("payment_id").as_string() == "pay_2");
  const std::string next{body.at("next").as_string()};
  ask("/operator/recovery/payments", R"({"state":"processing","after":")" + next + "\"}");
  REQUIRE(queries.size() == 2);
  CHECK(queries[0].state == payment_state::processing);
  REQUIRE(queries[1].after);
  CHECK(queries[1].after->behind.payment_id == "pay_3");
  CHECK(ask("/operator/recovery/payments", R"({"state":"settled"})").status == 400);
  CHECK(ask("/operator/recovery/payments", R"({"state":"processing","after":"x"})").status == 400);
}

TEST_CASE_METHOD(recovery_fixture, "payments with an unknown outcome are asked about by their keys, a part at a time") {
  scene.of<find_unknown_payments>() = [](const find_unknown_payments&) {
    payments_lookup found;
    for (int i = 30; i > 10; --i) found.payments.push_back(payment_number(i));
    return found;
  };
  scene.router = [](const entity_request& asked) {
    return entity_reply{entity_row{payment_number(std::stoi(asked.key.id.substr(4)))}};
  };
  const auto first = boost::json::parse(ask("/operator/recovery/payments", "{}").body).as_object();
  CHECK(first.at("refreshed").as_int64() == 16);
  CHECK(first.at("next").as_string() == "merch_1/test/pay_26");
  const auto second =
      boost::json::parse(ask("/operator/recovery/payments", R"({"after":"merch_1/test/pay_26"})").body).as_object();
  CHECK(second.at("refreshed").as_int64() == 4);
  CHECK_FALSE(second.contains("next"));
}

TEST_CASE_METHOD(recovery_fixture, "payments that the sandbox's ledger has and the database has not are named once") {
  const ledger_file file{ledger_line("pay_old", "2026-11-20T08:00:00.000Z") +
                         ledger_line("pay_here", "2026-11-20T10:00:00.000Z") + "not a line\n" +
                         ledger_line("pay_lost", "2026-11-20T10:00:01.000Z") +
                         ledger_line("pay_lost", "2026-11-20T10:00:02.000Z")};
  config.sandbox_ledger = file.path;
  scene.rows = [](const find_entity& query) {
    entity_lookup found;
    if (query.key.id == "pay_here") found.found = entity_row{waiting_payment()};
    return found;
  };
  const auto out = ask("/operator/recovery/sandbox-ledger", R"({"from":"2026-11-20T09:30:00Z"})");
  CHECK(out.body == R"({"missing":[{"payment_id":"pay_lost","merchant_id":"merch_1","mode":"test"}]})");
  config.sandbox_ledger.clear();
  CHECK(ask("/operator/recovery/sandbox-ledger", R"({"from":"2026-11-20T09:30:00Z"})").body == R"({"missing":[]})");
}

TEST_CASE_METHOD(recovery_fixture, "a recovery is finished by the witness, with the counts on the audit log") {
  const auto finish = [&] {
    return ask("/operator/recovery/finish",
               R"({"from":"2026-11-20T09:30:00Z","refreshed":7,"changed":2,"unanswered":0,"unknown":1})");
  };
  CHECK(finish().body == R"({"recovered":true})");
  REQUIRE(accepts.size() == 1);
  CHECK(accepts[0].action == "accept database");
  CHECK_THAT(accepts[0].after, Contains(R"("refreshed":7,"changed":2)"));
  accepted = commit_outcome::unavailable;
  CHECK(finish().status == 503);
  accepted = commit_outcome::rejected;
  CHECK(finish().status == 503);
}

TEST_CASE_METHOD(recovery_fixture, "a backup is written on the audit log, and refused where the store is a server") {
  CHECK(ask("/operator/backup", R"({"directory":"/backup/today"})").body == R"({"database":"gateway.sqlite"})");
  REQUIRE(committed_notes.size() == 1);
  CHECK(committed_notes[0].action == "begin backup");
  CHECK(committed_notes[0].subject == "/backup/today");
  const auto hash = std::string(64, 'a');
  CHECK(ask("/operator/backup/made", R"({"directory":"/backup/today","manifest_sha256":")" + hash + R"("})").status ==
        200);
  REQUIRE(committed_notes.size() == 2);
  CHECK(committed_notes[1].action == "make backup");
  CHECK(committed_notes[1].after == R"({"manifest_sha256":")" + hash + R"("})");
  const save_fact made_now{std::string{last_backup_name}, std::to_string(to_unix_ms(committed_notes[1].at))};
  CHECK(committed_facts == std::vector{made_now});
  // One that another tool has made has no manifest.
  CHECK(ask("/operator/backup/made", R"({"directory":"/backup/server"})").status == 200);
  REQUIRE(committed_notes.size() == 3);
  CHECK(committed_notes[2].subject == "/backup/server");
  CHECK(committed_notes[2].after.empty());
  CHECK(committed_facts.size() == 2);
  CHECK(ask("/operator/backup/made", "{}").status == 400);
  config.store = "mysql://gateway:hunter2@localhost/payments";
  const auto refused = ask("/operator/backup", R"({"directory":"/backup/it's"})");
  CHECK(refused.status == 409);
  CHECK_THAT(refused.body, Contains("mariadb-backup --backup") && Contains(R"(--target-dir='/backup/it'\\''s')") &&
                               !Contains("hunter2"));
  CHECK(committed_notes.size() == 3);
}
