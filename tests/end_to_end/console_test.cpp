// The operators' console of a real gateway, in headless Chromium: from `gatewayctl operator add` to an operator's
// change, with axe on each page.
#include <catch2/catch.hpp>

#include <regex>

#include "authenticator.hpp"
#include "browser.hpp"
#include "merchant.hpp"
#include "npm_package.hpp"
#include "paths.hpp"
#include "platform.hpp"
#include "text.hpp"

using namespace gateway::e2e;

namespace {

using std::chrono::seconds;

const std::string password = "an operator's long password";

gateway_options with_console() {
  gateway_options options;
  options.operator_listener = true;
  return options;
}

struct console_walk {
  gateway_process gateway{with_console()};
  browser eyes;
  std::string axe;

  std::string url(const std::string& path) const { return "http://" + gateway.operator_address().authority() + path; }
  void look(const std::string& name) {
    look(name, 390, true);
    look(name, 1100, false);
  }
  void look(const std::string& name, int width, bool dark) {
    CAPTURE(name, width, dark);
    eyes.show_as(width, width < 600 ? 844 : 900, dark);
    eyes.screenshot(work_folder() /
                    ("page-console-" + name + '-' + std::to_string(width) + (dark ? "-dark.png" : ".png")));
    if (!axe.empty()) CHECK(eyes.accessibility_faults(axe) == std::vector<std::string>{});
  }
  void find(const std::string& id) { eyes.open(url("/console/search?q=" + percent_encode(id))); }

  /// The secret that the setup page shows, as the operator would type it.
  std::string shown_secret() {
    const auto text = eyes.text_of("main");
    std::smatch found;
    REQUIRE(std::regex_search(text, found, std::regex{"([A-Z2-7]{4} ){7}[A-Z2-7]{4}"}));
    return found.str();
  }
  /// Uses the link, and returns the secret of the second factor.
  std::string set_up(const std::string& link) {
    eyes.open(link);
    const auto secret = shown_secret();
    eyes.type("#password", password);
    eyes.type("#code", totp_code(secret));
    eyes.click("button[value=set-password]");
    REQUIRE(eyes.arrives_at(url("/console/sign-in")));
    return secret;
  }
  std::string add(const std::string& name, const std::string& role) {
    const auto made = gateway.ctl({"operator", "add", name, "--role", role});
    CHECK(made["name"] == name);
    CHECK(made["role"] == role);
    CHECK(made.size() == 3);
    return set_up(made["setup_url"].text());
  }
  void sign_in(const std::string& name, const std::string& typed_password, const std::string& code) {
    eyes.open(url("/console/sign-in"));
    eyes.type("#name", name);
    eyes.type("#password", typed_password);
    eyes.type("#code", code);
    eyes.click("button[value=sign-in]");
  }
  bool is_in() {
    eyes.open(url("/console"));
    return eyes.text_of("h1") == "Overview";
  }
};

}  // namespace

TEST_CASE("an operator is added, sets up a second factor, finds a payment, and suspends a platform") {
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

  const auto made = walk.gateway.ctl({"operator", "add", "ann", "--role", "admin"});
  const auto link = made["setup_url"].text();
  REQUIRE(link.starts_with(walk.url("/console/setup?token=")));
  walk.eyes.open(link);
  walk.look("setup");
  walk.eyes.type("#password", "too short");
  walk.eyes.type("#code", totp_code(walk.shown_secret()));
  walk.eyes.click("button[value=set-password]");
  CHECK(walk.eyes.text_of("main").find("Use at least 12 characters.") != std::string::npos);
  walk.look("setup-refused");
  const auto secret = walk.set_up(link);
  walk.look("sign-in");
  walk.eyes.open(link);
  CHECK(walk.eyes.text_of("h1") == "This link cannot be used");

  walk.eyes.open(walk.url("/console"));
  REQUIRE(walk.eyes.arrives_at(walk.url("/console/sign-in")));
  walk.sign_in("ann", "not the password", totp_code(secret));
  CHECK(walk.eyes.text_of("[role=alert]").find("is not right") != std::string::npos);
  walk.look("sign-in-refused");
  walk.sign_in("ann", password, totp_code(secret));
  REQUIRE(walk.eyes.text_of("h1") == "Overview");
  walk.look("overview");

  walk.find(shop.id);
  CHECK(walk.eyes.text_of("main").find("Lantern & <b>Books</b>") != std::string::npos);
  walk.look("merchant");
  walk.find(shop.id + " " + payment);
  CHECK(walk.eyes.text_of("main").find("authorized") != std::string::npos);
  walk.look("payment");
  walk.eyes.click("button[value=refresh]");
  CHECK(walk.eyes.text_of("[role=status]").find("The provider was asked.") != std::string::npos);
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
  CHECK(log.find("\"operator\":\"ann\"") != std::string::npos);
  CHECK(log.find(platform["platform_id"].text()) != std::string::npos);
  CHECK(log.find(password) == std::string::npos);
  CHECK(log.find(link.substr(link.find("token="))) == std::string::npos);

  walk.eyes.open(walk.url("/console/operators"));
  walk.look("operators");
  walk.eyes.open(walk.url("/console/parts"));
  REQUIRE(walk.eyes.text_of("h1") == "Parts");
  for (const int width : {320, 768, 1280, 1920})
    for (const bool dark : {false, true}) walk.look("parts", width, dark);
  walk.eyes.click("button[value=sign-out]");
  CHECK(walk.eyes.arrives_at(walk.url("/console/sign-in")));
}

TEST_CASE("an admin adds an operator on the console, who has the buttons of the role only") {
  console_walk walk;
  walk.gateway.ctl({"platform", "create", "--name", "Shopfront", "--slug", "shopfront", "--contact",
                    "a@shopfront.example", "--redirect-uri", "https://shopfront.example/callback"});
  const auto secret = walk.add("ann", "admin");
  walk.sign_in("ann", password, totp_code(secret));
  walk.eyes.open(walk.url("/console/operators"));
  walk.eyes.type("#name", "vic");
  walk.eyes.click("button[value=add]");
  const auto text = walk.eyes.text_of("main");
  std::smatch link;
  REQUIRE(std::regex_search(text, link, std::regex{"http://[^\\s]+/console/setup\\?token=[^\\s]+"}));
  CHECK(walk.gateway.ctl({"operator", "list"}).dump() ==
        R"({"operators":[{"name":"ann","role":"admin"},{"name":"vic","role":"viewer"}]})");
  walk.eyes.open(walk.url("/console"));
  walk.eyes.click("button[value=sign-out]");

  const auto other = walk.set_up(link.str());
  const auto code = totp_code(other);
  walk.sign_in("vic", password, code);
  REQUIRE(walk.is_in());
  walk.find("shopfront");
  CHECK(walk.eyes.text_of("main").find("Shopfront") != std::string::npos);
  CHECK(walk.eyes.text_of("main").find("Suspend") == std::string::npos);
  walk.eyes.open(walk.url("/console/operators"));
  CHECK(walk.eyes.text_of("h1") == "Your role does not permit this");

  // Sessions are in the process's memory, and operators in the database.
  walk.gateway.kill();
  walk.gateway.start();
  CHECK_FALSE(walk.is_in());
  walk.sign_in("vic", password, code);
  CHECK_FALSE(walk.is_in());  // the code has signed in before
  walk.sign_in("vic", password, totp_code(other, seconds{30}));
  REQUIRE(walk.is_in());
  CHECK(walk.gateway.ctl({"operator", "remove", "vic"})["name"] == "vic");
  CHECK_FALSE(walk.is_in());
}

TEST_CASE("resetting an operator ends the session, and the link of the reset sets new credentials") {
  console_walk walk;
  const auto secret = walk.add("Sue", "support");
  walk.sign_in("sue", password, totp_code(secret));
  REQUIRE(walk.is_in());
  const auto reset = walk.gateway.ctl({"operator", "reset", "sue"});
  CHECK(reset["name"] == "Sue");
  CHECK(reset["role"] == "support");
  CHECK(reset.size() == 3);
  CHECK_FALSE(walk.is_in());
  walk.sign_in("sue", password, totp_code(secret, seconds{30}));
  CHECK_FALSE(walk.is_in());
  const auto fresh = walk.set_up(reset["setup_url"].text());
  CHECK(fresh != secret);
  walk.sign_in("sue", password, totp_code(fresh));
  CHECK(walk.is_in());
  for (const auto* command : {"remove", "reset"})
    CHECK(walk.gateway.run_ctl({"operator", command, "nobody"}).code == 1);
  CHECK(walk.gateway.run_ctl({"operator", "add", "sue", "--role", "admin"}).code == 1);
  CHECK(walk.gateway.run_ctl({"operator", "add", "eve", "--role", "king"}).code == 2);
}

TEST_CASE("without an operator listener there is no console, and the commands say so") {
  gateway_process gateway{gateway_options{}};
  const auto refused = gateway.run_ctl({"operator", "add", "ann", "--role", "admin"});
  CHECK(refused.code == 1);
  CHECK(refused.err.find("operator-listen") != std::string::npos);
  CHECK(gateway.ctl({"operator", "list"}).dump() == R"({"operators":[]})");
}

TEST_CASE("the console's former token has no effect, and the log says so") {
  auto options = with_console();
  options.arguments = {"--console-token-file=/nowhere/console.token"};
  gateway_process gateway{options};
  CHECK(gateway.log().find("\"event\":\"setting_without_effect\"") != std::string::npos);
}
