// gatewayctl's commands for platforms, their keys and destinations.
#include <catch2/catch.hpp>

#include <regex>

#include "merchant.hpp"

using namespace gateway::e2e;

namespace {

bool has_form(const std::string& text, const std::string& pattern) {
  return std::regex_match(text, std::regex{pattern});
}

/// Tests share gateways, and a slug belongs to one platform.
std::string new_slug() {
  static int made = 0;
  return "tea-" + std::to_string(++made) + "-" + new_uuid().substr(0, 8);
}

std::vector<std::string> creating(const std::string& slug) {
  return {"platform",        "create",
          "--name",          "Tea Time",
          "--slug",          slug,
          "--contact",       "security@tea.example",
          "--redirect-uri",  "https://tea.example/back",
          "--redirect-uri",  "http://localhost:3000/back?from=tea",
          "--return-origin", "https://tea.example"};
}

json listed(const gateway_process& gateway, const std::string& platform) {
  for (auto& one : gateway.ctl({"platform", "list"})["platforms"].items())
    if (one["platform_id"] == platform) return one;
  FAIL("platform list does not tell of " + platform);
  return {};
}

void fails(const command_output& result, int code, const std::string& names) {
  CAPTURE(result.out, result.err);
  CHECK(result.code == code);
  CHECK(result.out.empty());
  CHECK(lines_of(result.err).size() == 1);
  CHECK(result.err.find(names) != std::string::npos);
}

}  // namespace

TEST_CASE("platform create answers with the platform and its client_id, and platform list with every field") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto slug = new_slug();
  const auto made = gateway.ctl(creating(slug));
  CHECK(made.size() == 2);
  CHECK(has_form(made["platform_id"].text(), "plat_[0-9a-z]+"));
  CHECK(made["client_id"] == slug);
  const auto shown = listed(gateway, made["platform_id"].text());
  CHECK(shown["client_id"] == slug);
  CHECK(shown["name"] == "Tea Time");
  CHECK(shown["status"] == "active");
  CHECK(shown["redirect_uris"].dump() == R"(["https://tea.example/back","http://localhost:3000/back?from=tea"])");
  CHECK(shown["return_origins"].dump() == R"(["https://tea.example"])");
  fails(gateway.run_ctl(creating(slug)), 1, slug);
}

TEST_CASE("platform set answers with the same fields, and a given list replaces the old one") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto made = gateway.ctl(creating(new_slug()));
  const auto platform = made["platform_id"].text();
  const auto again = gateway.ctl(
      {"platform", "set", "--platform", platform, "--name", "Tea & Cake", "--redirect-uri", "https://tea.example/new"});
  CHECK(again.dump() == made.dump());
  auto shown = listed(gateway, platform);
  CHECK(shown["name"] == "Tea & Cake");
  CHECK(shown["redirect_uris"].dump() == R"(["https://tea.example/new"])");
  CHECK(shown["return_origins"].dump() == R"(["https://tea.example"])");
  gateway.ctl({"platform", "set", "--platform", platform, "--return-origin", ""});
  shown = listed(gateway, platform);
  CHECK(shown["return_origins"].dump() == "[]");
  CHECK(shown["redirect_uris"].dump() == R"(["https://tea.example/new"])");
}

TEST_CASE("platform suspend and resume answer with the platform and its status, also when repeated") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto platform = gateway.ctl(creating(new_slug()))["platform_id"].text();
  for (const auto& [command, status] : {std::pair{"suspend", "suspended"}, std::pair{"suspend", "suspended"},
                                        std::pair{"resume", "active"}, std::pair{"resume", "active"}}) {
    const auto reported = gateway.ctl({"platform", command, platform});
    CHECK(reported.size() == 2);
    CHECK(reported["id"] == platform);
    CHECK(reported["status"] == status);
    CHECK(listed(gateway, platform)["status"] == status);
  }
}

TEST_CASE("platform key mint answers with the key, its secret and its scopes; key revoke ends it and can be repeated") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto platform = gateway.ctl(creating(new_slug()))["platform_id"].text();
  const auto key = gateway.ctl({"platform", "key", "mint", "--platform", platform});
  CHECK(key.size() == 3);
  CHECK(has_form(key["key_id"].text(), "mk_platform_[0-9a-f]{8}"));
  CHECK(has_form(key["secret"].text(), "[0-9a-f]{64}"));
  CHECK(key["scopes"] == "payments:write payments:read customers:write webhooks:configure");
  const auto all = gateway.ctl({"platform", "key", "mint", "--platform", platform, "--scopes", "*"});
  CHECK(all["scopes"] == "*");
  const auto rows = gateway.sql("SELECT * FROM platform_keys WHERE platform_id = '" + platform + "';");
  CHECK(rows.find(key["key_id"].text()) != std::string::npos);
  CHECK(rows.find(key["secret"].text()) == std::string::npos);
  for (int i = 0; i < 2; ++i) {
    const auto revoked = gateway.ctl({"key", "revoke", key["key_id"].text()});
    CHECK(revoked["id"] == key["key_id"].text());
    CHECK(revoked["status"] == "revoked");
  }
}

TEST_CASE("a platform has one destination for each mode, whose URL is replaced") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto platform = gateway.ctl(creating(new_slug()))["platform_id"].text();
  const auto set = [&](const std::string& mode, const std::string& url) {
    return gateway.ctl({"destination", "set", "--platform", platform, "--mode", mode, "--url", url});
  };
  const auto first = set("live", "http://127.0.0.1:9/a"), second = set("live", "http://127.0.0.1:9/b");
  CHECK(first.size() == 2);
  CHECK(second.dump() == first.dump());
  CHECK_FALSE(set("test", "http://127.0.0.1:9/b")["destination_id"] == first["destination_id"].text());
  const auto list = gateway.ctl({"destination", "list", "--platform", platform, "--mode", "live"})["destinations"];
  REQUIRE(list.size() == 1);
  CHECK(list.at(0)["url"] == "http://127.0.0.1:9/b");
  CHECK(list.at(0)["kind"] == "platform");
  CHECK(list.at(0)["owner"] == platform);
}

TEST_CASE("platforms are the same after a crash, and a slug stays taken") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  const auto slug = new_slug();
  const auto platform = gateway.ctl(creating(slug))["platform_id"].text();
  const auto key = gateway.ctl({"platform", "key", "mint", "--platform", platform})["key_id"].text();
  gateway.ctl({"platform", "suspend", platform});
  const auto before = listed(gateway, platform).dump();
  gateway.kill();
  gateway.start();
  CHECK(listed(gateway, platform).dump() == before);
  CHECK(gateway.ctl({"key", "revoke", key})["status"] == "revoked");
  fails(gateway.run_ctl(creating(slug)), 1, slug);
}

TEST_CASE("each mistake about a platform is reported in one line that names it") {
  auto& gateway = shared_gateway(store_kind::sqlite);
  auto wrong = creating("Tea");
  fails(gateway.run_ctl(wrong), 1, "slug");
  wrong = creating(new_slug());
  wrong[9] = "http://tea.example/back";
  fails(gateway.run_ctl(wrong), 1, "redirect_uris");
  wrong = creating(new_slug());
  wrong.back() = "https://tea.example/";
  fails(gateway.run_ctl(wrong), 1, "return_origins");
  fails(gateway.run_ctl({"platform", "set", "--platform", "plat_nobody", "--name", "X"}), 1, "plat_nobody");
  fails(gateway.run_ctl({"platform", "suspend", "plat_nobody"}), 1, "plat_nobody");
  fails(gateway.run_ctl({"platform", "key", "mint", "--platform", "plat_nobody"}), 1, "plat_nobody");
  fails(gateway.run_ctl({"key", "revoke", "mk_platform_00000000"}), 1, "mk_platform_00000000");
  fails(gateway.run_ctl(
            {"destination", "set", "--platform", "plat_nobody", "--mode", "live", "--url", "http://127.0.0.1:9/"}),
        1, "plat_nobody");
  fails(gateway.run_ctl({"platform", "create", "--name", "X"}), 2, "--slug");
}
