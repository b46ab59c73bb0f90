// People in their browsers, over HTTP: sign-in, invitations, consent and set-up.
#include <catch2/catch.hpp>

#include <algorithm>

#include "merchant.hpp"
#include "paths.hpp"
#include "platform.hpp"
#include "visitor.hpp"

using namespace gateway::e2e;

namespace {

/// Slowing counts failures of the whole process and of the tests' one address, so a test that fails on purpose has a
/// gateway of its own.
struct office {
  gateway_process gateway{gateway_options{}};
  merchant_account shop = new_merchant(gateway);
  std::string owner = "ada@lantern.example";

  office() { add_person(gateway, shop.id, owner); }
};

const std::string password{owner_password};

/// Signs in on the sign-in page to which another page has redirected.
void sign_in(visitor& person, const std::string& email, const std::string& with = password) {
  if (!person.at().starts_with("/portal/sign-in")) person.open("/portal/sign-in");
  person.click("sign-in", {{"email", email}, {"password", with}});
}

bool is_signed_in(visitor& person) {
  return person.open("/portal/account").status == 200 && person.at() == "/portal/account";
}

/// A data folder on which one gateway runs after another, with the clock moved.
struct kept_folder {
  std::filesystem::path folder = new_folder("portal");
  ~kept_folder() {
    std::error_code ignored;
    if (!keeps_data()) std::filesystem::remove_all(folder, ignored);
  }
  gateway_options with(std::vector<std::string> arguments) const {
    gateway_options options;
    options.folder = folder;
    options.arguments = std::move(arguments);
    return options;
  }
};

std::string invite(const gateway_process& gateway, const std::string& merchant, const std::string& email,
                   const std::string& role = "owner") {
  return gateway
      .ctl({"merchant", "user", "invite", "--merchant", merchant, "--email", email, "--role", role})["invitation_url"]
      .text();
}

/// Makes a charge that is refused. Returns the refusal's setup link.
std::string setup_url(api& merchant, const std::string& id, const call& how = {}) {
  const auto answer = merchant.create(server_payment(id), how);
  REQUIRE(summary_of(answer) == "422 {merchant_not_charge_capable}");
  return json::parse(answer.body)["error"]["setup_url"].text();
}

}  // namespace

TEST_CASE("every page has the strict policy, a form token and host cookies") {
  office o;
  visitor person{o.gateway};
  const auto check = [&] {
    const auto policy = person.answer().header("Content-Security-Policy").value_or("");
    CHECK(policy.find("default-src 'none'") != std::string::npos);
    CHECK(policy.find("script-src 'none'") != std::string::npos);
    CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
    CHECK(person.answer().header("Cache-Control") == "no-store");
    for (const auto& [name, value] : person.answer().headers)
      if (name == "Set-Cookie") {
        CHECK(value.starts_with("__Host-"));
        CHECK(value.find("; Path=/; Secure; HttpOnly; SameSite=Lax") != std::string::npos);
      }
  };
  person.open("/portal/account");
  // The target in base64url, which grows little whatever the target contains.
  CHECK(person.at() == "/portal/sign-in?next=L3BvcnRhbC9hY2NvdW50");
  CHECK(person.csrf().size() == 64);
  check();
  sign_in(person, "ADA@Lantern.Example");
  CHECK(person.at() == "/portal/account");
  check();
  const auto who = new_platform(o.gateway, "front");
  person.open(authorize_target(who, "payments:read", "test"));
  CHECK(person.answer().status == 200);
  check();
}

TEST_CASE("a sign-in gives a new session, whatever cookies the browser had, and signing out ends it") {
  office o;
  visitor person{o.gateway};
  const std::string planted(64, 'a');
  person.cookies["__Host-session"] = planted;
  CHECK_FALSE(is_signed_in(person));
  sign_in(person, o.owner);
  const auto session = person.cookies["__Host-session"];
  CHECK(session != planted);
  CHECK(session.size() == 64);
  CHECK(o.gateway.sql("SELECT * FROM sessions;").find(session) == std::string::npos);
  REQUIRE(is_signed_in(person));
  visitor thief{o.gateway};
  thief.cookies["__Host-session"] = session;
  REQUIRE(is_signed_in(thief));
  person.open("/portal/account");
  person.click("sign-out");
  CHECK_FALSE(person.cookies.contains("__Host-session"));
  CHECK_FALSE(is_signed_in(thief));
}

TEST_CASE("a new password ends the person's sessions") {
  office o;
  visitor person{o.gateway};
  sign_in(person, o.owner);
  REQUIRE(is_signed_in(person));
  o.gateway.ctl({"merchant", "user", "add", "--merchant", o.shop.id, "--email", o.owner, "--password-stdin"},
                "another password\n");
  CHECK_FALSE(is_signed_in(person));
  sign_in(person, o.owner);
  CHECK(person.answer().status == 422);
  sign_in(person, o.owner, "another password");
  CHECK(is_signed_in(person));
}

TEST_CASE("the eleventh wrong password in a row is delayed, for an existing account and for an unknown one") {
  for (const std::string email : {"ada@lantern.example", "nobody@lantern.example"}) {
    office o;
    visitor person{o.gateway};
    for (int i = 0; i < 10; ++i) {
      sign_in(person, email, "wrong password");
      CHECK(person.answer().status == 422);
      CHECK(person.html().find("not right") != std::string::npos);
    }
    sign_in(person, email);
    CHECK(person.answer().status == 429);
    const auto wait = std::stoi(person.answer().header("Retry-After").value_or("0"));
    CHECK(wait > 800);
    CHECK(wait <= 900);
    CHECK_FALSE(is_signed_in(person));
  }
}

TEST_CASE("an invitation sets a password once, within seven days") {
  const kept_folder data;
  std::string replaced, link, late;
  {
    gateway_process gateway{data.with({})};
    const auto shop = new_merchant(gateway);
    replaced = invite(gateway, shop.id, "eve@lantern.example");
    link = invite(gateway, shop.id, "eve@lantern.example");
    late = invite(gateway, shop.id, "vic@lantern.example");
    gateway.terminate();
  }
  {
    gateway_process gateway{data.with({"--clock-offset=167h"})};
    visitor person{gateway};
    CHECK(person.open(replaced).status == 410);
    for (int i = 0; i < 2; ++i) {
      person.open(link);
      REQUIRE(person.answer().status == 200);
      CHECK(person.html().find("eve@lantern.example") != std::string::npos);
    }
    const auto target = person.at();
    person.click("set-password", {{"password", "elevenchars"}});
    CHECK(person.answer().status == 422);
    CHECK(person.html().find("12 characters") != std::string::npos);
    CHECK(person.post(target, "action=set-password&password=correct+horse+battery&csrf=").status == 403);
    visitor second{gateway};
    second.open(link);
    person.open(link);
    person.click("set-password", {{"password", "correct horse battery"}});
    CHECK(person.at() == "/portal/sign-in");
    sign_in(person, "eve@lantern.example", "correct horse battery");
    CHECK(is_signed_in(person));
    CHECK(second.click("set-password", {{"password", "stolen horse battery"}}).status == 410);
    CHECK(second.open(link).status == 410);
    CHECK(is_signed_in(person));
    CHECK(person.open(link + "A").status == 410);
    gateway.terminate();
  }
  gateway_process gateway{data.with({"--clock-offset=169h"})};
  visitor person{gateway};
  CHECK(person.open(late).status == 410);
}

namespace {

/// Two merchants of one gateway. An owner of A tries to become an owner of another merchant.
struct takeover {
  gateway_process gateway{gateway_options{}};
  merchant_account a = new_merchant(gateway, {"Attacker's"});
  visitor owner{gateway};

  takeover() {
    add_person(gateway, a.id, "eve@attacker.example");
    owner.open("/portal/sign-in");
    sign_in(owner, "eve@attacker.example");
  }
  std::string team() const { return "/portal/" + a.id + "/live/team"; }
  /// The link that the owner is shown; empty if the operator must invite.
  std::string invite_here(const std::string& email) {
    owner.open(team());
    owner.click("invite", {{"email", email}, {"role", "viewer"}});
    REQUIRE(owner.answer().status == 200);
    const auto html = owner.html();
    const auto at = html.find(gateway.base_url() + "/portal/invitation?token=");
    CHECK((at == std::string::npos) == (html.find("operator must invite") != std::string::npos));
    return at == std::string::npos ? std::string{} : html.substr(at, html.find_first_of(" \"<", at) - at);
  }
  /// A person who has only the link sets a password if the link allows it. Returns the status.
  int choose(const std::string& link, const std::string& chosen) {
    visitor thief{gateway};
    thief.open(link);
    const auto actions = thief.actions();
    if (std::ranges::find(actions, "set-password") == actions.end()) return thief.answer().status;
    return thief.click("set-password", {{"password", chosen}}).status;
  }
  bool opens(const std::string& email, const std::string& chosen, const std::string& merchant) {
    visitor person{gateway};
    person.open("/portal/sign-in");
    sign_in(person, email, chosen);
    const auto overview = "/portal/" + merchant + "/live/";
    return person.open(overview).status == 200 && person.at() == overview;
  }
};

const std::string stolen = "stolen horse battery";
const std::string cfo = "cfo@b.example";

}  // namespace

TEST_CASE("an owner's invitation cannot take over a person who belongs, or will belong, to another merchant") {
  takeover t;
  SECTION("a merchant's owner who has no password yet") {
    const auto b = new_merchant(t.gateway, {"B", "standard", cfo});
    CHECK(t.invite_here(cfo).empty());
    CHECK_FALSE(t.opens(cfo, stolen, b.id));
  }
  SECTION("a person whom the operator invites after the link was shown") {
    const auto link = t.invite_here(cfo);
    REQUIRE_FALSE(link.empty());
    const auto b = new_merchant(t.gateway, {"B"});
    const auto genuine = invite(t.gateway, b.id, cfo);
    t.choose(link, stolen);
    CHECK_FALSE(t.opens(cfo, stolen, b.id));
    CHECK(t.choose(genuine, "correct horse battery") == 200);
    CHECK(t.opens(cfo, "correct horse battery", b.id));
    // The link was kept until its person chose a password: it sets no other password, and leads to the sign-in.
    t.choose(link, stolen);
    CHECK_FALSE(t.opens(cfo, stolen, b.id));
    CHECK(t.opens(cfo, "correct horse battery", b.id));
    visitor person{t.gateway};
    person.open(link);
    CHECK(person.at().starts_with("/portal/sign-in?next="));
    sign_in(person, cfo, "correct horse battery");
    person.click("accept");
    CHECK(person.open("/portal/" + t.a.id + "/live/").status == 200);
  }
  SECTION("a password that the owner chose, before the operator gives its person a role") {
    const auto link = t.invite_here(cfo);
    CHECK(t.choose(link, stolen) == 200);
    visitor thief{t.gateway};
    thief.open("/portal/sign-in");
    sign_in(thief, cfo, stolen);
    REQUIRE(t.opens(cfo, stolen, t.a.id));
    const auto b = new_merchant(t.gateway, {"B"});
    if (GENERATE(true, false))
      invite(t.gateway, b.id, cfo);
    else
      new_merchant(t.gateway, {"Another", "standard", cfo});
    CHECK_FALSE(t.opens(cfo, stolen, t.a.id));
    thief.open("/portal/account");
    CHECK(thief.at().starts_with("/portal/sign-in"));
  }
  SECTION("a password that the owner chose, before another owner invites its person") {
    CHECK(t.choose(t.invite_here(cfo), stolen) == 200);
    const auto b = new_merchant(t.gateway, {"B"});
    add_person(t.gateway, b.id, "bob@b.example");
    visitor bob{t.gateway};
    bob.open("/portal/sign-in");
    sign_in(bob, "bob@b.example");
    bob.open("/portal/" + b.id + "/live/team");
    bob.click("invite", {{"email", cfo}, {"role", "owner"}});
    CHECK(bob.html().find("operator must invite") != std::string::npos);
    visitor thief{t.gateway};
    thief.open("/portal/sign-in");
    sign_in(thief, cfo, stolen);
    thief.open("/portal/account");
    const auto actions = thief.actions();
    CHECK(std::ranges::find(actions, "accept") == actions.end());
    thief.post("/portal/account", "csrf=" + thief.csrf() + "&action=accept&merchant_id=" + b.id);
    CHECK(thief.open("/portal/" + b.id + "/live/").status == 404);
  }
  SECTION("a removed or withdrawn person's link") {
    const auto link = t.invite_here(cfo);
    t.owner.open(t.team());
    CHECK(t.owner.html().find("Invited") != std::string::npos);
    const auto at = t.owner.html().find("value=\"user_") + 7;
    const auto id = t.owner.html().substr(at, t.owner.html().find('"', at) - at);
    t.owner.post_confirmed(t.team(), "csrf=" + t.owner.csrf() + "&action=remove&user_id=" + id);
    t.owner.open(t.team());
    CHECK(t.owner.html().find(cfo) == std::string::npos);
    CHECK(t.choose(link, stolen) == 410);
    const auto again = t.invite_here(cfo);
    REQUIRE_FALSE(again.empty());
    CHECK(t.choose(link, stolen) == 410);
    const auto newest = t.invite_here(cfo);
    CHECK(t.choose(again, stolen) == 410);
    CHECK(t.choose(newest, "correct horse battery") == 200);
    CHECK(t.choose(newest, stolen) == 410);
    CHECK(t.opens(cfo, "correct horse battery", t.a.id));
  }
}

TEST_CASE("a session ends after 30 minutes without use") {
  const kept_folder data;
  std::map<std::string, std::string> cookies;
  {
    gateway_process gateway{data.with({})};
    add_person(gateway, new_merchant(gateway).id, "ada@lantern.example");
    visitor person{gateway};
    sign_in(person, "ada@lantern.example");
    REQUIRE(is_signed_in(person));
    cookies = person.cookies;
    gateway.terminate();
  }
  for (const auto& [offset, good] : {std::pair{"29m", true}, {"58m", true}, {"89m", false}}) {
    CAPTURE(offset);
    gateway_process gateway{data.with({std::string{"--clock-offset="} + offset})};
    visitor person{gateway};
    person.cookies = cookies;
    CHECK(is_signed_in(person) == good);
    gateway.terminate();
  }
}

TEST_CASE("a session ends after 12 hours, however much it is used") {
  const kept_folder data;
  std::map<std::string, std::string> cookies;
  {
    gateway_process gateway{data.with({})};
    add_person(gateway, new_merchant(gateway).id, "ada@lantern.example");
    visitor person{gateway};
    sign_in(person, "ada@lantern.example");
    cookies = person.cookies;
    // As if the session had been used all day.
    gateway.sql("UPDATE sessions SET used_at = used_at + 43200000;");
    gateway.terminate();
  }
  for (const auto& [offset, good] : {std::pair{"719m", true}, {"721m", false}}) {
    CAPTURE(offset);
    gateway_process gateway{data.with({std::string{"--clock-offset="} + offset})};
    visitor person{gateway};
    person.cookies = cookies;
    CHECK(is_signed_in(person) == good);
    gateway.terminate();
  }
}

TEST_CASE("a link without a known platform and a registered address does not redirect to the platform") {
  office o;
  const auto who = new_platform(o.gateway, "front");
  const std::string rest = "&state=s&scope=payments%3Aread";
  const std::string host = "front.example";
  visitor person{o.gateway};
  std::vector<std::string> targets{"/connect/authorize", "/connect/authorize?client_id=nobody" + rest,
                                   "/connect/authorize?client_id=front" + rest};
  for (const std::string uri : {"https://front.example/callback/",
                                "https://front.example/callback?x",
                                "https://front.example/callback#x",
                                "https://front.example/",
                                "https://front.example/callback%2e",
                                "https://front.example/%63allback",
                                "https://front.example/x/../callback",
                                "https://front.example/./callback",
                                "https://FRONT.example/callback",
                                "HTTPS://front.example/callback",
                                "https://front.example:443/callback",
                                "https://front.example./callback",
                                "https://user@front.example/callback",
                                "https://front.example@evil.example/callback",
                                "https://front.example.evil.example/callback",
                                "https://evil.example/https://front.example/callback",
                                "https://evil.example\\@front.example/callback",
                                "https:\\\\front.example\\callback",
                                "//front.example/callback",
                                "http://front.example/callback",
                                "javascript:alert(1)",
                                " https://front.example/callback",
                                "https://front.example/callback ",
                                "https://front.example/callback\n",
                                "https://fr\xd0\xbent.example/callback",
                                "https://front\xe3\x80\x82"
                                "example/callback",
                                ""})
    targets.push_back("/connect/authorize?client_id=front&redirect_uri=" + percent_encode(uri) + rest);
  for (const bool signed_in : {false, true}) {
    if (signed_in) sign_in(person, o.owner);
    for (const auto& target : targets) {
      CAPTURE(target, signed_in);
      person.open(target);
      CHECK(person.answer().status == 400);
      CHECK_FALSE(person.answer().header("Location"));
      CHECK(person.left_for().empty());
    }
  }
  o.gateway.ctl({"platform", "suspend", who.id});
  CHECK(person.open(authorize_target(who, "payments:read", "test")).status == 400);
}

TEST_CASE("a sign-in never redirects away from the gateway") {
  office o;
  for (const std::string next : {"https://evil.example/", "//evil.example/portal/account", "/\\evil.example",
                                 "/portal//evil.example", "/portal/../../evil", "javascript:alert(1)",
                                 "/portal/account\r\nX: y", "https:evil.example", "\\\\evil.example"}) {
    CAPTURE(next);
    visitor person{o.gateway};
    person.open("/portal/sign-in?next=" + percent_encode(next));
    REQUIRE(person.answer().status == 200);
    sign_in(person, o.owner);
    CHECK(person.left_for().empty());
    CHECK(person.at() == "/portal/" + o.shop.id + "/live/");
  }
}

TEST_CASE("a sign-in without a target leads to the person's only merchant, or to the choice among several") {
  office o;
  visitor person{o.gateway};
  sign_in(person, o.owner);
  CHECK(person.at() == "/portal/" + o.shop.id + "/live/");
  CHECK(person.answer().status == 200);

  const auto second = new_merchant(o.gateway, {"Second Shop"});
  add_person(o.gateway, second.id, o.owner, "viewer");
  visitor again{o.gateway};
  sign_in(again, o.owner);
  CHECK(again.at() == "/portal/account");
  for (const auto& id : {o.shop.id, second.id})
    CHECK(again.html().find("/portal/" + id + "/live/\"") != std::string::npos);
}

TEST_CASE("an owner consents, the platform exchanges the code, and granted scopes are returned without asking") {
  office o;
  const auto who = new_platform(o.gateway, "front");
  visitor person{o.gateway};
  const auto ask = authorize_target(who, "payments:read payments:write", "test", "a b&c=d");
  person.open(ask);
  CHECK(person.at().starts_with("/portal/sign-in?next="));
  sign_in(person, o.owner);
  CHECK(person.at().starts_with("/connect/authorize?"));
  for (const std::string words : {"The front platform", "Lantern Books", "Test", "Take payments for you",
                                  "See your payments", "https://front.example"})
    CHECK(person.html().find(words) != std::string::npos);
  person.click("connect");
  REQUIRE(person.left_for().starts_with(who.redirect_uri + "?code="));
  CHECK(person.brought("state") == "a b&c=d");
  const auto code = person.brought("code");
  api platform{o.gateway, who.key};
  const auto answer = exchange(platform, who, code);
  REQUIRE(answer.status == 200);
  CHECK(json::parse(answer.body)["merchant_id"] == o.shop.id);
  CHECK(exchange(platform, who, code).status == 400);

  SECTION("the same scopes need no click, and give another code") {
    person.open(ask);
    CHECK_FALSE(person.brought("code").empty());
    CHECK(person.brought("code") != code);
    person.open(authorize_target(who, "payments:read", "test"));
    CHECK_FALSE(person.brought("code").empty());
  }
  SECTION("additional scopes are shown apart from those already granted") {
    person.open(authorize_target(who, "payments:read customers:read", "test"));
    REQUIRE(person.left_for().empty());
    CHECK(person.html().find("Find your customers") < person.html().find("It may do this already"));
    CHECK(person.html().find("It may do this already") < person.html().find("See your payments"));
    person.click("connect");
    const auto widened = json::parse(exchange(platform, who, person.brought("code")).body);
    CHECK(widened["grant_id"] == json::parse(answer.body)["grant_id"].text());
  }
  SECTION("the other environment is another grant") {
    person.open(authorize_target(who, "payments:read", "live"));
    CHECK(person.left_for().empty());
    CHECK(person.html().find("Live") != std::string::npos);
  }
  SECTION("after a revoke the owner is asked again") {
    o.gateway.ctl({"grant", "revoke", json::parse(answer.body)["grant_id"].text()});
    person.open(ask);
    REQUIRE(person.left_for().empty());
    person.click("connect");
    const auto renewed = json::parse(exchange(platform, who, person.brought("code")).body);
    CHECK_FALSE(renewed["grant_id"] == json::parse(answer.body)["grant_id"].text());
  }
}

TEST_CASE("the longest state passes through sign-in, and comes back unchanged") {
  office o;
  const auto who = new_platform(o.gateway, "front");
  std::string state;
  for (int i = 0; i < 1'024; ++i) state += "\xf0\x9f\x8d\xb5";
  visitor person{o.gateway};
  const auto code = consent(person, o.owner, authorize_target(who, "payments:read", "test", state));
  CHECK(person.left_for().starts_with(who.redirect_uri + "?code="));
  CHECK(person.brought("state") == state);
  api platform{o.gateway, who.key};
  CHECK(exchange(platform, who, code).status == 200);
}

TEST_CASE("a post that is not a form, or has no token, is 403; one whose session has ended leads to sign-in") {
  office o;
  const auto who = new_platform(o.gateway, "front");
  const auto ask = authorize_target(who, "payments:read", "test");
  visitor owner{o.gateway}, unknown{o.gateway};
  owner.open(ask);
  sign_in(owner, o.owner);
  const auto token = owner.csrf();
  for (const std::string& target : {ask, std::string{"/portal/sign-out"}}) {
    CAPTURE(target);
    for (auto* person : {&owner, &unknown}) {
      CHECK(person->post(target, "").status == 403);
      CHECK(person->post(target, "action=connect").status == 403);
    }
    CHECK(unknown.post(target, "action=connect&csrf=" + token).status == 303);
    CHECK(unknown.answer().header("Location").value_or("").find("/portal/sign-in") != std::string::npos);
  }
  CHECK(is_signed_in(owner));
  CHECK(o.gateway.ctl({"grant", "list"})["grants"].size() == 0);
}

TEST_CASE("cancel goes back with access_denied, and grants nothing") {
  office o;
  const auto who = new_platform(o.gateway, "front");
  visitor person{o.gateway};
  person.open(authorize_target(who, "payments:read", "test"));
  sign_in(person, o.owner);
  person.click("cancel");
  CHECK(person.left_for() == who.redirect_uri + "?error=access_denied&state=state-1");
  CHECK(o.gateway.ctl({"grant", "list"})["grants"].size() == 0);
}

TEST_CASE("a consent counts only with its own page's form in its own session") {
  office o;
  const auto who = new_platform(o.gateway, "front");
  visitor person{o.gateway}, other{o.gateway};
  const auto ask = authorize_target(who, "payments:read", "test");
  person.open(ask);
  sign_in(person, o.owner);
  const auto target = person.at();
  const auto token = person.csrf();
  other.open(ask);
  sign_in(other, o.owner);
  const auto of_other_session = other.csrf();
  other.open(authorize_target(who, "payments:read payments:write", "test"));
  person.open(authorize_target(who, "payments:write", "test"));
  const auto of_other_query = person.csrf();
  person.open("/portal/account");
  const auto of_other_form = person.csrf();
  for (const auto& wrong : {std::string{}, of_other_session, of_other_query, of_other_form, token + "0"})
    for (const std::string action : {"connect", "cancel"}) {
      const auto answer = person.post(target, "csrf=" + wrong + "&action=" + action);
      CHECK(answer.status == 403);
      CHECK_FALSE(answer.header("Location"));
    }
  CHECK(o.gateway.ctl({"grant", "list"})["grants"].size() == 0);
  CHECK(person.post(target, "csrf=" + token + "&action=connect").status == 303);
}

TEST_CASE("a viewer and a person without a merchant are refused, with a button that leads back") {
  office o;
  const auto who = new_platform(o.gateway, "front");
  add_person(o.gateway, o.shop.id, "vic@lantern.example", "viewer");
  visitor owner{o.gateway}, person{o.gateway};
  const auto ask = authorize_target(who, "payments:read", "test");
  REQUIRE_FALSE(consent(owner, o.owner, ask).empty());
  person.open(ask);
  sign_in(person, "vic@lantern.example");
  CHECK(person.answer().status == 403);
  CHECK(person.left_for().empty());
  CHECK(person.post(person.at(), "csrf=" + person.csrf() + "&action=connect&merchant_id=" + o.shop.id).status == 403);
  person.open(ask);
  person.click("cancel");
  CHECK(person.left_for() == who.redirect_uri + "?error=access_denied&state=state-1");
}

TEST_CASE("a person who belongs to several merchants chooses one each time") {
  office o;
  const auto who = new_platform(o.gateway, "front");
  const auto second = new_merchant(o.gateway, {"Second Shop"}), third = new_merchant(o.gateway, {"Third Shop"});
  add_person(o.gateway, second.id, o.owner);
  add_person(o.gateway, third.id, o.owner, "viewer");
  visitor person{o.gateway};
  const auto ask = authorize_target(who, "payments:read", "test");
  person.open(ask);
  sign_in(person, o.owner);
  for (const std::string name : {"Lantern Books", "Second Shop", "Third Shop"})
    CHECK(person.html().find(name) != std::string::npos);
  person.click("connect");
  CHECK(person.answer().status == 422);
  person.click("connect", {{"merchant_id", "merch_nobodys"}});
  CHECK(person.answer().status == 422);
  person.click("connect", {{"merchant_id", third.id}});
  CHECK(person.answer().status == 403);
  person.open(ask);
  person.click("connect", {{"merchant_id", second.id}});
  api platform{o.gateway, who.key};
  CHECK(json::parse(exchange(platform, who, person.brought("code")).body)["merchant_id"] == second.id);
  person.open(ask);
  CHECK(person.left_for().empty());
}

TEST_CASE("a code is valid for ten minutes") {
  for (const auto& [offset, status] : {std::pair{"9m", 200}, {"11m", 400}}) {
    CAPTURE(offset);
    const kept_folder data;
    platform_account who;
    std::string code;
    {
      gateway_process gateway{data.with({})};
      add_person(gateway, new_merchant(gateway).id, "ada@lantern.example");
      who = new_platform(gateway, "front");
      visitor person{gateway};
      code = consent(person, "ada@lantern.example", authorize_target(who, "payments:read", "test"));
      gateway.terminate();
    }
    gateway_process gateway{data.with({std::string{"--clock-offset="} + offset})};
    api platform{gateway, who.key};
    call moved;
    moved.ahead = std::chrono::minutes{std::stoi(offset)};
    CHECK(exchange(platform, who, code, moved).status == status);
    gateway.terminate();
  }
}

TEST_CASE("a merchant is set up by the signed link, and the charge succeeds with the same key") {
  gateway_process gateway{gateway_options{}};
  const std::string mode = GENERATE("test", "live");
  const auto shop = new_merchant(gateway, {"Lantern Books", "standard", "owner@lantern.example", false});
  api merchant{gateway, mint_key(gateway, shop.id, mode)};
  if (mode == "test") set_connection(gateway, shop.id, "sandbox", "not_connected");
  if (mode == "live") set_connection(gateway, shop.id, "sandbox", "in_progress", "live");
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  const auto link = setup_url(merchant, id, same);
  visitor person{gateway};
  for (int i = 0; i < 2; ++i) {
    person.open(link);
    REQUIRE(person.answer().status == 200);
    CHECK(person.actions() == std::vector<std::string>{"redeem"});
  }
  visitor thief{gateway}, second{gateway};
  CHECK(thief.post(person.at(), "action=redeem&csrf=" + person.csrf()).status == 403);
  second.open(link);
  person.click("redeem");
  // Another person who has the link, and another owner, get no further than this page.
  CHECK(person.at().starts_with("/portal/sign-in?next="));
  add_person(gateway, shop.id, "other@lantern.example");
  sign_in(person, "other@lantern.example");
  CHECK(person.answer().status == 403);
  CHECK(person.html().find("value=\"connect\"") == std::string::npos);
  person.open("/portal/account");
  person.click("sign-out");
  person.open("/portal/setup");
  add_person(gateway, shop.id, "owner@lantern.example");
  sign_in(person, "owner@lantern.example");
  CHECK(person.at() == "/portal/setup");
  person.click("connect", {{"provider", "no-such"}});
  CHECK(person.answer().status == 422);
  person.click("connect", {{"provider", "sandbox"}});
  CHECK(person.at().starts_with("/sandbox/onboarding/"));
  const auto onboarding = person.at();
  CHECK(summary_of(merchant.create(server_payment(id), same)) == "422 {merchant_not_charge_capable}");
  person.click("give-up");
  CHECK(person.at() == "/portal/setup");
  CHECK(person.open(onboarding).status == 410);
  person.open("/portal/setup");
  person.click("connect", {{"provider", "sandbox"}});
  person.click("finish");
  CHECK(person.at() == "/portal/setup");
  CHECK(person.html().find("You can take payments") != std::string::npos);
  CHECK(summary_of(merchant.create(server_payment(id), same)) == "200 authorized");
  // The link is spent, for the API too.
  CHECK(person.open(onboarding).status == 410);
  CHECK(second.click("redeem").status == 410);
  CHECK(second.open(link).status == 410);
}

TEST_CASE("a setup link is valid for an hour, and so is its session") {
  const kept_folder data;
  std::string link, other;
  std::map<std::string, std::string> cookies;
  {
    gateway_process gateway{data.with({})};
    const auto shop = new_merchant(gateway, {"Lantern Books", "standard", "owner@lantern.example", false});
    set_connection(gateway, shop.id, "sandbox", "not_connected");
    api merchant{gateway, shop.test};
    link = setup_url(merchant, new_payment_id());
    other = setup_url(merchant, new_payment_id());
    add_person(gateway, shop.id, "owner@lantern.example");
    visitor person{gateway};
    person.open(other);
    person.click("redeem");
    cookies = person.cookies;
    gateway.terminate();
  }
  for (const auto& [offset, status] : {std::pair{"59m", 200}, {"61m", 410}}) {
    CAPTURE(offset);
    gateway_process gateway{data.with({std::string{"--clock-offset="} + offset})};
    visitor person{gateway}, later{gateway};
    CHECK(person.open(link).status == status);
    later.cookies = cookies;
    later.open("/portal/setup");
    if (status == 200) {
      sign_in(later, "owner@lantern.example");
      CHECK(later.at() == "/portal/setup");
    }
    CHECK(later.answer().status == status);
    gateway.terminate();
  }
}

TEST_CASE("the plain link of a merchant without an owner requires a sign-in, and an owner") {
  gateway_process gateway{gateway_options{}};
  const auto shop = new_merchant(gateway);
  set_connection(gateway, shop.id, "sandbox", "not_connected");
  api merchant{gateway, shop.test};
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  const auto link = setup_url(merchant, id, same);
  CHECK(link.find("merchant_id=" + shop.id) != std::string::npos);
  add_person(gateway, shop.id, "vic@lantern.example", "viewer");
  visitor viewer{gateway};
  viewer.open(link);
  sign_in(viewer, "vic@lantern.example");
  CHECK(viewer.answer().status == 403);
  add_person(gateway, shop.id, "ada@lantern.example");
  visitor person{gateway};
  person.open(link);
  CHECK(person.at().starts_with("/portal/sign-in?next="));
  sign_in(person, "ada@lantern.example");
  person.click("connect", {{"provider", "sandbox"}});
  person.click("finish");
  CHECK(person.at().starts_with("/portal/setup?merchant_id=" + shop.id));
  CHECK(summary_of(merchant.create(server_payment(id), same)) == "200 authorized");
}
