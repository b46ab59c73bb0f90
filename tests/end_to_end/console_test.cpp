// The operators' console of a real gateway, in headless Chromium: from the token to an operator's change, with axe on
// each page.
#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "browser.hpp"
#include "merchant.hpp"
#include "npm_package.hpp"
#include "paths.hpp"
#include "platform.hpp"
#include "text.hpp"

using namespace gateway::e2e;

namespace {

const std::string operator_token(64, 'c');

/// A token file that only its owner may read, in a folder that stays until the program ends.
std::filesystem::path token_file() {
  const auto file = work_folder() / "console.token";
  std::ofstream{file} << operator_token << '\n';
  ::chmod(file.c_str(), 0600);
  return file;
}

gateway_options with_console() {
  gateway_options options;
  options.operator_listener = true;
  options.arguments = {"--console-token-file=" + token_file().string()};
  return options;
}

struct console_walk {
  gateway_process gateway{with_console()};
  browser eyes;
  std::string axe;

  std::string url(const std::string& path) const { return "http://" + gateway.operator_address().authority() + path; }
  void look(const std::string& name) {
    for (const bool phone : {true, false}) {
      CAPTURE(name, phone);
      eyes.show_as(phone ? 390 : 1100, phone ? 844 : 900, phone);
      eyes.screenshot(work_folder() / ("page-console-" + name + (phone ? "-phone-dark.png" : ".png")));
      if (!axe.empty()) CHECK(eyes.accessibility_faults(axe) == std::vector<std::string>{});
    }
  }
  void find(const std::string& id) { eyes.open(url("/console/search?q=" + percent_encode(id))); }
};

}  // namespace

TEST_CASE("an operator signs in to the console, finds a payment, and suspends a platform") {
  console_walk walk;
  std::string why;
  walk.axe = axe_core(why);
  if (walk.axe.empty()) WARN("NOT CHECKED by axe-core: the npm package cannot be installed: " << why);
  const auto shop = new_merchant(walk.gateway, {"Lantern & <b>Books</b>"});
  api merchant{walk.gateway, shop.test};
  const auto payment = new_payment_id();
  REQUIRE(summary_of(merchant.create(server_payment(payment))) == "200 authorized");
  const auto platform =
      walk.gateway.ctl({"platform", "create", "--name", "Shopfront", "--slug", "shopfront", "--contact",
                        "a@shopfront.example", "--redirect-uri", "https://shopfront.example/callback"});

  walk.eyes.open(walk.url("/console"));
  REQUIRE(walk.eyes.arrives_at(walk.url("/console/sign-in")));
  walk.look("sign-in");
  walk.eyes.type("#token", "not the token");
  walk.eyes.click("button[value=sign-in]");
  walk.look("sign-in-refused");
  walk.eyes.type("#token", operator_token);
  walk.eyes.click("button[value=sign-in]");
  REQUIRE(walk.eyes.text_of("h1") == "Overview");
  walk.look("overview");

  walk.find(shop.id);
  CHECK(walk.eyes.text_of("main").find("Lantern & <b>Books</b>") != std::string::npos);
  walk.look("merchant");
  walk.find(shop.id + " " + payment);
  CHECK(walk.eyes.text_of("main").find("authorized") != std::string::npos);
  walk.look("payment");
  walk.find("nothing-of-this-name");
  walk.look("nothing");

  walk.find("shopfront");
  walk.eyes.click("button[value=suspend]");
  REQUIRE(walk.eyes.arrives_at(walk.url("/console/search?q=shopfront&done=suspend-platform")));
  CHECK(walk.eyes.text_of("[role=status]") == "The platform is suspended.");
  walk.look("platform-suspended");
  CHECK(walk.gateway.ctl({"platform", "list"})["platforms"].dump().find("suspended") != std::string::npos);
  const auto log = walk.gateway.log();
  CHECK(log.find("\"event\":\"console_action\"") != std::string::npos);
  CHECK(log.find(platform["platform_id"].text()) != std::string::npos);
  CHECK(log.find(operator_token) == std::string::npos);

  walk.eyes.click("button[value=sign-out]");
  CHECK(walk.eyes.arrives_at(walk.url("/console/sign-in")));
}

TEST_CASE("a console token that others may read ends the start with one line") {
  auto options = with_console();
  ::chmod((work_folder() / "console.token").c_str(), 0644);
  CHECK_THROWS_WITH(gateway_process{options}, Catch::Contains("console-token-file"));
}
