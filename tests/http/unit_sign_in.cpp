// Signing in with a second factor, in two steps or in one post.
#include <set>

#include "gateway/domain/url.hpp"
#include "http/access/sign_in_throttle.hpp"
#include "http/portal/known_browser.hpp"
#include "http/portal/pending_sign_in.hpp"
#include "http/portal/person/account_commands.hpp"
#include "http/portal/second_factor.hpp"
#include "http/portal/sessions.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

constexpr std::string_view totp_secret = "12345678901234567890";
constexpr std::string_view right_password = "correct horse battery";

/// Two people with a second factor, a store that spends their codes, and one browser.
struct sign_in_fixture : gateway_fixture {
  std::map<std::string, stored_person> people;
  std::set<std::string> recovery_hashes;
  std::vector<unit_of_work> units;
  std::vector<save_audit> wrong_codes;  ///< newest first, as the store lists them
  std::string form_cookie;
  std::string pending;  ///< the browser's cookie of a pending sign-in
  std::string known;    ///< its cookie of an earlier sign-in

  sign_in_fixture() {
    add("user_1", "Ada@example.com");
    add("user_2", "bob@example.com");
    scene.users = [this](const find_user& what) -> caf::expected<user_lookup> {
      const auto at = people.find(what.email_key);
      return at == people.end() ? user_lookup{} : user_lookup{at->second};
    };
    scene.verifies = [](const verify_password& what) -> caf::result<bool> {
      return what.password == right_password && what.stored == "stored";
    };
    scene.sessions = [](const find_session&) {
      return session_lookup{stored_session{user_id{"user_1"},
                                           "Ada@example.com",
                                           noon,
                                           noon,
                                           noon + std::chrono::hours{1},
                                           {{merchant_id{"merch_1"}, "Tea & Co", member_role::owner}}}};
    };
    scene.audits = [this](const find_audit&) { return audit_lookup{wrong_codes}; };
    scene.commits = [this](const unit_of_work& unit) -> caf::result<commit_outcome> { return apply(unit); };
  }

  void add(const std::string& id, const std::string& email) {
    stored_person who;
    who.id = user_id{id};
    who.email = email;
    who.password_hash = "stored";
    who.sealed_totp = seal_totp_secret(shared.second_factor_key, who.id, totp_secret);
    people[email_key_of(email)] = who;
  }
  stored_person& ada() { return people.at("ada@example.com"); }

  commit_outcome apply(const unit_of_work& unit) {
    if (unit.claims.empty() && std::holds_alternative<save_audit>(unit.inserts.at(0))) {
      wrong_codes.insert(wrong_codes.begin(), std::get<save_audit>(unit.inserts[0]));
      return commit_outcome::committed;
    }
    for (const auto& claim : unit.claims) {
      if (const auto* spent = std::get_if<spend_totp_step>(&claim)) {
        if (spent->step <= ada().totp_step) return commit_outcome::lost_claim;
        ada().totp_step = spent->step;
      }
      if (const auto* spent = std::get_if<spend_recovery_code>(&claim))
        if (recovery_hashes.erase(spent->hash) == 0) return commit_outcome::lost_claim;
    }
    units.push_back(unit);
    return commit_outcome::committed;
  }

  std::string code(int steps_from_now = 0) const { return totp_code(totp_secret, totp_step_at(noon) + steps_from_now); }

  std::string jar() const {
    auto text = std::string{form_cookie_name} + "=" + form_cookie;
    if (!pending.empty()) text += "; " + std::string{pending_cookie_name} + "=" + pending;
    if (!known.empty()) text += "; " + known;
    return text;
  }
  response show() {
    request in = unsigned_request("GET", "/portal/sign-in");
    const auto cookies = jar();
    in.cookie = cookies;
    return keep(run(in));
  }
  response post(const std::string& fields, std::string_view address = "192.0.2.1") {
    form_cookie = std::string(form_cookie_digits, 'e');
    const auto body = "csrf=" + csrf_token(shared.form_key, form_cookie, "sign-in\n") + "&" + fields;
    const auto cookies = jar();
    request in = unsigned_request("POST", "/portal/sign-in", body, "application/x-www-form-urlencoded");
    in.cookie = cookies;
    in.remote_address = address;
    return keep(run(in));
  }
  response post_password(std::string_view password = right_password, const std::string& email = "ada@example.com") {
    return post("action=sign-in&email=" + percent_encoded(email) + "&password=" + percent_encoded(password));
  }
  response post_code(const std::string& typed, std::string_view address = "192.0.2.1") {
    return post("action=sign-in&code=" + percent_encoded(typed), address);
  }
  response post_all(const std::string& typed) {
    return post("action=sign-in&email=ada%40example.com&password=" + percent_encoded(right_password) +
                "&code=" + percent_encoded(typed));
  }

  /// Stores the cookies of an answer as a browser does.
  response keep(response out) {
    const auto text = cookie_in(out, pending_cookie_name);
    if (text) pending = *text;
    return out;
  }
  static std::optional<std::string> cookie_in(const response& out, std::string_view name) {
    const auto begin = std::string{name} + "=";
    for (const auto& [header_name, value] : out.headers)
      if (header_name == "Set-Cookie" && value.starts_with(begin))
        return value.substr(begin.size(), value.find(';') - begin.size());
    return std::nullopt;
  }
  static bool is_signed_in(const response& out) {
    return out.status == 303 && cookie_in(out, session_cookie_name).value_or("").size() == session_cookie_digits;
  }
  static bool has(const response& out, std::string_view part) { return out.body.find(part) != std::string::npos; }
  static bool asks_for_code(const response& out) {
    return has(out, "name=\"code\"") && !has(out, "name=\"password\"") && !cookie_in(out, session_cookie_name);
  }
};

}  // namespace

TEST_CASE_METHOD(sign_in_fixture, "the right password leads to the code, and the right code signs in") {
  const auto asked = post_password();
  CHECK(asked.status == 200);
  CHECK(asks_for_code(asked));
  CHECK(has(asked, "autocomplete=\"one-time-code\""));
  CHECK(units.empty());
  CHECK(asks_for_code(show()));
  const auto in = post_code(code());
  CHECK(is_signed_in(in));
  CHECK(pending.empty());
  REQUIRE(units.size() == 1);
  CHECK(std::get<check_credentials>(units[0].claims.at(0)).sealed_totp == ada().sealed_totp);
  CHECK(std::get<spend_totp_step>(units[0].claims.at(1)).step == totp_step_at(noon));
  CHECK(std::holds_alternative<save_session>(units[0].inserts.at(0)));
  CHECK(has(show(), "name=\"password\""));
}

TEST_CASE_METHOD(sign_in_fixture, "without a second factor the password is enough, whatever `code` contains") {
  ada().sealed_totp.clear();
  CHECK(is_signed_in(post_password()));
  CHECK(is_signed_in(post_all("000000")));
  CHECK(pending.empty());
}

TEST_CASE_METHOD(sign_in_fixture, "a wrong password has the usual answer, and does not lead to the code") {
  const auto wrong = post_password("wrong password here");
  CHECK(wrong.status == 422);
  CHECK(has(wrong, "The e-mail address or the password is not right."));
  CHECK_FALSE(has(wrong, "name=\"code\""));
  CHECK(pending.empty());
}

TEST_CASE_METHOD(sign_in_fixture, "a wrong code asks again") {
  post_password();
  for (const auto& typed : {std::string{}, std::string{"abc"}, code(2), code(-2), std::string{"0000-0000-0000-0000"}}) {
    const auto refused = post_code(typed);
    CHECK(refused.status == 422);
    CHECK(asks_for_code(refused));
    CHECK(has(refused, "id=\"code-fault\""));
  }
  CHECK(units.empty());
  CHECK(is_signed_in(post_code(code(1))));
}

TEST_CASE_METHOD(sign_in_fixture, "a code works once, also with two concurrent uses") {
  post_password();
  CHECK(is_signed_in(post_code(code())));
  post_password();
  CHECK(post_code(code()).status == 422);
  CHECK(post_code(code(-1)).status == 422);
  CHECK(is_signed_in(post_code(code(1))));
  SECTION("the other sign-in was faster: the store knows the use, and this sign-in did not") {
    ada().totp_step = 0;
    post_password();
    scene.commits = [](const unit_of_work&) -> caf::result<commit_outcome> { return commit_outcome::lost_claim; };
    const auto late = post_code(code());
    CHECK(late.status == 422);
    CHECK(asks_for_code(late));
  }
}

TEST_CASE_METHOD(sign_in_fixture, "a recovery code works once, and is on the audit list") {
  const auto made = make_recovery_codes();
  recovery_hashes.insert(made.hashes.begin(), made.hashes.end());
  post_password();
  CHECK(is_signed_in(post_code(made.texts[3])));
  REQUIRE(units.size() == 1);
  CHECK(std::get<spend_recovery_code>(units[0].claims.at(1)).hash == made.hashes[3]);
  const auto& note = std::get<save_audit>(units[0].inserts.at(1));
  CHECK(note.action == "use-recovery-code");
  CHECK(note.address == "192.0.2.1");
  post_password();
  CHECK(post_code(made.texts[3]).status == 422);
  CHECK(is_signed_in(post_code(made.texts[4])));
}

TEST_CASE_METHOD(sign_in_fixture, "address, password and code may be sent in one post") {
  CHECK(is_signed_in(post_all(code())));
  const auto refused = post_all(code());
  CHECK(refused.status == 422);
  CHECK(asks_for_code(refused));
  CHECK(asks_for_code(post_all("")));
  CHECK(is_signed_in(post_code(code(1))));
}

TEST_CASE_METHOD(sign_in_fixture, "wrong codes are slowed down, and the right password does not reset the count") {
  for (int i = 0; i < 10; ++i) {
    CHECK(post_password().status == 200);
    // From ten addresses, so that the account's limit applies.
    CHECK(post_code("000000", "198.51.100." + std::to_string(i)).status == 422);
  }
  const auto slowed = post_code(code(), "198.51.100.99");
  CHECK(slowed.status == 429);
  CHECK(std::stoi(header(slowed, "Retry-After")) > 0);
  CHECK(asks_for_code(slowed));
  CHECK(post_password().status == 429);
  CHECK(units.empty());
}

TEST_CASE_METHOD(sign_in_fixture, "five wrong codes in a day lead the person to the account page, which reports them") {
  const auto enter = [this](int codes) {
    for (int i = 0; i < codes; ++i) {
      post_password();
      CHECK(post_code("000000").status == 422);
    }
    post_password();
    const auto in = post_code(code(1));
    REQUIRE(is_signed_in(in));
    return header(in, "Location");
  };
  const auto account = shared.portal_url + "/account";
  SECTION("five") {
    CHECK(enter(5) == account);
    REQUIRE(wrong_codes.size() == 5);
    CHECK(wrong_codes[0].action == "wrong-code");
    CHECK(wrong_codes[0].user == ada().id);
    CHECK(wrong_codes[0].address == "192.0.2.1");
  }
  SECTION("further ones are not recorded") {
    enter(9);
    CHECK(wrong_codes.size() == 5);
  }
  SECTION("four") { CHECK(enter(4) != account); }
  SECTION("five in more than a day") {
    wrong_codes.assign(5, save_audit{ada().id, noon, "audit_1", "192.0.2.9", "wrong-code", {}, {}, {}});
    for (int i = 0; i < 5; ++i) wrong_codes[static_cast<std::size_t>(i)].at = noon - i * std::chrono::hours{7};
    CHECK(enter(0) != account);
  }
  SECTION("a new password was set since") {
    wrong_codes.assign(6, save_audit{ada().id, noon, "audit_1", "192.0.2.9", "wrong-code", {}, {}, {}});
    SECTION("yes") {
      wrong_codes[0].action = "set-password";
      CHECK(enter(0) != account);
    }
    SECTION("no") { CHECK(enter(0) == account); }
  }
}

TEST_CASE_METHOD(sign_in_fixture,
                 "wrong codes that could not be looked up lead to the account page, which looks again") {
  scene.audits = [](const find_audit&) -> caf::expected<audit_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  post_password();
  const auto in = post_code(code());
  REQUIRE(is_signed_in(in));
  CHECK(header(in, "Location") == shared.portal_url + "/account");
}

TEST_CASE_METHOD(sign_in_fixture, "wrong codes from one address wait, whichever person they are for") {
  for (int i = 0; i < 5; ++i) {
    post_password();
    CHECK(post_code("000000").status == 422);
    post_password(right_password, "bob@example.com");
    CHECK(post_code("000000").status == 422);
  }
  CHECK(post_code(code()).status == 429);
}

TEST_CASE_METHOD(sign_in_fixture, "a right code resets the count") {
  for (int i = 0; i < 9; ++i) {
    post_password();
    post_code("000000", "198.51.100." + std::to_string(i));
  }
  CHECK(is_signed_in(post_code(code())));
  for (int i = 0; i < 9; ++i) {
    CHECK(post_password().status == 200);
    CHECK(post_code("000000", "203.0.113." + std::to_string(i)).status == 422);
  }
}

TEST_CASE_METHOD(sign_in_fixture, "the cookie of a right password is bound to one person") {
  post_password(right_password, "bob@example.com");
  const auto bobs = pending;
  people.at("bob@example.com").sealed_totp =
      seal_totp_secret(shared.second_factor_key, user_id{"user_2"}, "another secret of 20");
  pending = bobs;
  SECTION("and invalid after the second factor has changed") {
    const auto again = post_code(code());
    CHECK(again.status == 422);
    CHECK(has(again, "name=\"password\""));
    CHECK(pending.empty());
  }
  SECTION("and accepts no code of another person") {
    post_password(right_password, "bob@example.com");
    const auto refused = post_code(code());
    CHECK(refused.status == 422);
    CHECK(has(refused, "bob@example.com"));
    CHECK(units.empty());
  }
  SECTION("and ends with the password") {
    post_password();
    ada().password_hash = "another";
    CHECK(has(post_code(code()), "name=\"password\""));
  }
}

TEST_CASE_METHOD(sign_in_fixture,
                 "a cookie of a right password that is forged, missing or too old restarts the sign-in") {
  post_password();
  const auto& key = shared.second_factor_key;
  const auto genuine = key.open(pending, "pending sign-in");
  REQUIRE(genuine);
  const auto rest = genuine->substr(genuine->find('\n'));
  CHECK(genuine->substr(0, genuine->find('\n')) == std::to_string(to_unix_ms(noon + pending_lifetime)));
  const crypto::derived_keys another{std::string(32, 'x')};
  for (const auto& note :
       {std::string{}, std::string{"x"}, pending + "A", another.seal(*genuine, "pending sign-in"),
        key.seal(*genuine, "something else"), key.seal(std::to_string(to_unix_ms(noon)) + rest, "pending sign-in"),
        key.seal("x" + rest, "pending sign-in")}) {
    pending = note;
    const auto again = post_code(code());
    CHECK(again.status == 422);
    CHECK(has(again, "name=\"password\""));
    CHECK(pending.empty());
  }
  CHECK(units.empty());
  pending = key.seal(std::to_string(to_unix_ms(noon) + 1) + rest, "pending sign-in");
  CHECK(is_signed_in(post_code(code())));
}

TEST_CASE_METHOD(sign_in_fixture, "another person may sign in instead") {
  post_password();
  const auto out = post("action=cancel");
  CHECK(out.status == 303);
  CHECK(header(out, "Location") == "https://pay.example/portal/sign-in");
  CHECK(pending.empty());
  CHECK(has(show(), "name=\"password\""));
}

TEST_CASE_METHOD(sign_in_fixture, "while the store does not answer, an attempt does not count") {
  post_password();
  scene.commits = [](const unit_of_work&) -> caf::result<commit_outcome> { return commit_outcome::unavailable; };
  for (int i = 0; i < 12; ++i) CHECK(post_code(code()).status == 503);
}

// ---- browsers that are known ----------------------------------------------------------------------

namespace {

/// The Set-Cookie that marks the browser as known.
std::string known_cookie_in(const response& out) {
  for (const auto& [header_name, value] : out.headers)
    if (header_name == "Set-Cookie" && value.starts_with("__Host-known-")) return value;
  return {};
}

}  // namespace

TEST_CASE_METHOD(sign_in_fixture,
                 "a browser that has signed in before gets in while others keep the account slowed down") {
  ada().sealed_totp.clear();
  const auto made = known_cookie_in(post_password());
  CHECK(made.ends_with("; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=7776000"));
  const auto mine = made.substr(0, made.find(';'));
  CHECK(known_cookie_in(post_password("wrong password here")).empty());

  for (int i = 0; i < 12; ++i) post("action=sign-in&email=ada%40example.com&password=wrong+password", "198.51.100.7");
  CHECK(post_password().status == 429);
  known = mine;
  CHECK(post_password("wrong password here").status == 422);
  CHECK(is_signed_in(post_password()));

  SECTION("but not to another account") {
    for (int i = 0; i < 12; ++i) post("action=sign-in&email=bob%40example.com&password=wrong+password", "198.51.100.8");
    CHECK(post_password(right_password, "bob@example.com").status == 429);
    // And not under the name of that account's cookie.
    const auto bobs = known_browser_cookie(shared, people.at("bob@example.com"));
    known = bobs.substr(0, bobs.find('=')) + mine.substr(mine.find('='));
    CHECK(post_password(right_password, "bob@example.com").status == 429);
    known = bobs.substr(0, bobs.find(';'));
    CHECK(post_password(right_password, "bob@example.com").status == 200);  // and is asked for the code
  }
  SECTION("and it has ten attempts of its own") {
    for (int i = 0; i < 10; ++i) CHECK(post_password("wrong password here").status == 422);
    CHECK(post_password().status == 429);
  }
  SECTION("and not with one from before the password or the second factor was replaced") {
    (GENERATE(true, false) ? ada().password_hash : ada().sealed_totp) = "another";
    CHECK(post_password().status == 429);
  }
  SECTION("and known browsers have thirty attempts together, of which one has failed") {
    for (int i = 0; i < 29; ++i) {
      const auto another = known_browser_cookie(shared, ada());
      known = another.substr(0, another.find(';'));
      CHECK(post_password("wrong password here").status == 422);
    }
    known = mine;
    CHECK(post_password().status == 429);
  }
  SECTION("and not with a cookie that was changed, cut or has ended") {
    for (const auto& bad :
         {mine.substr(0, mine.size() - 1) + (mine.back() == '0' ? '1' : '0'), mine.substr(0, mine.size() - 1),
          mine.substr(0, mine.find('=') + 1), mine.substr(0, mine.find('=') + 1) + std::string(120, '.')}) {
      CAPTURE(bad);
      known = bad;
      CHECK(post_password().status == 429);
    }
    known = mine;
    clock.at = noon + known_browser_lifetime;
    CHECK(post_password().status == 429);
  }
}

TEST_CASE_METHOD(sign_in_fixture,
                 "the hasher gets a known browser's password under its account, and other passwords under none") {
  ada().sealed_totp.clear();
  std::vector<std::string> asked_for;
  scene.verifies = [&, looks = scene.verifies](const verify_password& what) {
    asked_for.push_back(what.for_whom);
    return looks(what);
  };
  const auto made = known_cookie_in(post_password());
  known = made.substr(0, made.find(';'));
  post_password();
  CHECK(asked_for == std::vector<std::string>{"", "ada@example.com"});
}
