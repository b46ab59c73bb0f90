// A new merchant's complete path in a real browser: from the invitation to the first payment, its refund and webhook, a
// second user, a second factor, and a platform's consent and its end. axe-core checks each page, and screenshots of
// each, wide and light, narrow and dark, are left in the work folder for inspection.
#include <catch2/catch.hpp>

#include <regex>

#include "authenticator.hpp"
#include "browser.hpp"
#include "landing_site.hpp"
#include "merchant.hpp"
#include "npm_package.hpp"
#include "paths.hpp"
#include "platform.hpp"
#include "text.hpp"
#include "webhook_receiver.hpp"

using namespace gateway::e2e;

namespace {

const std::string password{owner_password};

struct walk {
  gateway_process gateway{gateway_options{}};
  landing_site site;
  webhook_receiver hooks;
  browser eyes;
  std::string axe;
  std::string merchant;

  explicit walk(std::string axe_text) : axe{std::move(axe_text)} {}

  void look(const std::string& name) {
    for (const bool phone : {true, false}) {
      CAPTURE(name, phone);
      eyes.show_as(phone ? 390 : 1280, phone ? 844 : 900, phone);
      eyes.screenshot(work_folder() / ("walk-" + name + (phone ? "-phone-dark.png" : ".png")));
      if (!axe.empty()) CHECK(eyes.accessibility_faults(axe) == std::vector<std::string>{});
    }
  }
  void open(const std::string& target) {
    eyes.open(target.starts_with("https:") ? target : gateway.base_url() + target);
  }
  std::string page(const std::string& what, const std::string& mode = "live") const {
    return "/portal/" + merchant + '/' + mode + '/' + what;
  }
  void press(const std::string& action) { eyes.click("button[value=" + action + "]"); }
  /// Unfolds the form that has this button.
  void unfold(const std::string& action) { eyes.click("details:has(button[value=" + action + "]) > summary"); }
  bool arrives(const std::string& local) { return eyes.arrives_at(gateway.base_url() + local); }
  void sign_in(const std::string& email) {
    open("/portal/sign-in");
    eyes.type("#email", email);
    eyes.type("#password", password);
    press("sign-in");
  }
  void sign_out() {
    press("sign-out");
    REQUIRE(arrives("/portal/sign-in"));
  }
  void accept(const std::string& invitation) {
    open(invitation);
    eyes.type("#password", password);
    press("set-password");
    REQUIRE(arrives("/portal/sign-in"));
  }
  /// Waits for the text, because a click returns before the page that it leads to is loaded.
  std::string found(const std::string& selector, const std::string& pattern) {
    std::string text, match;
    const bool there = eventually([&] {
      try {
        text = eyes.text_of(selector);
      } catch (const std::exception&) {  // the page was replaced while it was read
        return false;
      }
      std::smatch at;
      if (!std::regex_search(text, at, std::regex{pattern})) return false;
      match = at.str();
      return true;
    });
    if (!there) throw std::runtime_error(pattern + " is not in: " + text);
    return match;
  }
};

}  // namespace

TEST_CASE("a new merchant goes from the invitation to payments, people, a second factor and platforms in a browser") {
  std::string why;
  walk w{axe_core(why)};
  if (w.axe.empty()) WARN("NOT CHECKED by axe-core: the npm package cannot be installed: " << why);

  // Invited, signed in, no data yet.
  const auto created =
      w.gateway.ctl({"merchant", "create", "--name", "Lantern Books", "--owner-email", "ada@lantern.example"});
  w.merchant = created["merchant_id"].text();
  w.accept(w.gateway
               .ctl({"merchant", "user", "invite", "--merchant", w.merchant, "--email", "ada@lantern.example", "--role",
                     "owner"})["invitation_url"]
               .text());
  w.sign_in("ada@lantern.example");
  REQUIRE(w.arrives(w.page("")));
  w.look("overview-empty");
  w.open("/portal/account");
  w.look("account-new");
  w.open(w.page("payments"));
  w.look("payments-empty");
  w.open(w.page("disputes"));
  w.look("disputes-empty");

  // A provider, a key, a destination.
  w.open(w.page("connections"));
  w.look("connections-none");
  w.press("connect");
  w.look("onboarding");
  w.press("finish");
  REQUIRE(w.arrives(w.page("connections")));
  w.look("connections");
  w.open(w.page("keys"));
  w.look("keys-empty");
  w.press("mint");
  const auto key = w.found("main", "mk_live_[0-9A-Za-z]+"), secret = w.found(".secret", "[0-9a-f]{64}");
  w.look("key-minted");
  w.open(w.page("keys"));
  w.look("keys");
  w.open(w.page("destinations"));
  w.look("destinations-empty");
  w.eyes.type("input[name=url]", w.hooks.url());
  w.press("add");
  const auto destination = w.found("main", "dest_[0-9a-f]+");
  const auto signing = w.found(".secret", "whsec_[0-9a-f]+");
  w.look("destination-secret");
  w.open(w.page("destinations/" + destination));
  w.press("test");
  REQUIRE(w.hooks.comes_to(1));
  CHECK(signature_fault(w.hooks.posts().front(), signing) == "");

  // The first payment, by the merchant's own program; captured and refunded by hand.
  api program{w.gateway, {key, secret}};
  const auto payment = new_payment_id();
  REQUIRE(summary_of(program.create(server_payment(payment).set("description", "Two books"))) == "200 authorized");
  w.open(w.page("payments/" + payment));
  w.look("payment-authorized");
  w.press("capture");
  REQUIRE(w.arrives(w.page("payments/" + payment) + "?done=capture"));
  w.look("payment-captured");
  w.unfold("refund");
  w.eyes.type("input[name=reason]", "one was damaged");
  w.press("refund");
  REQUIRE(w.arrives(w.page("payments/" + payment) + "?done=refund"));
  CHECK(program.state_of(payment) == "refunded");
  CHECK(w.hooks.wait_for("payment.refunded", payment).type() == "payment.refunded");
  w.look("payment-refunded");

  // A payment that the cardholder's bank disputes as soon as it is captured.
  const auto disputed = new_payment_id();
  REQUIRE(summary_of(program.create(server_payment(disputed, "pm_card_createDispute"))) == "200 authorized");
  REQUIRE(summary_of(program.capture(disputed)) == "200 captured");
  REQUIRE(eventually([&] {
    w.open(w.page("payments/" + disputed));
    return w.eyes.text_of("main").find("Needs a response") != std::string::npos;
  }));
  w.look("payment-disputed");
  w.open(w.page("disputes"));
  w.found("main", disputed);
  w.look("disputes");
  const auto waiting = new_payment_id();
  REQUIRE(summary_of(program.create(redirect_payment(waiting))) == "200 processing");
  w.open(w.page("payments/" + waiting));
  w.look("payment-waiting");
  w.unfold("cancel");
  w.press("cancel");
  REQUIRE(w.arrives(w.page("payments/" + waiting) + "?done=cancel"));
  w.look("payment-cancelled");
  w.open(w.page("payments"));
  w.look("payments");
  w.open(w.page("subscriptions"));
  w.look("subscriptions-empty");
  w.open(w.page("customers"));
  w.look("customers-empty");
  w.open(w.page("destinations/" + destination));
  w.look("destination");
  w.open(w.page(""));
  w.look("overview");

  // A second user, who views and changes nothing.
  w.open(w.page("team"));
  w.eyes.type("input[name=email]", "vic@lantern.example");
  w.press("invite");
  const auto invitation = w.found("main", "https://[^ ]*/portal/invitation\\?token=[A-Za-z0-9_.=-]+");
  w.look("invited");
  w.open(w.page("team"));
  w.look("team");
  w.sign_out();
  w.accept(invitation);
  w.sign_in("vic@lantern.example");
  REQUIRE(w.arrives(w.page("")));
  w.open(w.page("payments/" + payment));
  w.look("payment-viewer");
  w.sign_out();

  // A second factor.
  w.sign_in("ada@lantern.example");
  REQUIRE(w.arrives(w.page("")));
  w.open("/portal/account");
  w.unfold("second-factor-on");
  w.eyes.type("#enable-password", password);
  w.press("second-factor-on");
  w.look("second-factor");
  const auto shared = w.found(".secret", "([A-Z2-7]{4} ){7}[A-Z2-7]{4}");
  w.eyes.type("input[name=code]", totp_code(shared));
  w.press("confirm-second-factor");
  w.found(".secret", "([0-9a-z]{4}-){3}[0-9a-z]{4}");
  w.look("recovery-codes");
  w.sign_out();
  w.sign_in("ada@lantern.example");
  w.eyes.type("#code", totp_code(shared, std::chrono::seconds{30}));
  w.look("sign-in-code");
  w.press("sign-in");
  REQUIRE(w.arrives(w.page("")));
  w.open("/portal/account");
  w.look("account");

  // A platform is granted access, and its access is revoked.
  w.gateway.ctl({"platform", "create", "--name", "Shopfront", "--slug", "shopfront", "--contact", "a@shopfront.example",
                 "--redirect-uri", w.site.url("/callback")});
  w.open(
      "/connect/authorize?client_id=shopfront&state=s1&mode=live&scope=payments%3Aread+payments%3Awrite&redirect_uri=" +
      percent_encode(w.site.url("/callback")));
  w.look("consent");
  w.press("connect");
  REQUIRE(w.eyes.arrives_at(w.site.url("/callback?code=")));
  w.open(w.page("platforms"));
  w.look("platforms");
  w.unfold("revoke");
  w.press("revoke");
  w.found("main", "Revoke what Shopfront may do");
  w.look("platforms-asks");
  w.press("revoke");
  REQUIRE(w.arrives(w.page("platforms") + "?done=revoke"));
  w.look("platforms-revoked");
  w.open(w.page("", "test"));
  w.look("overview-test");
}
