// The portal's pages over their routes: who may see what, and where a browser is redirected.
#include "gateway/domain/url.hpp"
#include "http/access/auth_codes.hpp"
#include "http/access/sign_in_throttle.hpp"
#include "http/html/forms.hpp"
#include "http/portal/invitation_link.hpp"
#include "http/portal/sessions.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view form_type = "application/x-www-form-urlencoded";
const std::string query =
    "client_id=shopfront&redirect_uri=https%3A%2F%2Fapp.example%2Fback%3Fx%3D1&state=s+1&scope=payments:read&mode=test";
const std::string back = "https://app.example/back?x=1&";

struct portal_fixture : gateway_fixture {
  const std::string cookie = std::string(64, 'a');
  std::vector<session_membership> of{{merchant_id{"merch_1"}, "Tea & Co", member_role::owner}};
  time_point used_at = noon;
  time_point ends_at = noon + 12h;
  std::vector<unit_of_work> units;

  portal_fixture() {
    publish_platform(platform_status::active);
    scene.sessions = [this](const find_session& what) -> caf::expected<session_lookup> {
      if (what.hash != session_hash(cookie)) return session_lookup{};
      return session_lookup{stored_session{user_id{"user_1"}, "ada@example.com", noon - 1h, used_at, ends_at, of}};
    };
    scene.commits = [this](const unit_of_work& unit) -> caf::result<commit_outcome> {
      units.push_back(unit);
      return commit_outcome::committed;
    };
    scene.router = [](const entity_request& asked) {
      grant_binding b;
      b.key = asked.key;
      return entity_reply{entity_row{std::make_shared<const grant_binding>(std::move(b))}};
    };
  }

  void publish_platform(platform_status status, std::string redirect_uri = "https://app.example/back?x=1") {
    platform p;
    p.id = platform_id{"plat_1"};
    p.slug = "shopfront";
    p.name = "Shop <Front>";
    p.contact = "a@app.example";
    p.status = status;
    p.redirect_uris = {std::move(redirect_uri)};
    merchants.publish(std::make_shared<const platform>(std::move(p)));
  }
  void publish_grant(std::string_view scopes, std::int64_t version, grant_state state = grant_state::active) {
    merchants.publish(grant_update{
        {platform_id{"plat_1"}, merchant_id{"merch_1"}}, environment::test, {state, *parse_scopes(scopes), version}});
  }

  response get(std::string_view path, std::string_view text, bool with_session = true) {
    request in = unsigned_request("GET", path);
    in.query = text;
    in.has_query = true;
    const auto jar = "__Host-session=" + cookie;
    if (with_session) in.cookie = jar;
    return run(in);
  }
  response post(std::string_view path, std::string_view text, const std::string& body, const std::string& jar,
                std::string_view type = form_type) {
    request in = unsigned_request("POST", path, body, type);
    in.query = text;
    in.has_query = true;
    in.cookie = jar;
    in.remote_address = "192.0.2.1";
    return run(in);
  }
  /// A post with the session's cookie and the first token of the page.
  response answer(const response& page, std::string_view text, const std::string& fields) {
    return post("/connect/authorize", text, "csrf=" + csrf_in(page) + "&" + fields, "__Host-session=" + cookie);
  }

  static constexpr std::string_view csrf_mark = "name=\"csrf\" value=\"";
  static std::string csrf_in(const response& page) {
    const auto at = page.body.find(csrf_mark);
    return at == std::string::npos ? std::string{} : page.body.substr(at + csrf_mark.size(), 64);
  }
  /// The last form of a page signs out.
  static std::string sign_out_csrf_in(const response& page) {
    const auto at = page.body.rfind(csrf_mark);
    return at == std::string::npos ? std::string{} : page.body.substr(at + csrf_mark.size(), 64);
  }
  static std::string cookie_of(const response& page) {
    const auto text = header(page, "Set-Cookie");
    return text.substr(0, text.find(';'));
  }
  const give_consent& consent() { return *command_if<give_consent>(scene.seen.back().what); }
};

bool has(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }

}  // namespace

TEST_CASE_METHOD(portal_fixture,
                 "a query without a known platform and registered address gets a 400 page, not a redirect") {
  const std::string rest = "&state=s&scope=payments:read";
  for (const auto& text :
       {std::string{}, "client_id=nobody&redirect_uri=https://app.example/back?x=1" + rest,
        "client_id=shopfront" + rest, "client_id=shopfront&redirect_uri=https://app.example/back" + rest,
        "client_id=shopfront&redirect_uri=https://app.example.evil.example/back?x=1" + rest,
        "client_id=shopfront&redirect_uri=https://app.example/back%3Fx%3D1%26y" + rest,
        "client_id=shopfront&redirect_uri=https://app.example/back%3Fx%3D1&redirect_uri=https://app.example/"
        "back%3Fx%3D1" +
            rest,
        "client_id=shopfront&client_id=shopfront&redirect_uri=https://app.example/back%3Fx%3D1" + rest}) {
    CAPTURE(text);
    for (const bool session : {true, false}) {
      const auto page = get("/connect/authorize", text, session);
      CHECK(page.status == 400);
      CHECK(header(page, "Location").empty());
    }
    CHECK(post("/connect/authorize", text, "action=connect", "__Host-session=" + cookie).status == 400);
  }
  publish_platform(platform_status::suspended);
  CHECK(get("/connect/authorize", query).status == 400);
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(portal_fixture, "other faults are returned to the registered address, before any sign-in") {
  const std::string to = "client_id=shopfront&redirect_uri=https%3A%2F%2Fapp.example%2Fback%3Fx%3D1";
  const auto invalid = get("/connect/authorize", to + "&state=s", false);
  CHECK(invalid.status == 303);
  CHECK(header(invalid, "Location") == back + "error=invalid_request&state=s");
  CHECK(header(get("/connect/authorize", to + "&state=s&scope=*", false), "Location") ==
        back + "error=invalid_scope&state=s");
}

TEST_CASE_METHOD(portal_fixture, "a person who has not signed in does so first, and returns to the same question") {
  const auto away = get("/connect/authorize", query, false);
  CHECK(away.status == 303);
  const auto location = header(away, "Location");
  const std::string begin = "https://pay.example/portal/sign-in?next=";
  REQUIRE(location.starts_with(begin));
  const auto page = get("/portal/sign-in", location.substr(location.find('?') + 1), false);
  CHECK(page.status == 200);
  // Browsers check the redirects that follow against the form's policy.
  CHECK(header(page, "Content-Security-Policy").find("form-action 'self' https:;") != std::string::npos);
  scene.users = [](const find_user& what) -> caf::expected<user_lookup> {
    CHECK(what.email_key == "ada@example.com");
    return user_lookup{stored_person{{user_id{"user_1"}, "Ada@example.com", "the hash", noon}}};
  };
  scene.verifies = [](const verify_password& what) -> caf::result<bool> { return what.stored == "the hash"; };
  const auto in = post("/portal/sign-in", location.substr(location.find('?') + 1),
                       "csrf=" + csrf_in(page) + "&email=ADA@example.com&password=p&action=sign-in", cookie_of(page));
  CHECK(in.status == 303);
  const auto to = header(in, "Location");
  CHECK(to.starts_with("https://pay.example/connect/authorize?client_id=shopfront&"));
  CHECK(get("/connect/authorize", to.substr(to.find('?') + 1)).status == 200);
  const auto fresh = header(in, "Set-Cookie");
  CHECK(fresh.starts_with("__Host-session="));
  CHECK(fresh.ends_with("; Path=/; Secure; HttpOnly; SameSite=Lax"));
  REQUIRE(units.size() == 1);
  const auto& saved = std::get<save_session>(units[0].inserts.at(0));
  CHECK(saved.hash == session_hash(fresh.substr(15, 64)));
  CHECK(saved.ends_at == noon + 12h);
}

TEST_CASE_METHOD(portal_fixture, "the consent screen shows who requests what, escapes it, and posts nowhere else") {
  const auto page = get("/connect/authorize", query);
  CHECK(page.status == 200);
  CHECK(has(page, "Shop &lt;Front&gt;"));
  CHECK(has(page, "Tea &amp; Co"));
  CHECK(has(page, "See your payments"));
  CHECK(has(page, "https://app.example"));
  CHECK(has(page, "Test mode"));
  CHECK_FALSE(has(page, "Take payments for you"));
  const auto policy = header(page, "Content-Security-Policy");
  CHECK(policy.find("script-src 'none'") != std::string::npos);
  CHECK(policy.find("form-action 'self' https:;") != std::string::npos);
  CHECK(policy.ends_with("frame-ancestors 'none'"));

  const auto given = answer(page, query, "action=connect");
  CHECK(given.status == 303);
  CHECK(header(given, "Location").starts_with(back + "code="));
  CHECK(header(given, "Location").ends_with("&state=s%201"));
  CHECK(consent().shown);
  CHECK(consent().user.value == "user_1");
  CHECK(consent().redirect_uri == "https://app.example/back?x=1");
  CHECK(consent().scopes == *parse_scopes("payments:read"));
  const auto location = header(given, "Location");
  const auto code = location.substr(back.size() + 5, location.find('&', back.size()) - back.size() - 5);
  CHECK(consent().code_hash == code_hash(code));
  CHECK(binding_of(code, shared.code_key) == scene.seen.back().key);
  CHECK(scene.seen.back().key == binding_key(merchant_id{"merch_1"}, environment::test, platform_id{"plat_1"}));
  CHECK(header(answer(page, query, "action=cancel"), "Location") == back + "error=access_denied&state=s%201");
}

TEST_CASE_METHOD(portal_fixture, "a consent without the page's own token is 403 and changes nothing") {
  const auto page = get("/connect/authorize", query);
  const auto other_query = query + "&scope2=x";
  const auto other_page = get("/connect/authorize", other_query);
  const auto sign_out_token = csrf_token(shared.form_key, cookie, "sign-out");
  const auto other_session = csrf_token(shared.form_key, std::string(64, 'b'), "consent");
  for (const auto& token : {std::string{}, csrf_in(other_page), sign_out_token, other_session})
    for (const std::string action : {"connect", "cancel"}) {
      const auto refused =
          post("/connect/authorize", query, "csrf=" + token + "&action=" + action, "__Host-session=" + cookie);
      CHECK(refused.status == 403);
      CHECK(header(refused, "Location").empty());
    }
  CHECK(scene.seen.empty());
  CHECK(answer(page, query, "action=steal").status == 400);
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(portal_fixture, "a post that is not a form, or has no token, is 403 and changes nothing") {
  const auto invitation = invitation_url(an_invitation(), "https://pay.example/portal", shared.invitation_key);
  const std::pair<std::string, std::string> forms[] = {
      {"/connect/authorize", query},
      {"/portal/sign-in", ""},
      {"/portal/sign-out", ""},
      {"/portal/setup", ""},
      {"/portal/setup", "merchant_id=merch_1&mode=test"},
      {"/portal/invitation", invitation.substr(invitation.find('?') + 1)}};
  const std::string no_token = "action=connect", two_tokens = "csrf=1&csrf=1&action=connect";
  for (const auto& [path, text] : forms)
    for (const auto& jar : {"__Host-session=" + cookie, std::string{}}) {
      CAPTURE(path, text, jar);
      CHECK(post(path, text, "", jar).status == 403);
      CHECK(post(path, text, "{}", jar, "application/json").status == 403);
      CHECK(post(path, text, "csrf=1&action=connect", jar, "text/plain").status == 403);
      CHECK(post(path, text, "csrf=1&action=%zz", jar).status == 403);
      CHECK(post(path, text, no_token, jar).status == 403);
      CHECK(post(path, text, two_tokens, jar).status == 403);
    }
  CHECK(scene.seen.empty());
  CHECK(units.empty());
}

TEST_CASE_METHOD(portal_fixture, "a form whose session has ended meanwhile leads to the sign-in page") {
  const auto page = get("/connect/authorize", query);
  const auto fields = "csrf=" + csrf_in(page) + "&action=connect";
  const auto consent = post("/connect/authorize", query, fields, "");
  CHECK(consent.status == 303);
  CHECK(header(consent, "Location") == header(get("/connect/authorize", query, false), "Location"));
  const auto setup = post("/portal/setup", "merchant_id=merch_1&mode=test", fields, "");
  CHECK(setup.status == 303);
  CHECK(header(setup, "Location").starts_with("https://pay.example/portal/sign-in?next="));
  const auto out = post("/portal/sign-out", "", fields, "");
  CHECK(out.status == 303);
  CHECK(header(out, "Location") == "https://pay.example/portal/sign-in");
  CHECK(scene.seen.empty());
  CHECK(units.empty());
}

TEST_CASE_METHOD(portal_fixture, "browsers may follow redirects to a registered address with brackets in its query") {
  publish_platform(platform_status::active, "https://p.example/cb?tenant[]=1");
  const std::string text =
      "client_id=shopfront&redirect_uri=https%3A%2F%2Fp.example%2Fcb%3Ftenant%5B%5D%3D1&state=s&scope=payments:read&"
      "mode=test";
  const auto targets = [](const response& page) { return header(page, "Content-Security-Policy"); };
  CHECK(targets(get("/connect/authorize", text)).find("form-action 'self' https:;") != std::string::npos);
  const auto location = header(get("/connect/authorize", text, false), "Location");
  CHECK(targets(get("/portal/sign-in", location.substr(location.find('?') + 1), false))
            .find("form-action 'self' https:;") != std::string::npos);
}

TEST_CASE_METHOD(portal_fixture, "the longest state passes through sign-in in a request line within the limit") {
  std::string state;
  for (int i = 0; i < 1'024; ++i) state += i % 2 == 0 ? "\xf0\x9f\x8d\xb5" : "%";
  const auto text =
      query.substr(0, query.find("&state")) + "&state=" + percent_encoded(state) + "&scope=payments%3Aread&mode=test";
  const auto location = header(get("/connect/authorize", text, false), "Location");
  CHECK(location.size() < 8 * 1024);
  const auto next = location.substr(location.find('?') + 1);
  const auto page = get("/portal/sign-in", next, false);
  scene.users = [](const find_user&) -> caf::expected<user_lookup> {
    return user_lookup{stored_person{{user_id{"user_1"}, "ada@example.com", "the hash", noon}}};
  };
  scene.verifies = [](const verify_password&) -> caf::result<bool> { return true; };
  const auto in = post("/portal/sign-in", next,
                       "csrf=" + csrf_in(page) + "&email=ada@example.com&password=p&action=sign-in", cookie_of(page));
  CHECK(header(in, "Location") == "https://pay.example/connect/authorize?" + text);
}

TEST_CASE_METHOD(portal_fixture, "only an owner consents: a viewer gets a page with a button that leads back") {
  const auto page_of_an_owner = get("/connect/authorize", query);
  for (const bool member : {true, false}) {
    of.clear();
    if (member) of.push_back({merchant_id{"merch_1"}, "Tea & Co", member_role::viewer});
    publish_grant("payments:read", member ? 1 : 2);
    const auto page = get("/connect/authorize", query);
    CHECK(page.status == 403);
    CHECK(header(page, "Location").empty());
    CHECK(answer(page_of_an_owner, query, "action=connect&merchant_id=merch_1").status == 403);
    CHECK(header(answer(page, query, "action=cancel"), "Location") == back + "error=access_denied&state=s%201");
  }
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(portal_fixture, "an owner of several merchants chooses one of them, and no other merchant") {
  of = {{merchant_id{"merch_1"}, "Tea & Co", member_role::owner},
        {merchant_id{"merch_2"}, "Books", member_role::owner},
        {merchant_id{"merch_3"}, "Looked at", member_role::viewer}};
  publish_grant("payments:read", 1);
  const auto page = get("/connect/authorize", query);
  CHECK(page.status == 200);
  for (const auto* id : {"merch_1", "merch_2", "merch_3"})
    CHECK(has(page, std::string{"name=\"merchant_id\" value=\""} + id));
  for (const std::string fields :
       {"action=connect", "action=connect&merchant_id=", "action=connect&merchant_id=merch_9",
        "action=connect&merchant_id=merch_1&merchant_id=merch_2"})
    CHECK(answer(page, query, fields).status == 422);
  CHECK(answer(page, query, "action=connect&merchant_id=merch_3").status == 403);
  CHECK(scene.seen.empty());
  CHECK(answer(page, query, "action=connect&merchant_id=merch_2").status == 303);
  CHECK(scene.seen.back().key.merchant.value == "merch_2");
}

TEST_CASE_METHOD(portal_fixture, "a consent is on the person's audit list, and a redirect without a question is not") {
  const auto page = get("/connect/authorize", query);
  CHECK(answer(page, query, "action=connect").status == 303);
  REQUIRE(scene.seen.size() == 1);
  const auto& note = scene.seen[0].note;
  REQUIRE(note);
  CHECK(note->user.value == "user_1");
  CHECK(note->merchant.value == "merch_1");
  CHECK(note->env == environment::test);
  CHECK(note->action == "connect platform");
  CHECK(note->subject == "shopfront");
  CHECK(note->address == "192.0.2.1");
  publish_grant("payments:read", 1);
  CHECK(get("/connect/authorize", query).status == 303);
  CHECK_FALSE(scene.seen.back().note);
}

TEST_CASE_METHOD(portal_fixture, "granted scopes are returned without asking, and additional ones are asked for") {
  publish_grant("payments:read payments:write", 1);
  const auto away = get("/connect/authorize", query);
  CHECK(away.status == 303);
  CHECK(header(away, "Location").starts_with(back + "code="));
  CHECK_FALSE(consent().shown);

  scene.seen.clear();
  publish_grant("payments:write", 2);
  const auto more = query.substr(0, query.find("&mode")) + "+payments:write&mode=test";
  const auto page = get("/connect/authorize", more);
  CHECK(page.status == 200);
  CHECK(page.body.find("It asks for this in addition") < page.body.find("See your payments"));
  CHECK(page.body.find("See your payments") < page.body.find("It may do this already"));
  CHECK(page.body.find("It may do this already") < page.body.find("Take payments for you"));
  CHECK(scene.seen.empty());

  SECTION("a grant that ended a moment ago is asked for again") {
    publish_grant("payments:read", 3);
    scene.router = [](const entity_request&) { return entity_reply{problem::grant_not_covering}; };
    CHECK(get("/connect/authorize", query).status == 200);
  }
  SECTION("a grant that has ended is not given back") {
    publish_grant("payments:read", 3, grant_state::revoked);
    CHECK(get("/connect/authorize", query).status == 200);
    CHECK(scene.seen.empty());
  }
}

TEST_CASE_METHOD(portal_fixture,
                 "a session ends after the idle time of the setting and after 12 hours, and is touched once a minute") {
  CHECK(get("/portal/account", "").status == 200);
  CHECK(units.empty());
  used_at = noon - 59s;
  CHECK(get("/portal/account", "").status == 200);
  CHECK(units.empty());
  used_at = noon - 1min;
  CHECK(get("/portal/account", "").status == 200);
  REQUIRE(units.size() == 1);
  CHECK(std::get<touch_session>(units[0].claims.at(0)).used_at == noon);
  used_at = noon - 30min + 1ms;
  CHECK(get("/portal/account", "").status == 200);
  used_at = noon - 30min;
  CHECK(get("/portal/account", "").status == 303);
  config.portal_session_idle = 5min;
  used_at = noon - 5min + 1ms;
  CHECK(get("/portal/account", "").status == 200);
  used_at = noon - 5min;
  CHECK(get("/portal/account", "").status == 303);
  CHECK(std::holds_alternative<end_session>(units.back().claims.at(0)));
  used_at = noon;
  ends_at = noon;
  CHECK(get("/portal/account", "").status == 303);
  CHECK(header(get("/portal/account", ""), "Location") ==
        "https://pay.example/portal/sign-in?next=" + crypto::base64url("/portal/account"));
}

TEST_CASE_METHOD(portal_fixture, "signing out ends the session, by a form of this session only") {
  const auto page = get("/portal/account", "");
  CHECK(post("/portal/sign-out", "", "csrf=&action=sign-out", "__Host-session=" + cookie).status == 403);
  CHECK(units.empty());
  const auto out =
      post("/portal/sign-out", "", "csrf=" + sign_out_csrf_in(page) + "&action=sign-out", "__Host-session=" + cookie);
  CHECK(out.status == 303);
  CHECK(header(out, "Set-Cookie").find("Max-Age=0") != std::string::npos);
  REQUIRE(units.size() == 1);
  CHECK(std::get<end_session>(units[0].claims.at(0)).hash == session_hash(cookie));
}

TEST_CASE_METHOD(portal_fixture,
                 "wrong passwords, unknown addresses and invited people get the same answer and the same throttle") {
  const auto page = get("/portal/sign-in", "", false);
  std::vector<std::string> compared;
  scene.verifies = [&](const verify_password& what) -> caf::result<bool> {
    compared.push_back(what.stored);
    return false;
  };
  const std::optional<stored_person> people[] = {stored_person{{user_id{"u"}, "ada@example.com", "the hash", noon}},
                                                 stored_person{{user_id{"u"}, "ada@example.com", "", noon}},
                                                 std::nullopt};
  std::vector<std::string> bodies;
  for (const auto& person : people) {
    shared.throttle.forget_all();
    compared.clear();
    scene.users = [&](const find_user&) -> caf::expected<user_lookup> { return user_lookup{person}; };
    const auto attempt = [&] {
      return post("/portal/sign-in", "", "csrf=" + csrf_in(page) + "&email=ada@example.com&password=p&action=sign-in",
                  cookie_of(page));
    };
    for (int i = 0; i < 10; ++i) {
      const auto refused = attempt();
      CHECK(refused.status == 422);
      bodies.push_back(refused.body);
    }
    CHECK(compared.size() == 10);
    CHECK_FALSE(compared[0].empty());
    const auto slowed = attempt();
    CHECK(slowed.status == 429);
    CHECK(std::stoi(header(slowed, "Retry-After")) > 800);
    CHECK(compared.size() == 10);
  }
  for (const auto& body : bodies) CHECK(body == bodies.front());
  CHECK(units.empty());
}

TEST_CASE_METHOD(portal_fixture,
                 "no sign-in succeeds with a spelling that only the database equates with the address") {
  const auto page = get("/portal/sign-in", "", false);
  scene.users = [](const find_user&) -> caf::expected<user_lookup> {
    return user_lookup{stored_person{{user_id{"user_1"}, "ada@example.com", "the hash", noon}}};
  };
  std::string compared;
  scene.verifies = [&](const verify_password& what) -> caf::result<bool> {
    compared = what.stored;
    return true;
  };
  const auto out =
      post("/portal/sign-in", "", "csrf=" + csrf_in(page) + "&email=ada@example.com%20&password=p&action=sign-in",
           cookie_of(page));
  CHECK(out.status == 422);
  CHECK(compared != "the hash");
  CHECK(units.empty());
}

TEST_CASE_METHOD(portal_fixture,
                 "another site's form cannot sign a person out: the cookie that it could not send stays") {
  const auto out = post("/portal/sign-out", "", "csrf=" + std::string(64, 'a') + "&action=sign-out", "");
  CHECK(out.status == 303);
  CHECK(header(out, "Set-Cookie").empty());
  CHECK(units.empty());
}

TEST_CASE_METHOD(portal_fixture, "an invitation cannot be used to keep the hasher busy") {
  scene.invitations = [](const find_invitations&) { return standing_of(an_invitation()); };
  const auto url = invitation_url(an_invitation(), "https://pay.example/portal", shared.invitation_key);
  const auto text = url.substr(url.find('?') + 1);
  const auto page = get("/portal/invitation", text, false);
  unsigned asked = 0;
  scene.operators = [&](const operator_command&) {
    ++asked;
    return operator_result{operator_problem{operator_problem::kind::conflict, "used"}};
  };
  const auto attempt = [&] {
    return post("/portal/invitation", text,
                "csrf=" + csrf_in(page) + "&password=correct+horse+battery&action=set-password", cookie_of(page));
  };
  for (int i = 0; i < 10; ++i) CHECK(attempt().status == 410);
  const auto slowed = attempt();
  CHECK(slowed.status == 429);
  CHECK(std::stoi(header(slowed, "Retry-After")) > 800);
  CHECK(asked == 10);
}

TEST_CASE_METHOD(portal_fixture, "a busy hasher or store is a 503 page, and no attempt is counted") {
  const auto page = get("/portal/sign-in", "", false);
  scene.verifies = [](const verify_password&) -> caf::result<bool> { return make_error(actor_errc::overloaded); };
  for (int i = 0; i < 12; ++i) {
    const auto busy = post("/portal/sign-in", "",
                           "csrf=" + csrf_in(page) + "&email=a@b.example&password=p&action=sign-in", cookie_of(page));
    CHECK(busy.status == 503);
    CHECK(header(busy, "Retry-After") == "1");
  }
}

TEST_CASE_METHOD(portal_fixture, "a sign-in commits its session only with the credentials that were verified") {
  const auto page = get("/portal/sign-in", "", false);
  scene.users = [](const find_user&) -> caf::expected<user_lookup> {
    return user_lookup{stored_person{{user_id{"user_1"}, "ada@example.com", "the hash", noon}}};
  };
  scene.verifies = [](const verify_password&) -> caf::result<bool> { return true; };
  scene.commits = [this](const unit_of_work& unit) -> caf::result<commit_outcome> {
    units.push_back(unit);
    return commit_outcome::lost_claim;
  };
  const auto out = post("/portal/sign-in", "",
                        "csrf=" + csrf_in(page) + "&email=ada@example.com&password=p&action=sign-in", cookie_of(page));
  CHECK(out.status == 422);
  CHECK(header(out, "Set-Cookie").find("__Host-session") == std::string::npos);
  REQUIRE(units.size() == 1);
  CHECK(std::holds_alternative<save_session>(units[0].inserts.at(0)));
  const auto& check = std::get<check_credentials>(units[0].claims.at(0));
  CHECK(check.user.value == "user_1");
  CHECK(check.password_hash == "the hash");
  CHECK(check.sealed_totp.empty());
}

TEST_CASE_METHOD(portal_fixture,
                 "the sign-in form is accepted only from the browser that it was shown to, and for its target") {
  const auto page = get("/portal/sign-in", "", false);
  const auto fields = "csrf=" + csrf_in(page) + "&email=a@b.example&password=p&action=sign-in";
  CHECK(post("/portal/sign-in", "", fields, "").status == 403);
  CHECK(post("/portal/sign-in", "", fields, "__Host-form=" + std::string(32, 'b')).status == 403);
  const auto with_target = "next=" + crypto::base64url("/portal/account");
  CHECK(post("/portal/sign-in", with_target, fields, cookie_of(page)).status == 403);
  CHECK(post("/portal/sign-in", "", fields, cookie_of(page)).status == 422);
  // A target outside the gateway's pages counts as none.
  for (const auto& next : {crypto::base64url("//evil.example"), std::string{"%2Fportal%2Faccount"}, std::string{"!"}})
    CHECK(post("/portal/sign-in", "next=" + next, fields, cookie_of(page)).status == 422);
  for (const std::string missing : {"&email=&password=p", "&email=a@b.example&password=", ""})
    CHECK(post("/portal/sign-in", "", "csrf=" + csrf_in(page) + missing + "&action=sign-in", cookie_of(page)).status ==
          422);
}
