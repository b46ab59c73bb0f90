// The master key: rotated, watched and retired while the gateway serves; what was sealed and issued under an older key
// stays valid while that key is there. See docs/operators.md, "The master key".
#include <catch2/catch.hpp>

#include <filesystem>
#include <regex>
#include <set>

#include "authenticator.hpp"
#include "merchant.hpp"
#include "paths.hpp"
#include "platform.hpp"
#include "text.hpp"
#include "visitor.hpp"
#include "webhook_receiver.hpp"

using namespace gateway::e2e;

namespace {

using std::chrono::seconds;

struct shown_key {
  std::string id;
  bool current = false;
  std::int64_t sealed = 0;
};

std::vector<shown_key> master_keys(const gateway_process& gateway) {
  const auto answer = gateway.ctl({"master-key", "status"});
  CHECK(answer.names() == std::vector<std::string>{"keys"});
  std::vector<shown_key> keys;
  for (const auto& row : answer["keys"].items()) {
    CHECK(row.names() == std::vector<std::string>{"id", "current", "sealed"});
    keys.push_back({row["id"].text(), row["current"] == true, row["sealed"].number()});
  }
  CHECK(std::ranges::count(keys, true, &shown_key::current) == 1);
  return keys;
}

std::string rotate(const gateway_process& gateway) {
  const auto answer = gateway.ctl({"master-key", "rotate"});
  CHECK(answer.names() == std::vector<std::string>{"id"});
  const auto id = answer["id"].text();
  const auto keys = master_keys(gateway);
  CHECK(keys.back().id == id);
  CHECK(keys.back().current);
  return id;
}

/// Whether only the newest key seals anything.
bool all_sealed_anew(const gateway_process& gateway) {
  const auto keys = master_keys(gateway);
  return std::all_of(keys.begin(), keys.end() - 1, [](const shown_key& key) { return key.sealed == 0; });
}

/// The ids that sealed texts name, straight from the database; an empty one for a text without a name.
std::set<std::string> keys_named_in_rows(const gateway_process& gateway) {
  std::set<std::string> named;
  for (const auto* query : {"SELECT sealed_secret FROM api_keys;", "SELECT sealed_secret FROM platform_keys;",
                            "SELECT sealed_secret FROM destinations;", "SELECT sealed_previous FROM destinations;",
                            "SELECT sealed_settings FROM providers;", "SELECT sealed_totp FROM people;"}) {
    const auto rows = gateway.sql(query);
    const std::regex sealed{"([a-z0-9-]+\\.)?[A-Za-z0-9_-]{30,}"};
    for (auto at = std::sregex_iterator{rows.begin(), rows.end(), sealed}; at != std::sregex_iterator{}; ++at) {
      const auto name = (*at)[1].str();
      named.insert(name.empty() ? name : name.substr(0, name.size() - 1));
    }
  }
  return named;
}

command_output retire(const gateway_process& gateway, const std::string& id) {
  return gateway.run_ctl({"master-key", "retire", id});
}

/// A merchant, a platform, a destination and a person with a second factor: one of each kind of sealed text.
struct sealed_shop {
  gateway_process& gateway;
  webhook_receiver receiver;
  merchant_account shop = new_merchant(gateway);
  platform_account platform = new_platform(gateway, "front");
  std::string email = "ada@lantern.example";
  std::string secret_of_app;
  visitor person{gateway};

  explicit sealed_shop(gateway_process& on) : gateway{on} {
    const auto made =
        gateway.ctl({"destination", "set", "--merchant", shop.id, "--mode", "test", "--url", receiver.url()});
    gateway.ctl({"destination", "rotate-secret", made["destination_id"].text()});
    gateway.ctl({"provider", "set", "--provider", "stripe", "--mode", "test", "--settings-stdin"},
                object{}
                    .set("secret_key", "sk_test_0123456789abcdefghijklmn")
                    .set("publishable_key", "pk_test_0123456789abcdefghijklmn")
                    .set("webhook_secret", "whsec_0123456789abcdefghijklmnopqrstuv")
                    .text());
    add_person(gateway, shop.id, email);
    sign_in(person);
    person.click("second-factor-on", {{"password", std::string{owner_password}}});
    const std::regex key{"([A-Z2-7]{4} ){7}[A-Z2-7]{4}"};
    std::smatch found;
    const auto html = person.html();
    REQUIRE(std::regex_search(html, found, key));
    secret_of_app = found.str();
    person.click("confirm-second-factor", {{"code", totp_code(secret_of_app)}});
    REQUIRE(person.answer().status == 200);
  }
  void sign_in(visitor& who) const {
    who.open("/portal/sign-in");
    who.click("sign-in", {{"email", email}, {"password", std::string{owner_password}}});
    who.open("/portal/account");
  }
  bool pays() const { return api{gateway, shop.test}.create(server_payment(new_payment_id())).status == 200; }
  bool platform_is_known() const { return api{gateway, platform.key}.get("/v1/customers").status != 401; }
};

}  // namespace

TEST_CASE("a rotated master key is used at once, the rest is resealed, and the old key is retired when it is done") {
  gateway_process gateway{{.store = GENERATE(from_range(stores()))}};
  sealed_shop all{gateway};
  const auto first = master_keys(gateway);
  REQUIRE(first.size() == 1);
  CHECK(first[0].sealed >= 6);
  CHECK(keys_named_in_rows(gateway) == std::set{first[0].id});
  CHECK(retire(gateway, first[0].id).code == 1);  // the current one

  const auto second = rotate(gateway);
  CHECK(second != first[0].id);
  CHECK(all.pays());
  const auto minted = mint_key(gateway, all.shop.id);
  CHECK(gateway.sql("SELECT sealed_secret FROM api_keys WHERE key_id = '" + minted.key_id + "';").find(second + ".") !=
        std::string::npos);
  REQUIRE(eventually([&] { return all_sealed_anew(gateway); }));
  CHECK(keys_named_in_rows(gateway) == std::set{second});
  CHECK(master_keys(gateway).size() == 2);
  CHECK(retire(gateway, second).code == 1);
  CHECK(retire(gateway, "k000000000000").code == 1);
  const auto retired = retire(gateway, first[0].id);
  REQUIRE(retired.code == 0);
  CHECK(json::parse(retired.out).names() == std::vector<std::string>{"id"});
  CHECK(json::parse(retired.out)["id"] == first[0].id);
  CHECK(master_keys(gateway).size() == 1);
  const auto file = read_file(gateway.data_dir() / "master.key");
  CHECK(lines_of(file).size() == 1);
  CHECK(file.starts_with(second + " "));

  REQUIRE(gateway.terminate());
  gateway.start();
  CHECK(all.pays());
  CHECK(all.platform_is_known());
  CHECK(api{gateway, minted}.get("/v1/payment_intents/pay_none").status == 404);
  visitor again{gateway};
  all.sign_in(again);
  CHECK(again.at() != "/portal/account");  // the second factor is missing
  again.open("/portal/sign-in");
  again.click("sign-in", {{"email", all.email}, {"password", std::string{owner_password}}});
  again.click("sign-in", {{"code", totp_code(all.secret_of_app, seconds{30})}});
  again.open("/portal/account");
  CHECK(again.at() == "/portal/account");
  // Neither the keys nor their digits are in the log.
  for (const auto& line : lines_of(file)) CHECK(gateway.log().find(line.substr(line.size() - 64)) == std::string::npos);
}

TEST_CASE("what was issued under the old master key is valid until that key is retired") {
  gateway_process gateway{gateway_options{}};
  const auto shop = new_merchant(gateway);
  const std::string email = "ada@lantern.example";
  add_person(gateway, shop.id, email);
  const auto first = master_keys(gateway)[0].id;
  const auto invite = [&](const std::string& who) {
    return gateway.ctl({"merchant", "user", "invite", "--merchant", shop.id, "--email", who})["invitation_url"].text();
  };
  const auto link = invite("eve@lantern.example"), late_link = invite("vic@lantern.example");
  api merchant{gateway, shop.test};
  for (int i = 0; i < 3; ++i) CHECK(merchant.create(server_payment(new_payment_id())).status == 200);
  const auto page = json::parse(merchant.get("/v1/payment_intents?limit=2").body);
  const auto cursor = percent_encode(page["next"].text());
  REQUIRE_FALSE(cursor.empty());
  const auto hosted =
      json::parse(merchant.create(redirect_payment(new_payment_id())).body)["provider.hosted_url"].text();
  REQUIRE_FALSE(hosted.empty());
  visitor person{gateway};
  person.open("/portal/sign-in");  // its form was shown under the old key

  rotate(gateway);
  person.click("sign-in", {{"email", email}, {"password", std::string{owner_password}}});
  CHECK(person.open("/portal/account").status == 200);
  visitor eve{gateway};
  CHECK(eve.open(link).status == 200);
  eve.click("set-password", {{"password", "correct horse battery"}});
  CHECK(eve.at() == "/portal/sign-in");
  CHECK(merchant.get("/v1/payment_intents?limit=2&after=" + cursor).status == 200);
  CHECK(visitor{gateway}.open(hosted).status == 200);

  REQUIRE(eventually([&] { return all_sealed_anew(gateway); }));
  person.open("/portal/account");
  REQUIRE(retire(gateway, first).code == 0);
  CHECK(person.open("/portal/account").status == 200);  // a session is no secret of the master key's
  CHECK(visitor{gateway}.open(late_link).status == 410);
  // A follower keeps its place.
  CHECK(merchant.get("/v1/payment_intents?limit=2&after=" + cursor).status == 200);
  CHECK(visitor{gateway}.open(hosted).status != 200);
  CHECK(visitor{gateway}.open(invite("vic@lantern.example")).status == 200);
}

TEST_CASE("a database and a key file of a gateway that knew one key are read, and sealed as before until a rotation") {
  gateway_process gateway{{.store = GENERATE(from_range(stores()))}};
  const auto shop = new_merchant(gateway);
  REQUIRE(gateway.terminate());
  // As the version before left them.
  gateway.sql("DELETE FROM master_keys; DELETE FROM meta WHERE name = 'master_key_named';");
  const auto cut = [](const std::string& column, const std::string& table) {
    return "UPDATE " + table + " SET " + column + " = SUBSTR(" + column + ", INSTR(" + column + ", '.') + 1);";
  };
  gateway.sql(cut("sealed_secret", "api_keys") + cut("sealed_secret", "destinations"));
  CHECK(keys_named_in_rows(gateway) == std::set<std::string>{""});
  gateway.start();
  const auto keys = master_keys(gateway);
  REQUIRE(keys.size() == 1);
  CHECK(keys[0].sealed >= 1);
  CHECK(api{gateway, shop.test}.create(server_payment(new_payment_id())).status == 200);
  const auto minted = mint_key(gateway, shop.id);
  CHECK(keys_named_in_rows(gateway) == std::set<std::string>{""});  // the version before could still open it
  const auto second = rotate(gateway);
  REQUIRE(eventually([&] { return all_sealed_anew(gateway); }));
  CHECK(keys_named_in_rows(gateway) == std::set{second});
  REQUIRE(retire(gateway, keys[0].id).code == 0);
  REQUIRE(gateway.terminate());
  gateway.start();
  for (const auto& key : {shop.test, minted})
    CHECK(api{gateway, key}.get("/v1/payment_intents/pay_none").status == 404);
}

TEST_CASE("a program prints the master keys, and is asked again for a further line when they rotate") {
  const auto folder = new_folder("master-keys");
  const auto printed = folder / "printed", program = folder / "print-keys";
  const auto first = random_hex(32), second = random_hex(32);
  write_file(printed, first + "\n");
  write_file(program, "#!/bin/sh\nexec cat '" + printed.string() + "'\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  gateway_options options;
  options.arguments = {"--master-key-command=" + program.string()};
  gateway_process gateway{options};
  CHECK_FALSE(std::filesystem::exists(gateway.data_dir() / "master.key"));
  const auto shop = new_merchant(gateway);
  const auto refused = gateway.run_ctl({"master-key", "rotate"});
  CHECK(refused.code == 1);
  CHECK(refused.err.find("further line") != std::string::npos);
  CHECK(master_keys(gateway).size() == 1);
  write_file(printed, first + "\n" + second + "\n");
  rotate(gateway);
  REQUIRE(eventually([&] { return all_sealed_anew(gateway); }));
  REQUIRE(retire(gateway, master_keys(gateway)[0].id).code == 0);
  write_file(printed, second + "\n");
  REQUIRE(gateway.terminate());
  gateway.start();
  CHECK(api{gateway, shop.test}.create(server_payment(new_payment_id())).status == 200);
  for (const auto& key : {first, second}) CHECK(gateway.log().find(key) == std::string::npos);

  REQUIRE(gateway.terminate());
  for (const auto& wrong : {first, random_hex(32), second.substr(1)}) {
    write_file(printed, wrong + "\n");
    CHECK_THROWS_AS(gateway.start(), start_failed);
    const auto line = lines_of(gateway.log()).back();
    CHECK(line.starts_with("gatewayd: master-key-command"));
    CHECK(line.find(wrong) == std::string::npos);
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a key that the database needs and the file lacks ends the start, with a line that names it") {
  gateway_process gateway{gateway_options{}};
  new_merchant(gateway);
  const auto second = rotate(gateway);
  REQUIRE(gateway.terminate());
  const auto file = gateway.data_dir() / "master.key";
  const auto text = read_file(file);
  REQUIRE(lines_of(text).size() == 2);
  write_file(file, lines_of(text)[0] + "\n");
  CHECK_THROWS_AS(gateway.start(), start_failed);
  CHECK(lines_of(gateway.log()).back().find(second) != std::string::npos);
  write_file(file, text);
  gateway.start();
  CHECK(gateway.ready());
}
