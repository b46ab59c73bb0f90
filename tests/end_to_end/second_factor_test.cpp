// The second factor over HTTP: begun and confirmed on the account page, asked for at each sign-in, each code valid
// once.
#include <catch2/catch.hpp>

#include <regex>

#include "authenticator.hpp"
#include "merchant.hpp"
#include "platform.hpp"
#include "text.hpp"
#include "visitor.hpp"

using namespace gateway::e2e;

namespace {

using std::chrono::seconds;

const std::string email = "ada@lantern.example";
const std::string password{owner_password};

std::vector<std::string> all_in(const std::string& text, const std::string& pattern) {
  const std::regex wanted{pattern};
  std::vector<std::string> found;
  for (auto at = std::sregex_iterator{text.begin(), text.end(), wanted}; at != std::sregex_iterator{}; ++at)
    found.push_back(at->str());
  return found;
}

struct guarded {
  gateway_process gateway{gateway_options{}};
  merchant_account shop = new_merchant(gateway);
  std::string user = add_person(gateway, shop.id, email);
  visitor person{gateway};
  std::string secret, spent;  ///< the code that turned the second factor on
  std::vector<std::string> recovery;

  guarded() {
    sign_in();
    REQUIRE(is_in());
    person.click("second-factor-on", {{"password", password}});
    const auto found = all_in(person.html(), "([A-Z2-7]{4} ){7}[A-Z2-7]{4}");
    REQUIRE(found.size() == 1);
    secret = found[0];
    CHECK(person.click("confirm-second-factor", {{"code", "000000"}}).status == 422);
    spent = totp_code(secret);
    person.click("confirm-second-factor", {{"code", spent}});
    REQUIRE(person.answer().status == 200);
    recovery = all_in(person.html(), "\\b([0-9a-z]{4}-){3}[0-9a-z]{4}\\b");
    REQUIRE(recovery.size() == 10);
    person.open("/portal/account");
    person.click("sign-out");
  }
  void sign_in() {
    person.open("/portal/sign-in");
    person.click("sign-in", {{"email", email}, {"password", password}});
  }
  bool is_in() { return person.open("/portal/account").status == 200 && person.at() == "/portal/account"; }
};

}  // namespace

TEST_CASE("with a second factor a password is not enough, a code is, and each code works once") {
  guarded g;
  CHECK(g.gateway.sql("SELECT sealed_totp FROM people;").find(g.secret.substr(0, 4)) == std::string::npos);
  g.sign_in();
  CHECK_FALSE(g.is_in());
  g.sign_in();
  CHECK(g.person.click("sign-in", {{"code", "123456"}}).status == 422);
  CHECK(g.person.click("sign-in", {{"code", g.spent}}).status == 422);
  const auto next = totp_code(g.secret, seconds{30});
  g.person.click("sign-in", {{"code", next}});
  CHECK(g.is_in());
  g.person.click("sign-out");
  g.sign_in();
  CHECK(g.person.click("sign-in", {{"code", next}}).status == 422);
  CHECK_FALSE(g.is_in());
}

TEST_CASE("a recovery code signs in once, and new ones replace all that are left") {
  guarded g;
  g.sign_in();
  g.person.click("sign-in", {{"code", g.recovery[0]}});
  REQUIRE(g.is_in());
  CHECK(g.person.html().find("9 recovery codes are left") != std::string::npos);
  CHECK(g.person.click("new-recovery-codes", {{"password", "not the password"}}).status == 422);
  g.person.open("/portal/account");
  g.person.click("new-recovery-codes", {{"password", password}});
  const auto fresh = all_in(g.person.html(), "\\b([0-9a-z]{4}-){3}[0-9a-z]{4}\\b");
  REQUIRE(fresh.size() == 10);
  g.person.open("/portal/account");
  g.person.click("sign-out");
  for (const auto& spent : {g.recovery[0], g.recovery[1]}) {
    g.sign_in();
    CHECK(g.person.click("sign-in", {{"code", spent}}).status == 422);
  }
  g.person.click("sign-in", {{"code", fresh[3]}});
  CHECK(g.is_in());
}

TEST_CASE("e-mail, password and code may be sent in one post") {
  guarded g;
  g.person.open("/portal/sign-in");
  g.person.click("sign-in", {{"email", email}, {"password", password}, {"code", totp_code(g.secret, seconds{30})}});
  CHECK(g.is_in());
}

TEST_CASE("five wrong codes after the right password are reported at the person's next successful sign-in") {
  guarded g;
  g.sign_in();
  for (int i = 0; i < 5; ++i) CHECK(g.person.click("sign-in", {{"code", "123456"}}).status == 422);
  g.person.click("sign-in", {{"code", totp_code(g.secret, seconds{30})}});
  CHECK(g.person.at() == "/portal/account");
  CHECK(g.person.html().find("If that was not you, set a new password") != std::string::npos);
  CHECK(g.person.html().find("Wrong-code") != std::string::npos);
  g.person.click("set-password", {{"password", password}, {"new_password", "a better password"}});
  REQUIRE(g.person.at() == "/portal/account?done=set-password");
  CHECK(g.person.html().find("If that was not you") == std::string::npos);
}

TEST_CASE("wrong codes are slowed down as wrong passwords are") {
  guarded g;
  g.sign_in();
  for (int i = 0; i < 10; ++i) g.person.click("sign-in", {{"code", "123456"}});
  CHECK(g.person.answer().status == 422);
  g.person.click("sign-in", {{"code", totp_code(g.secret, seconds{30})}});
  CHECK(g.person.answer().status == 429);
  CHECK_FALSE(g.is_in());
}

TEST_CASE("the account page changes the password, the zone and the sessions, and lists the changes") {
  gateway_process gateway{gateway_options{}};
  const auto shop = new_merchant(gateway);
  add_person(gateway, shop.id, email);
  visitor here{gateway}, elsewhere{gateway};
  for (auto* each : {&here, &elsewhere}) {
    each->open("/portal/sign-in");
    each->click("sign-in", {{"email", email}, {"password", password}});
    REQUIRE(each->at() == "/portal/" + shop.id + "/live/");
  }
  const auto changing = [&](const std::string& present, const std::string& fresh) {
    here.open("/portal/account");
    return here.click("set-password", {{"password", present}, {"new_password", fresh}}).status;
  };
  CHECK(changing("not the password", "a better password") == 422);
  CHECK(changing(password, "short") == 422);
  CHECK(elsewhere.open("/portal/account").status == 200);
  CHECK(changing(password, "a better password") == 200);
  CHECK(here.at() == "/portal/account?done=set-password");
  elsewhere.open("/portal/account");
  CHECK(elsewhere.at().starts_with("/portal/sign-in"));
  elsewhere.click("sign-in", {{"email", email}, {"password", "a better password"}});
  REQUIRE(elsewhere.at() == "/portal/account");

  here.open("/portal/account");
  here.click("set-zone", {{"zone", "Asia/Hong_Kong"}});
  CHECK(here.html().find("Asia/Hong_Kong") != std::string::npos);
  here.open("/portal/account");
  CHECK(here.click("set-zone", {{"zone", "Mars/Olympus"}}).status == 422);
  here.open("/portal/account");
  here.click("end-other-sessions");
  elsewhere.open("/portal/account");
  CHECK(elsewhere.at().starts_with("/portal/sign-in"));
  here.open("/portal/account");
  for (const std::string action : {"Set-password", "Set-zone", "End-other-sessions"})
    CHECK(here.html().find(action) != std::string::npos);
}

TEST_CASE("turning the second factor on asks for the password") {
  gateway_process gateway{gateway_options{}};
  add_person(gateway, new_merchant(gateway).id, email);
  visitor person{gateway};
  person.open("/portal/sign-in");
  person.click("sign-in", {{"email", email}, {"password", password}});
  person.open("/portal/account");
  CHECK(person.click("second-factor-on", {{"password", "not the password"}}).status == 422);
  CHECK(all_in(person.html(), "([A-Z2-7]{4} ){7}[A-Z2-7]{4}").empty());
  person.open("/portal/account");
  CHECK(person.click("second-factor-on", {{"password", password}}).status == 200);
  CHECK(all_in(person.html(), "([A-Z2-7]{4} ){7}[A-Z2-7]{4}").size() == 1);
}

TEST_CASE("turning the second factor off asks for the password") {
  guarded g;
  g.sign_in();
  g.person.click("sign-in", {{"code", g.recovery[0]}});
  REQUIRE(g.is_in());
  CHECK(g.person.click("second-factor-off", {{"password", "not the password"}}).status == 422);
  g.person.open("/portal/account");
  g.person.click("second-factor-off", {{"password", password}});
  CHECK(g.person.at() == "/portal/account?done=second-factor-off");
  g.person.click("sign-out");
  g.sign_in();
  CHECK(g.is_in());
}

TEST_CASE("the operator resets a second factor that was lost, and the password alone signs in") {
  guarded g;
  CHECK(g.gateway.run_ctl({"user", "reset-second-factor", "--email", "nobody@lantern.example"}).code == 1);
  g.sign_in();
  CHECK_FALSE(g.is_in());
  const auto reset = g.gateway.ctl({"user", "reset-second-factor", "--email", "ADA@lantern.example"});
  CHECK(reset["user_id"] == g.user);
  CHECK(reset.size() == 1);
  g.person.click("sign-in", {{"code", g.recovery[0]}});  // ends the sign-in that had begun, which starts again
  CHECK_FALSE(g.is_in());
  g.sign_in();
  CHECK(g.is_in());
}
