// An owner with a real browser: headless Chromium, which enforces the pages' policies, at sign-in, consent and set-up;
// and a reader of the documents.
#include <catch2/catch.hpp>

#include "browser.hpp"
#include "landing_site.hpp"
#include "merchant.hpp"
#include "paths.hpp"
#include "platform.hpp"

using namespace gateway::e2e;

namespace {

/// A platform with a working site, and an owner of one merchant.
struct meeting {
  gateway_process gateway{gateway_options{}};
  landing_site site;
  merchant_account shop = new_merchant(gateway);
  browser owner;

  meeting() {
    add_person(gateway, shop.id, "ada@lantern.example");
    gateway.ctl({"platform", "create", "--name", "Shopfront", "--slug", "shopfront", "--contact", "a@shopfront.example",
                 "--redirect-uri", site.url("/callback")});
  }
  std::string ask(const std::string& scopes, const std::string& mode = "test") const {
    return gateway.base_url() + "/connect/authorize?client_id=shopfront&state=s1&mode=" + mode +
           "&scope=" + percent_encode(scopes) + "&redirect_uri=" + percent_encode(site.url("/callback"));
  }
  void sign_in(const std::string& email = "ada@lantern.example") {
    owner.type("#email", email);
    owner.type("#password", std::string{owner_password});
    owner.click("button[value=sign-in]");
  }
  void look(const std::string& name) { owner.screenshot(work_folder() / (name + ".png")); }
  bool is_back_with(const std::string& what) { return owner.arrives_at(site.url("/callback?" + what)); }
};

}  // namespace

TEST_CASE(
    "an owner signs in and connects in a browser, is redirected without a click next time, and is asked for more "
    "scopes") {
  meeting m;
  m.owner.open(m.ask("payments:read"));
  m.look("sign-in");
  m.sign_in();
  CHECK(m.owner.text_of("h1") == "Shopfront asks to act for you");
  m.look("consent");
  m.owner.show_as(390, 844, true);
  m.look("consent-phone-dark");
  m.owner.click("button[value=connect]");
  CHECK(m.is_back_with("code="));
  m.owner.open(m.ask("payments:read"));
  CHECK(m.is_back_with("code="));
  m.owner.open(m.ask("payments:read payments:write"));
  CHECK(m.owner.text_of("h1") == "Shopfront asks for more");
  m.look("consent-widening");
  m.owner.click("button[value=cancel]");
  CHECK(m.is_back_with("error=access_denied"));
  // Sign-in continues to the platform at once, which the policy of its form allows.
  m.owner.open(m.gateway.base_url() + "/portal/account");
  m.owner.click("button[value=sign-out]");
  // A click may return before its answer arrives; here the answer ends the session.
  REQUIRE(m.owner.arrives_at(m.gateway.base_url() + "/portal/sign-in"));
  m.owner.open(m.ask("payments:read"));
  m.sign_in();
  CHECK(m.is_back_with("code="));
}

TEST_CASE("an owner consents with the keyboard alone") {
  meeting m;
  const std::string tab = "\xee\x80\x84", enter = "\xee\x80\x87";
  m.owner.open(m.ask("payments:read"));
  for (const auto& keys : {tab, std::string{"ada@lantern.example"}, tab, std::string{owner_password}, enter})
    m.owner.press(keys);
  CHECK(m.owner.arrives_at(m.gateway.base_url() + "/connect/authorize"));
  m.owner.press(tab);
  m.owner.press(enter);
  CHECK(m.is_back_with("code="));
}

TEST_CASE("an owner of several merchants chooses one in a browser, and a viewer is refused") {
  meeting m;
  const auto second = new_merchant(m.gateway, {"Second Shop"}), third = new_merchant(m.gateway, {"Third Shop"});
  add_person(m.gateway, second.id, "ada@lantern.example");
  add_person(m.gateway, third.id, "ada@lantern.example", "viewer");
  m.owner.open(m.ask("payments:read"));
  m.sign_in();
  m.look("consent-several");
  m.owner.click("input[value=" + second.id + "]");
  m.owner.click("button[value=connect]");
  CHECK(m.is_back_with("code="));
  for (const auto& id : {m.shop.id, second.id}) {
    add_person(m.gateway, id, "eve@lantern.example");  // the last owner could not be removed
    add_person(m.gateway, id, "ada@lantern.example", "viewer");
  }
  m.owner.open(m.ask("payments:read"));
  m.sign_in();  // a new password has ended the session
  CHECK(m.owner.text_of("h1") == "Only an owner can connect a platform");
  m.look("consent-refused");
  m.owner.click("button[value=cancel]");
  CHECK(m.is_back_with("error=access_denied"));
}

TEST_CASE("a merchant is set up in a browser by the link of a refused charge") {
  meeting m;
  const auto shop = new_merchant(m.gateway, {"Lantern Books", "standard", "owner@lantern.example", false});
  set_connection(m.gateway, shop.id, "sandbox", "not_connected");
  api merchant{m.gateway, shop.test};
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  m.owner.open(json::parse(merchant.create(server_payment(id), same).body)["error"]["setup_url"].text());
  m.look("setup-redeem");
  m.owner.click("button[value=redeem]");
  REQUIRE(m.owner.arrives_at(m.gateway.base_url() + "/portal/sign-in"));
  add_person(m.gateway, shop.id, "owner@lantern.example");
  m.sign_in("owner@lantern.example");
  m.look("setup-providers");
  m.owner.click("input[value=sandbox]");
  m.owner.click("button[value=connect]");
  m.look("setup-onboarding");
  m.owner.click("button[value=finish]");
  CHECK(m.owner.arrives_at(m.gateway.base_url() + "/portal/setup"));
  CHECK(m.owner.text_of("h1") == "You can take payments");
  m.look("setup-done");
  CHECK(summary_of(merchant.create(server_payment(id), same)) == "200 authorized");
}

TEST_CASE("people are invited in a browser, and accept without a password and with one") {
  meeting m;
  const auto at = [&](const std::string& local) { return m.gateway.base_url() + local; };
  const auto second = new_merchant(m.gateway, {"Second Shop"});
  add_person(m.gateway, second.id, "vic@lantern.example");
  const auto team = at("/portal/" + m.shop.id + "/live/team");
  const auto invite = [&](const std::string& email, const std::string& picture) {
    m.owner.open(team);
    m.owner.type("input[name=email]", email);
    m.owner.click("button[value=invite]");
    std::string text;
    REQUIRE(eventually([&] {
      text = m.owner.text_of("main");
      return text.find("Valid until") != std::string::npos;
    }));
    m.look(picture);
    return text;
  };
  const auto sign_out = [&] {
    m.owner.click("button[value=sign-out]");
    REQUIRE(m.owner.arrives_at(at("/portal/sign-in")));
  };
  m.owner.open(at("/portal/sign-in"));
  m.sign_in();
  REQUIRE(m.owner.arrives_at(at("/portal/" + m.shop.id + "/live/")));
  const auto shown = invite("new@lantern.example", "invited-new");
  const auto begin = shown.find(at("/portal/invitation?token="));
  REQUIRE(begin != std::string::npos);
  const auto link = shown.substr(begin, shown.find_first_of(" \n", begin) - begin);
  const auto known = invite("vic@lantern.example", "invited-known");
  CHECK(known.find("/portal/invitation") == std::string::npos);
  CHECK(known.find("operator must invite") != std::string::npos);
  m.owner.open(team);
  m.look("team-invited");
  sign_out();

  // The address is new: the link sets a password.
  m.owner.open(link);
  m.look("invitation-new");
  m.owner.type("#password", std::string{owner_password});
  m.owner.click("button[value=set-password]");
  REQUIRE(m.owner.arrives_at(at("/portal/sign-in")));
  m.look("sign-in-after-invitation");
  m.owner.type("#password", std::string{owner_password});  // the address is filled in
  m.owner.click("button[value=sign-in]");
  REQUIRE(m.owner.arrives_at(at("/portal/" + m.shop.id + "/live/")));
  sign_out();

  // The person has a password: the account lists the invitation.
  m.sign_in("vic@lantern.example");
  REQUIRE(m.owner.arrives_at(at("/portal/" + second.id + "/live/")));
  m.owner.open(at("/portal/account"));
  m.look("account-invited");
  m.owner.click("button[value=accept]");
  REQUIRE(m.owner.arrives_at(at("/portal/account?done=accept")));
  m.look("account-accepted");
  m.owner.open(at("/portal/" + m.shop.id + "/live/team"));
  CHECK(m.owner.text_of("main").find("vic@lantern.example") != std::string::npos);
  m.look("team-accepted");
  sign_out();

  // The person has set a password since the link was made: it leads to the sign-in, and to the button.
  m.sign_in();
  REQUIRE(m.owner.arrives_at(at("/portal/" + m.shop.id + "/live/")));
  const auto later = invite("late@lantern.example", "invited-late");
  const auto from = later.find(at("/portal/invitation?token="));
  REQUIRE(from != std::string::npos);
  sign_out();
  add_person(m.gateway, second.id, "late@lantern.example", "viewer");
  m.owner.open(later.substr(from, later.find_first_of(" \n", from) - from));
  REQUIRE(m.owner.arrives_at(at("/portal/sign-in")));
  m.sign_in("late@lantern.example");
  REQUIRE(m.owner.arrives_at(at("/portal/invitation")));
  m.look("invitation-accept");
  m.owner.click("button[value=accept]");
  CHECK(m.owner.arrives_at(at("/portal/" + m.shop.id + "/live/")));
}

TEST_CASE(
    "a reader of the documents chooses a language by mouse or keyboard, which other pages remember, and copies code") {
  gateway_process gateway{gateway_options{}};
  browser reader;
  const std::string shown = ".sample:not([hidden]) .what", right = "\ue014";
  reader.open(gateway.base_url() + "/docs/signing");
  CHECK(reader.text_of("[aria-selected=true]") == "curl");
  CHECK(reader.text_of(shown) == "curl: create_payment.sh");
  reader.click("[role=tab]:nth-child(2)");
  CHECK(reader.text_of(shown) == "Python: create_payment.py");
  reader.press(right);
  CHECK(reader.text_of("[aria-selected=true]") == "JavaScript");
  CHECK(reader.text_of(shown) == "JavaScript: create_payment.mjs");
  reader.open(gateway.base_url() + "/docs/idempotency");
  CHECK(reader.text_of(shown) == "JavaScript: retry_payment.mjs");
  reader.click(".sample:not([hidden]) .copy");
  CHECK(eventually([&] { return reader.text_of(".sample:not([hidden]) .copy") == "Copied"; }));
  reader.open(gateway.base_url() + "/docs/reference#refundPayment");
  CHECK(reader.text_of("li:target a") == "Refund a payment");
}
