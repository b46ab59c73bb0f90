// gatewayctl's commands for merchants, keys, users, connections and routes.
#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <regex>

#include "merchant.hpp"
#include "paths.hpp"

using namespace gateway::e2e;

namespace {

bool has_form(const std::string& text, const std::string& pattern) {
  return std::regex_match(text, std::regex{pattern});
}

constexpr const char* merchant_form = "merch_[0-9a-z]+";

void fails(const command_output& result, int code) {
  CAPTURE(result.out, result.err);
  CHECK(result.code == code);
  CHECK(result.out.empty());
  CHECK(lines_of(result.err).size() == 1);
}

}  // namespace

TEST_CASE("merchant create answers with the merchant and its entity, ready for test payments") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto made = gateway.ctl({"merchant", "create", "--name", "Lantern Books"});
  CHECK(has_form(made["merchant_id"].text(), merchant_form));
  CHECK(has_form(made["entity_id"].text(), "ent_[0-9a-z]+"));
  CHECK(made.size() == 2);
  api merchant{gateway, mint_key(gateway, made["merchant_id"].text())};
  CHECK(summary_of(merchant.create(server_payment(new_payment_id()))) == "200 authorized");

  const auto wallet = gateway.ctl(
      {"merchant", "create", "--name", "Bazaar", "--entity", "wallet", "--owner-email", "owner@bazaar.example"});
  api bazaar{gateway, mint_key(gateway, wallet["merchant_id"].text())};
  CHECK(summary_of(bazaar.create(redirect_payment(new_payment_id(), "PKR"))) == "200 processing");
}

TEST_CASE("merchant key mint answers with the key, its secret and its scopes") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway);
  const auto test = gateway.ctl({"merchant", "key", "mint", "--merchant", account.id, "--mode", "test"});
  CHECK(has_form(test["key_id"].text(), "mk_test_[0-9a-f]+"));
  CHECK(has_form(test["secret"].text(), "[0-9a-f]{64}"));
  for (const auto* scope : {"payments:write", "payments:read", "mcp:read"})
    CHECK(test["scopes"].dump().find(scope) != std::string::npos);
  CHECK(test.size() == 3);

  const auto live = gateway.ctl({"merchant", "key", "mint", "--merchant", account.id, "--mode", "live", "--scopes",
                                 "payments:read customers:read"});
  CHECK(has_form(live["key_id"].text(), "mk_live_[0-9a-f]+"));
  CHECK(live["scopes"].dump().find("payments:read") != std::string::npos);
  CHECK(live["scopes"].dump().find("payments:write") == std::string::npos);
  CHECK_FALSE(live["secret"] == test["secret"].text());
}

TEST_CASE("secrets are not stored in the clear") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway);
  gateway.ctl(
      {"merchant", "user", "add", "--merchant", account.id, "--email", "ada@lantern.example", "--password-stdin"},
      "correct horse battery\n");
  const auto rows =
      gateway.sql("SELECT * FROM api_keys WHERE merchant_id = '" + account.id +
                  "'; SELECT people.* FROM people JOIN memberships ON memberships.user_id = people.user_id "
                  "WHERE memberships.merchant_id = '" +
                  account.id + "';");
  CHECK(rows.find(account.test.key_id) != std::string::npos);
  CHECK(rows.find(account.test.secret) == std::string::npos);
  CHECK(rows.find("ada@lantern.example") != std::string::npos);
  CHECK(rows.find("correct horse battery") == std::string::npos);
}

TEST_CASE("merchant user add reads the password from standard input") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway);
  const std::vector<std::string> words{
      "merchant", "user", "add", "--merchant", account.id, "--email", "ada@lantern.example", "--password-stdin"};
  const auto added = gateway.ctl(words, "correct horse battery\n");
  CHECK(has_form(added["user_id"].text(), "user_[0-9a-z]+"));
  CHECK(added.size() == 1);
  // Adding the same person again sets a new password; no second person is made.
  CHECK(gateway.ctl(words, "staple for the horse\n")["user_id"] == added["user_id"].text());
  CHECK(gateway.run_ctl(words, "").code != 0);
}

TEST_CASE("merchant user invite gives a role and a link, and a password has at least 12 characters") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway);
  const std::vector<std::string> invite{
      "merchant", "user", "invite", "--merchant", account.id, "--email", "eve@lantern.example", "--role", "viewer"};
  const auto invited = gateway.ctl(invite);
  CHECK(has_form(invited["user_id"].text(), "user_[0-9a-z]+"));
  CHECK(invited["invitation_url"].text().starts_with(gateway.base_url() + "/portal/invitation?token="));
  CHECK(invited.size() == 2);
  const auto again = gateway.ctl(invite);
  CHECK(again["user_id"] == invited["user_id"].text());
  CHECK_FALSE(again["invitation_url"] == invited["invitation_url"].text());
  const std::vector<std::string> add{
      "merchant",        "user", "add", "--merchant", account.id, "--email", "EVE@lantern.example", "--role", "owner",
      "--password-stdin"};
  CHECK(gateway.run_ctl(add, "elevenchars\n").code == 1);
  CHECK(gateway.run_ctl(add, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\n").code == 1);
  CHECK(gateway.ctl(add, "twelve chars\n")["user_id"] == invited["user_id"].text());
  // She is the only owner now.
  CHECK(gateway.run_ctl(invite).code == 1);
}

TEST_CASE("key revoke answers with the key and its status, and can be repeated") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway);
  for (int i = 0; i < 2; ++i) {
    const auto revoked = gateway.ctl({"key", "revoke", account.test.key_id});
    CHECK(revoked["id"] == account.test.key_id);
    CHECK(revoked["status"] == "revoked");
    CHECK(summary_of(api{gateway, account.test}.create(server_payment(new_payment_id()))) == "401 unauthorized");
  }
}

TEST_CASE("a revoked key stays revoked after a restart, and the other keys keep working") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  const auto second = mint_key(gateway, account.id);
  gateway.ctl({"key", "revoke", account.test.key_id});
  gateway.kill();
  gateway.start();
  CHECK(summary_of(api{gateway, account.test}.view("pay_1")) == "401 unauthorized");
  CHECK(summary_of(api{gateway, second}.view("pay_1")) == "404 payment_not_found");
}

TEST_CASE("connection set answers with a permanent id, and the status") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway);
  const auto set = [&](const std::string& status) {
    return gateway.ctl({"connection", "set", "--merchant", account.id, "--mode", "live", "--provider", "sandbox",
                        "--status", status, "--account", "acct_1"});
  };
  const auto first = set("in_progress"), second = set("connected");
  CHECK(first["status"] == "in_progress");
  CHECK(second["status"] == "connected");
  CHECK_FALSE(first["id"].text().empty());
  CHECK(first["id"] == second["id"].text());
}

TEST_CASE("route set answers with an id that stays when the route is replaced") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway);
  const auto set = [&](const std::string& currencies) {
    return gateway.ctl({"route", "set", "--merchant", account.id, "--mode", "test", "--provider", "sandbox_hosted",
                        "--currencies", currencies, "--methods", "card"});
  };
  const auto first = set("HKD"), second = set("HKD,USD");
  CHECK_FALSE(first["id"].text().empty());
  CHECK(first["id"] == second["id"].text());
  CHECK(first.size() == 1);
}

TEST_CASE("a command that the gateway refuses prints one line on standard error and exits with 1") {
  auto& gateway = shared_gateway(store_kind::sqlite);
  const auto account = new_merchant(gateway);
  fails(gateway.run_ctl({"merchant", "key", "mint", "--merchant", "merch_nobody", "--mode", "test"}), 1);
  fails(gateway.run_ctl({"merchant", "key", "mint", "--merchant", account.id, "--mode", "test", "--scopes",
                         "payments:write paint:walls"}),
        1);
  fails(gateway.run_ctl(
            {"merchant", "user", "add", "--merchant", "merch_nobody", "--email", "a@b.example", "--password-stdin"},
            "long enough password\n"),
        1);
  fails(gateway.run_ctl({"key", "revoke", "mk_test_0000000000000000"}), 1);
  fails(gateway.run_ctl({"connection", "set", "--merchant", "merch_nobody", "--mode", "test", "--provider", "sandbox",
                         "--status", "connected"}),
        1);
  fails(gateway.run_ctl({"route", "set", "--merchant", account.id, "--mode", "test", "--provider", "sandbox",
                         "--currencies", "XXX", "--methods", "card"}),
        1);
  fails(gateway.run_ctl({"merchant", "create", "--name", ""}), 1);
}

TEST_CASE("a command that gatewayctl does not understand exits with 2") {
  auto& gateway = shared_gateway(store_kind::sqlite);
  const auto usage = [&](const std::vector<std::string>& words) {
    const auto result = gateway.run_ctl(words);
    CAPTURE(result.err, result.out);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK_FALSE(result.err.empty());
  };
  usage({});
  usage({"paint"});
  usage({"merchant"});
  usage({"merchant", "create"});
  usage({"merchant", "create", "--name", "X", "--colour", "red"});
  usage({"merchant", "create", "--name", "X", "--entity", "robot"});
  usage({"merchant", "key", "mint", "--merchant", "merch_1", "--mode", "both"});
  usage({"merchant", "key", "mint", "--mode", "test"});
  usage({"key", "revoke"});
  usage({"connection", "set", "--merchant", "m", "--mode", "test", "--provider", "bank", "--status", "connected"});
  usage({"connection", "set", "--merchant", "m", "--mode", "test", "--provider", "sandbox", "--status", "fine"});
  usage({"route", "set", "--merchant", "m", "--mode", "test", "--provider", "sandbox", "--currencies", "HKD"});
}

TEST_CASE("without --json the answer is for people, and the exit codes are the same") {
  auto& gateway = shared_gateway(store_kind::sqlite);
  const auto made = run_command({program("gatewayctl").string(), "--data-dir=" + gateway.data_dir().string(),
                                 "merchant", "create", "--name", "Lantern"});
  CHECK(made.code == 0);
  CHECK(made.out.find("merch_") != std::string::npos);
  CHECK(run_command(
            {program("gatewayctl").string(), "--data-dir=" + gateway.data_dir().string(), "key", "revoke", "mk_test_0"})
            .code == 1);
  CHECK(run_command({program("gatewayctl").string(), "--help"}).code == 0);
}

TEST_CASE("the operator socket is accessible to its owner alone, is removed at the end, and a stale one is replaced") {
  gateway_process gateway{gateway_options{}};
  struct stat about{};
  REQUIRE(::stat(gateway.operator_socket().c_str(), &about) == 0);
  CHECK(S_ISSOCK(about.st_mode));
  CHECK((about.st_mode & 0777) == 0600);
  gateway.kill();
  fails(gateway.run_ctl({"merchant", "create", "--name", "Lantern"}), 1);
  CHECK(std::filesystem::exists(gateway.operator_socket()));
  gateway.start();
  CHECK(gateway.run_ctl({"merchant", "create", "--name", "Lantern"}).code == 0);
  gateway.terminate();
  fails(gateway.run_ctl({"merchant", "create", "--name", "Lantern"}), 1);
}

TEST_CASE("names are returned as given, whatever their characters") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const std::string name = "Librería \"L'été\" 書店 \xf0\x9f\x93\x9a; DROP TABLE merchants; --";
  const auto account = new_merchant(gateway, {name, "standard", "", false});
  CHECK(gateway.sql("SELECT name FROM merchants WHERE merchant_id = '" + account.id + "';") == name + "\n");
}
