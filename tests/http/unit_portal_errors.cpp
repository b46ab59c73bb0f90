// Errors under the portal's addresses are pages with a way on; sessions name their browsers; a password that was just
// chosen leads to a sign-in page with the address.
#include "gateway/domain/person.hpp"
#include "http/html/forms.hpp"
#include "http/portal/browser_words.hpp"
#include "http/portal/chosen_password.hpp"
#include "http/portal/invitation_link.hpp"
#include "http/portal/sessions.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view link_back = "<a href=\"https://pay.example/portal\">Go to the portal</a>";

bool has_text(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }

void check_page(const response& out, int status) {
  CHECK(out.status == status);
  CHECK(out.content_type == "text/html; charset=utf-8");
  CHECK(has_text(out, link_back));
  CHECK_FALSE(header(out, "Content-Security-Policy").empty());
}

}  // namespace

TEST_CASE_METHOD(gateway_fixture, "an unknown address under the portal is a page that leads on, for every method") {
  for (const auto* path : {"/portal/nothing/here/at/all", "/portal/nowhere", "/portal/merch_1", "/portal/account/",
                           "/portal/merch_1/live/nowhere", "/portal/merch_1/live/payments/a/b", "/portal//"})
    for (const auto* method : {"GET", "POST", "DELETE"}) {
      CAPTURE(path, method);
      check_page(run(unsigned_request(method, path)), 404);
    }
  const auto wrong = run(unsigned_request("DELETE", "/portal/account"));
  check_page(wrong, 405);
  CHECK(header(wrong, "Allow") == "GET, POST");
  for (const auto* path : {"/portals", "/v1/nothing"})
    CHECK(run(unsigned_request("GET", path)).content_type == "application/json");
}

TEST_CASE_METHOD(gateway_fixture, "refused forms, missing things and a busy gateway are pages that lead on") {
  const std::string session_id = std::string(64, 'a'), jar = "__Host-session=" + session_id;
  scene.sessions = [&](const find_session& what) {
    return session_found_by(what, session_id, noon + 11h, member_role::viewer);
  };
  const auto get_page = [&](const std::string& path) {
    auto in = unsigned_request("GET", path);
    in.cookie = jar;
    return run(in);
  };
  check_page(run(unsigned_request("POST", "/portal/merch_1/test/keys")), 403);
  check_page(run(unsigned_request("GET", "/portal/invitation")), 410);
  check_page(get_page("/portal/merch_2/test/keys"), 404);
  check_page(get_page("/portal/merch_1/test/audit"), 403);
  scene.sessions = [](const find_session&) -> caf::expected<session_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  const auto busy = get_page("/portal/account");
  check_page(busy, 503);
  CHECK_FALSE(header(busy, "Retry-After").empty());
}

TEST_CASE("a browser and its system are named in words, and unknown ones are left out") {
  struct {
    std::string_view agent, words;
  } const rows[] = {
      {"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox on Linux"},
      {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 "
       "Safari/537.36",
       "Chrome on Windows"},
      {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 "
       "Safari/537.36 "
       "Edg/142.0.0.0",
       "Edge on Windows"},
      {"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 "
       "Safari/605.1.15",
       "Safari on macOS"},
      {"Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 "
       "Mobile/15E148 Safari/604.1",
       "Safari on iPhone"},
      {"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile "
       "Safari/537.36",
       "Chrome on Android"},
      {"curl/8.14.1", "curl"},
      {"<script>Linux</script>", "Linux"},
      {"something else", ""},
      {"", ""}};
  for (const auto& row : rows) CHECK(browser_in_words(row.agent) == row.words);
}

TEST_CASE_METHOD(gateway_fixture,
                 "a session stores the address and the browser that signed in, and the account lists them") {
  const std::string browser(32, 'b'), jar = "__Host-form=" + browser;
  scene.users = [](const find_user&) {
    stored_person person;
    person.id = user_id{"user_1"};
    person.email = "ada@example.com";
    person.password_hash = "hash";
    return user_lookup{person};
  };
  scene.verifies = [](const verify_password&) { return true; };
  std::optional<save_session> begun;
  scene.commits = [&](const unit_of_work& unit) -> caf::result<commit_outcome> {
    for (const auto& row : unit.inserts)
      if (const auto* one = std::get_if<save_session>(&row)) begun = *one;
    return commit_outcome::committed;
  };
  const auto body = "csrf=" + csrf_token(shared.form_key, browser, "sign-in\n") +
                    "&action=sign-in&email=ada%40example.com&password=correct";
  auto in = unsigned_request("POST", "/portal/sign-in", body, "application/x-www-form-urlencoded");
  in.cookie = jar;
  in.remote_address = "2001:db8::17";
  in.head = "POST /portal/sign-in HTTP/1.1\r\nHost: pay.example\r\nUser-Agent: X (X11; Linux) Firefox/145.0\r\n\r\n";
  CHECK(run(in).status == 303);
  REQUIRE(begun);
  CHECK(begun->address == "2001:db8::17");
  CHECK(begun->browser == "Firefox on Linux");

  const std::string session_id = std::string(64, 'a'), session_jar = "__Host-session=" + session_id;
  scene.sessions = [&](const find_session& what) { return session_found_by(what, session_id, noon + 11h); };
  scene.session_lists = [](const find_sessions&) {
    return sessions_lookup{
        {{"s1", noon, noon, noon + 11h, "2001:db8::17", "Firefox on Linux"}, {"s2", noon, noon, noon + 11h, {}, {}}}};
  };
  auto account = unsigned_request("GET", "/portal/account");
  account.cookie = session_jar;
  const auto page = run(account);
  CHECK(has_text(page, "Firefox on Linux"));
  CHECK(has_text(page, "<code>2001:db8::17</code>"));
  CHECK(has_text(page, "Unknown"));
}

TEST_CASE_METHOD(gateway_fixture, "after a password was set by a link the sign-in page has the address, once") {
  const auto link = an_invitation();
  scene.invitations = [&](const find_invitations&) { return standing_of(link); };
  scene.operators = [&](const operator_command&) { return operator_result{added_user{link.user}}; };
  const std::string browser(32, 'b'), jar = "__Host-form=" + browser;
  const auto url = invitation_url(link, "https://pay.example/portal", shared.invitation_key);
  const auto query = url.substr(url.find('?') + 1);
  const auto body = "csrf=" + csrf_token(shared.form_key, browser, "invitation\n" + link.id) +
                    "&password=correct+horse+battery&action=set-password";
  auto in = unsigned_request("POST", "/portal/invitation", body, "application/x-www-form-urlencoded");
  in.query = query;
  in.has_query = true;
  in.cookie = jar;
  in.remote_address = "192.0.2.1";
  const auto done = run(in);
  CHECK(header(done, "Location") == "https://pay.example/portal/sign-in");
  const auto set = header(done, "Set-Cookie");
  CHECK(set.find("; Secure; HttpOnly; SameSite=Lax") != std::string::npos);
  const auto brought = jar + "; " + set.substr(0, set.find(';'));
  auto next = unsigned_request("GET", "/portal/sign-in");
  next.cookie = brought;
  const auto page = run(next);
  CHECK(has_text(page, "Your password is set."));
  CHECK(has_text(page, "value=\"ada@example.com\""));
  bool is_removed = false;
  for (const auto& [name, value] : page.headers)
    is_removed |= name == "Set-Cookie" && value == no_chosen_password_cookie();
  CHECK(is_removed);

  for (const auto* value : {"", "x", "PHNjcmlwdD4", "%20"}) {
    CAPTURE(value);
    const auto wrong = jar + "; __Host-chosen-password=" + value;
    next.cookie = wrong;
    CHECK_FALSE(has_text(run(next), "Your password is set."));
  }
}

TEST_CASE_METHOD(gateway_fixture, "an owner sees what anyone has changed at the merchant, page by page") {
  const std::string session_id = std::string(64, 'a'), jar = "__Host-session=" + session_id;
  scene.sessions = [&](const find_session& what) { return session_found_by(what, session_id, noon + 11h); };
  scene.entries = [](const find_directory&) {
    directory_lookup rows;
    rows.users.push_back({user_id{"user_1"}, "ada@example.com", true});
    return rows;
  };
  std::vector<find_audit_entries> asked;
  scene.of<find_audit_entries>() = [&](const find_audit_entries& what) {
    asked.push_back(what);
    audit_entries_lookup found;
    for (std::uint32_t i = 0; i < what.limit; ++i) {
      save_audit row;
      row.user = user_id{i == 0 ? "user_gone" : "user_1"};
      row.at = noon - std::chrono::minutes{i};
      row.id = "audit_" + std::to_string(i);
      row.address = "192.0.2.17";
      row.action = "revoke key";
      row.subject = "mk_test_<1>";
      row.env = environment::test;
      found.entries.push_back({std::move(row), {}});
    }
    return found;
  };
  auto in = unsigned_request("GET", "/portal/merch_1/test/audit");
  in.cookie = jar;
  const auto page = run(in);
  CHECK(page.status == 200);
  for (const auto* text : {"Revoke key", "mk_test_&lt;1&gt;", "ada@example.com", "user_gone", "192.0.2.17", ">Older<"})
    CHECK(has_text(page, text));
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].merchant == merchant_id{"merch_1"});
  CHECK_FALSE(asked[0].after);
  CHECK_FALSE(asked[0].oldest_first);
  const auto at = page.body.find("cursor=") + 7;
  const auto cursor = "cursor=" + page.body.substr(at, page.body.find('"', at) - at);
  in.query = cursor;
  in.has_query = true;
  CHECK(run(in).status == 200);
  REQUIRE(asked.size() == 2);
  REQUIRE(asked[1].after);
  CHECK(asked[1].after->at == noon - std::chrono::minutes{49});
  CHECK(asked[1].after->id == "audit_49");
}

TEST_CASE_METHOD(gateway_fixture, "an owner asks the audit log for a person, a kind of change, and days") {
  const std::string session_id = std::string(64, 'a'), jar = "__Host-session=" + session_id;
  scene.sessions = [&](const find_session& what) { return session_found_by(what, session_id, noon + 11h); };
  scene.entries = [](const find_directory&) {
    directory_lookup rows;
    rows.users.push_back({user_id{"user_1"}, "ada@example.com", true});
    return rows;
  };
  struct entry {
    const char *who, *action;
  };
  const entry kinds[] = {
      {"user_1", "mint key"},           {"user_1", "refund"},           {"operator:ann", "redeliver"},
      {"user_2", "invite owner"},       {"user_1", "connect platform"}, {"user_1", "cancel subscription"},
      {"user_1", "change destination"}, {"operator:ann", "set route"},  {"user_1", "change branding"}};
  std::uint32_t stored = std::size(kinds);
  std::vector<find_audit_entries> asked;
  scene.of<find_audit_entries>() = [&](const find_audit_entries& what) {
    asked.push_back(what);
    audit_entries_lookup found;
    // The newest first: entry i is i seconds old.
    const auto first = what.after ? static_cast<std::uint32_t>((noon - what.after->at) / 1s) + 1 : 0;
    for (auto i = first; i < stored && found.entries.size() < what.limit; ++i) {
      const auto& of = kinds[i % std::size(kinds)];
      save_audit row;
      row.user = user_id{of.who};
      row.at = noon - i * 1s;
      row.id = "audit_" + std::to_string(i);
      row.action = of.action;
      found.entries.push_back({std::move(row), {}});
    }
    return found;
  };
  const auto get = [&](std::string_view query) {
    asked.clear();
    auto in = unsigned_request("GET", "/portal/merch_1/test/audit");
    in.cookie = jar;
    in.query = query;
    in.has_query = !query.empty();
    return run(in);
  };
  const auto rows_of = [](const response& page) {
    std::size_t rows = 0;
    for (auto at = page.body.find("<th scope=\"row\""); at != page.body.npos;
         at = page.body.find("<th scope=\"row\"", at + 1))
      ++rows;
    return rows;
  };

  CHECK(rows_of(get("")) == std::size(kinds));
  CHECK(rows_of(get("person=user_1")) == 6);
  CHECK(rows_of(get("person=operator")) == 2);
  CHECK(rows_of(get("person=user_1&kind=keys")) == 1);
  CHECK(has_text(get("kind=keys"), "Create key"));
  CHECK(has_text(get("kind=destinations&person=operator"), "Resend"));
  for (const auto* kind : {"payments", "keys", "team", "platforms", "subscriptions", "connections", "other"}) {
    CAPTURE(kind);
    CHECK(rows_of(get(std::string{"kind="} + kind)) == 1);
  }
  const auto gone = get("person=user_2");
  CHECK(rows_of(gone) == 1);
  CHECK(has_text(gone, "<option value=\"user_2\" selected>user_2</option>"));
  const auto none = get("person=user_3");
  CHECK(has_text(none, "Nothing matches"));
  CHECK(has_text(none, ">Show all<"));

  const auto unknown = get("kind=kings");
  CHECK(unknown.status == 200);
  CHECK(rows_of(unknown) == std::size(kinds));
  CHECK(has_text(unknown, "There is no kind of change “kings”. All are shown."));
  const auto faulty = get("from=2026-13-40");
  CHECK(faulty.status == 422);
  CHECK(has_text(faulty, "Write a day as 2026-11-24."));
  CHECK(asked.empty());
  get("from=2026-11-19&until=2026-11-20");
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].from == parse_seconds("2026-11-19T00:00:00Z"));
  CHECK(asked[0].until == parse_seconds("2026-11-21T00:00:00Z"));

  // A page reads a bounded part of a long log, says so, and goes on from there.
  stored = 9'000;
  const auto part = get("person=nobody");
  CHECK(rows_of(part) == 0);
  CHECK(asked.size() == 8);
  CHECK(has_text(part, "Searched the newest 2000 changes of this list"));
  const auto at = part.body.find("cursor=");
  REQUIRE(at != part.body.npos);
  get("person=nobody&" + part.body.substr(at, part.body.find('"', at) - at));
  REQUIRE(asked.size() == 8);
  REQUIRE(asked[0].after);
  CHECK(asked[0].after->id == "audit_1999");
  // A page that is full stops where the next one goes on.
  const auto full = get("kind=keys");
  CHECK(rows_of(full) == 50);
  CHECK(asked.size() == 2);
  CHECK(has_text(full, ">Older<"));
}
