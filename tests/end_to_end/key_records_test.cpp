// What is recorded about keys: their names, who made them, and the day of their last use.
#include <catch2/catch.hpp>

#include <pwd.h>
#include <unistd.h>

#include <regex>

#include "merchant.hpp"
#include "platform.hpp"
#include "text.hpp"
#include "visitor.hpp"

using namespace gateway::e2e;

namespace {

std::string user_name() {
  const auto* entry = ::getpwuid(::geteuid());
  return entry ? entry->pw_name : "operator";
}

std::string record_of(const gateway_process& gateway, const std::string& table, const std::string& key,
                      const std::string& columns) {
  return gateway.sql("SELECT " + columns + " FROM " + table + " WHERE key_id = '" + key + "';");
}

}  // namespace

TEST_CASE("a key made over the operator socket has its name and the Unix user who made it") {
  gateway_process gateway{gateway_options{}};
  const auto shop = new_merchant(gateway);
  const auto made = gateway.ctl(
      {"merchant", "key", "mint", "--merchant", shop.id, "--mode", "test", "--name", "The till at the door"});
  CHECK(made.size() == 3);
  const auto row = record_of(gateway, "api_keys", made["key_id"].text(), "name, created_by");
  CHECK(row.find("The till at the door") != std::string::npos);
  CHECK(row.find(user_name()) != std::string::npos);
  const auto platform = new_platform(gateway, "front");
  const auto second = gateway.ctl({"platform", "key", "mint", "--platform", platform.id, "--name", "Their server"});
  const auto platform_row = record_of(gateway, "platform_keys", second["key_id"].text(), "name, created_by");
  CHECK(platform_row.find("Their server") != std::string::npos);
  CHECK(platform_row.find(user_name()) != std::string::npos);
  CHECK(gateway
            .run_ctl(
                {"merchant", "key", "mint", "--merchant", shop.id, "--mode", "test", "--name", std::string(101, 'x')})
            .code == 1);
}

TEST_CASE("only a right signature is a use of a key, and its day survives a restart") {
  gateway_process gateway{gateway_options{}};
  const auto shop = new_merchant(gateway);
  add_person(gateway, shop.id, "ada@lantern.example");
  const auto used = mint_key(gateway, shop.id), unused = mint_key(gateway, shop.id);
  CHECK(api{gateway, used}.get("/v1/payment_intents/pay_none").status == 404);
  CHECK(api{gateway, {unused.key_id, used.secret}}.get("/v1/payment_intents/pay_none").status == 401);
  REQUIRE(gateway.terminate());
  const auto is_unused = [&](const std::string& key) {
    return record_of(gateway, "api_keys", key, "CASE WHEN last_used_on IS NULL THEN 'unused' ELSE 'used' END")
               .find("unused") != std::string::npos;
  };
  CHECK_FALSE(is_unused(used.key_id));
  CHECK(is_unused(unused.key_id));
  gateway.start();
  visitor owner{gateway};
  owner.open("/portal/sign-in");
  owner.click("sign-in", {{"email", "ada@lantern.example"}, {"password", std::string{owner_password}}});
  owner.open("/portal/" + shop.id + "/test/keys");
  const auto& page = owner.html();
  CHECK(std::regex_search(page, std::regex{"datetime=\"[0-9]{4}-[0-9]{2}-[0-9]{2}\""}));
  CHECK(page.find("Never") != std::string::npos);
}

TEST_CASE("a key made in the portal shows its name and its maker's address") {
  gateway_process gateway{gateway_options{}};
  const auto shop = new_merchant(gateway);
  add_person(gateway, shop.id, "ada@lantern.example");
  visitor owner{gateway};
  owner.open("/portal/sign-in");
  owner.click("sign-in", {{"email", "ada@lantern.example"}, {"password", std::string{owner_password}}});
  const auto keys = "/portal/" + shop.id + "/test/keys";
  owner.open(keys);
  owner.click("mint", {{"name", "Books & tea"}});
  CHECK(owner.answer().status == 200);
  owner.open(keys);
  CHECK(owner.html().find("Books & tea") != std::string::npos);
  CHECK(owner.html().find("data-name=\"Created by\"><span class=\"piece\">ada@lantern.example</span>") !=
        std::string::npos);
  CHECK(owner.click("mint", {{"name", std::string(101, 'x')}}).status == 422);
}
