// Invitations from an attacker's view: who is shown a link, whom it lets choose a password, and who accepts.
#include "gateway/domain/person.hpp"
#include "http/html/forms.hpp"
#include "http/portal/invitation_link.hpp"
#include "http/portal/sessions.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view urlencoded_type = "application/x-www-form-urlencoded";
const std::string team_page_path = "/portal/merch_1/live/team";
const std::string link_page = "/portal/invitation";

bool shows_text(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }
std::string way_of(const response& out) { return header(out, "Location"); }

/// user_1 is signed in as an owner of merch_1; the store has one invited person.
struct invitations_fixture : gateway_fixture {
  const std::string cookie = std::string(64, 'a');
  const std::string session = "__Host-session=" + cookie;
  invitation link = an_invitation();
  invitations_lookup person = standing_of(link);
  directory_lookup entries;
  std::vector<operator_command> reported;

  invitations_fixture() {
    scene.sessions = [this](const find_session& what) { return session_found_by(what, cookie, noon + 11h); };
    scene.invitations = [this](const find_invitations&) { return person; };
    scene.operators = [this](const operator_command& what) -> caf::result<operator_result> {
      reported.push_back(what);
      if (std::holds_alternative<invite_user>(what))
        return operator_result{invited_user{link.user, link.id, link.expires}};
      return operator_result{added_user{link.user}};
    };
  }

  response call_link(std::string_view method, const std::string& jar, const std::string& fields = {}) {
    const auto url = invitation_url(link, "https://pay.example/portal", shared.invitation_key);
    const auto query = url.substr(url.find('?') + 1);
    auto in = method == "GET" ? unsigned_request("GET", link_page)
                              : unsigned_request("POST", link_page, fields, urlencoded_type);
    in.query = query;
    in.has_query = true;
    in.cookie = jar;
    in.remote_address = "192.0.2.1";
    return run(in);
  }
  response open(bool signed_in = false) { return call_link("GET", signed_in ? session : std::string{}); }
  response choose_password() {
    const std::string browser(32, 'b');
    const auto token = csrf_token(shared.form_key, browser, "invitation\n" + link.id);
    return call_link("POST", "__Host-form=" + browser,
                     "csrf=" + token + "&password=correct+horse+battery&action=set-password");
  }
  response accept(bool genuine = true) {
    const auto token = csrf_token(shared.form_key, cookie, (genuine ? "invitation\n" : "another\n") + link.id);
    return call_link("POST", session, "csrf=" + token + "&action=accept");
  }
  response invite(const std::string& fields = "email=new@example.com&role=viewer") {
    const auto body =
        "csrf=" + csrf_token(shared.form_key, cookie, "page\n" + team_page_path) + "&action=invite&" + fields;
    auto in = unsigned_request("POST", team_page_path, body, urlencoded_type);
    in.cookie = session;
    in.remote_address = "192.0.2.1";
    return run(in);
  }
  /// No password was set, and no role was given.
  void check_nothing_told() {
    for (const auto& each : reported) CHECK_FALSE(std::holds_alternative<accept_invitation>(each));
  }
  void check_dead(const response& page) { CHECK(page.status == 410); }
};

}  // namespace

TEST_CASE_METHOD(invitations_fixture, "an owner is shown the link for a new address only") {
  CHECK(shows_text(invite(), "/portal/invitation?token="));
  REQUIRE(reported.size() == 1);
  CHECK(std::get<invite_user>(reported[0]).by == invited_by::owner);
  const auto is_hidden = [&] {
    const auto page = invite();
    CHECK(page.status == 200);
    CHECK_FALSE(shows_text(page, "invitation?token="));
    CHECK(shows_text(page, "operator must invite"));
  };
  SECTION("of a member of another merchant, with a password or without") {
    person.is_member = true;
    person.has_password = GENERATE(true, false);
    is_hidden();
  }
  SECTION("of a person about whom the store does not answer after the invitation is made") {
    scene.invitations = [](const find_invitations&) -> caf::expected<invitations_lookup> {
      return make_error(actor_errc::store_unavailable);
    };
    const auto page = invite();
    CHECK(page.status == 200);
    CHECK(shows_text(page, "Invite this person again"));
    CHECK_FALSE(shows_text(page, "invitation?token="));
  }
  SECTION("of a person whom another merchant has invited") {
    auto other = person.invitations.front();
    other.what.merchant = merchant_id{"merch_2"};
    other.what.by = GENERATE(invited_by::owner, invited_by::operators);
    person.invitations.push_back(other);
    is_hidden();
    person.invitations.back().what.expires = noon;
    CHECK(shows_text(invite(), "/portal/invitation?token="));
  }
  SECTION("of a person whose password another merchant's owner may know") {
    person.has_password = true;
    person.shown_to = merchant_id{"merch_2"};
    is_hidden();
  }
}

TEST_CASE_METHOD(invitations_fixture, "an owner's link lets a new person choose a password, once") {
  CHECK(open().status == 200);
  CHECK(shows_text(open(), "value=\"set-password\""));
  CHECK(way_of(choose_password()) == "https://pay.example/portal/sign-in");
  REQUIRE(reported.size() == 1);
  const auto& set = std::get<accept_invitation>(reported[0]);
  CHECK(set.id == link.id);
  CHECK(set.password == "correct horse battery");
  person.invitations.clear();
  check_dead(open());
  check_dead(choose_password());
  CHECK(reported.size() == 1);
}

TEST_CASE_METHOD(invitations_fixture,
                 "a link is dead without its row: replaced, withdrawn, of a removed person, or expired") {
  person.has_password = GENERATE(true, false);
  SECTION("no row, as for links from before the rows existed") { person.invitations.clear(); }
  SECTION("a newer one replaced it") { person.invitations.front().what.id = std::string(32, '2'); }
  SECTION("the row is another merchant's") { person.invitations.front().what.merchant = merchant_id{"merch_2"}; }
  SECTION("it has expired") { person.invitations.front().what.expires = noon; }
  for (const bool signed_in : {true, false}) check_dead(open(signed_in));
  check_dead(choose_password());
  check_dead(accept());
  check_nothing_told();
}

TEST_CASE_METHOD(invitations_fixture,
                 "a link sets no password of a person known to another merchant: it requires a sign-in") {
  SECTION("the person has chosen a password since") { person.has_password = true; }
  SECTION("the person belongs to another merchant and has no password yet") { person.is_member = true; }
  CHECK(way_of(open()).starts_with("https://pay.example/portal/sign-in?next="));
  const auto out = choose_password();
  CHECK(way_of(out).starts_with("https://pay.example/portal/invitation?token="));
  check_nothing_told();
}

TEST_CASE_METHOD(invitations_fixture, "only a person with a password who signs in accepts") {
  person.has_password = true;
  const auto page = open(true);
  CHECK(page.status == 200);
  CHECK(shows_text(page, "value=\"accept\""));
  SECTION("by the button") {
    CHECK(way_of(accept()) == "https://pay.example/portal/merch_1/live/");
    REQUIRE(reported.size() == 1);
    const auto& accepted = std::get<accept_invitation>(reported[0]);
    CHECK(accepted.password.empty());
    CHECK(accepted.id == link.id);
    REQUIRE(scene.notes.size() == 1);
    CHECK(scene.notes[0].action == "accept");
  }
  SECTION("not by another site's form") {
    CHECK(accept(false).status == 403);
    check_nothing_told();
  }
  SECTION("not by another signed-in person") {
    link.user = user_id{"user_2"};
    person = standing_of(link);
    person.has_password = true;
    CHECK(open(true).status == 403);
    CHECK_FALSE(shows_text(open(true), "value=\"accept\""));
    CHECK(accept().status == 403);
    check_nothing_told();
  }
  SECTION("not by a password that another merchant's owner may know") {
    person.shown_to = merchant_id{"merch_2"};
    CHECK(open(true).status == 403);
    CHECK(shows_text(open(true), "operator must invite"));
    CHECK(accept().status == 403);
    check_nothing_told();
  }
}

TEST_CASE_METHOD(invitations_fixture, "the operator's link sets a new password, and has no button to accept") {
  person = standing_of(link, invited_by::operators);
  person.has_password = person.is_member = true;
  CHECK(shows_text(open(), "value=\"set-password\""));
  CHECK(way_of(choose_password()) == "https://pay.example/portal/sign-in");
  CHECK(reported.size() == 1);
  CHECK(accept().status == 403);
  CHECK(reported.size() == 1);
}

TEST_CASE_METHOD(invitations_fixture, "the account lists invitations, with a button for those that can be accepted") {
  person.has_password = true;
  const auto account = [&](std::string_view method, const std::string& fields = {}) {
    const auto body = "csrf=" + csrf_token(shared.form_key, cookie, "page\n/portal/account") + '&' + fields;
    auto in = method == "GET" ? unsigned_request("GET", "/portal/account")
                              : unsigned_request("POST", "/portal/account", body, urlencoded_type);
    in.cookie = session;
    in.remote_address = "192.0.2.1";
    return run(in);
  };
  CHECK(shows_text(account("GET"), "value=\"accept\""));
  CHECK(way_of(account("POST", "action=accept&merchant_id=merch_1")).ends_with("/portal/account?done=accept"));
  CHECK(reported.size() == 1);
  CHECK(account("POST", "action=accept&merchant_id=merch_2").status == 422);
  person.shown_to = merchant_id{"merch_2"};
  CHECK_FALSE(shows_text(account("GET"), "value=\"accept\""));
  CHECK(account("POST", "action=accept&merchant_id=merch_1").status == 422);
  CHECK(reported.size() == 1);
}

TEST_CASE_METHOD(invitations_fixture, "a second factor is offered to a person who knows the password") {
  scene.users = [](const find_user&) -> caf::expected<user_lookup> {
    return user_lookup{stored_person{{user_id{"user_1"}, "ada@example.com", "the hash", noon}}};
  };
  scene.verifies = [](const verify_password& what) -> caf::result<bool> { return what.password == "mine"; };
  const auto turn_on = [&](const std::string& fields) {
    const auto body =
        "csrf=" + csrf_token(shared.form_key, cookie, "page\n/portal/account") + "&action=second-factor-on" + fields;
    auto in = unsigned_request("POST", "/portal/account", body, urlencoded_type);
    in.cookie = session;
    in.remote_address = "192.0.2.1";
    return run(in);
  };
  for (const std::string fields : {"", "&password=", "&password=guess"}) {
    const auto refused = turn_on(fields);
    CHECK(refused.status == 422);
    CHECK_FALSE(shows_text(refused, "confirm-second-factor"));
    CHECK(shows_text(refused, "The password is not right."));
  }
  CHECK(shows_text(turn_on("&password=mine"), "confirm-second-factor"));
}

TEST_CASE_METHOD(invitations_fixture, "an invited person is on the team's list, and is removed like a member") {
  save_merchant row;
  row.id = merchant_id{"merch_1"};
  entries.merchants = {row};
  entries.users = {{link.user, "new@example.com", false}};
  entries.invitations = {person.invitations.front().what};
  scene.entries = [this](const find_directory&) { return entries; };
  auto in = unsigned_request("GET", team_page_path);
  in.cookie = session;
  const auto page = run(in);
  CHECK(shows_text(page, "new@example.com"));
  CHECK(shows_text(page, "Invited"));
  CHECK(shows_text(page, "value=\"remove\""));
  CHECK_FALSE(shows_text(page, "value=\"role\""));
  const auto body = "csrf=" + csrf_token(shared.form_key, cookie, "page\n" + team_page_path) +
                    "&action=remove&user_id=" + link.user.value;
  auto removing = unsigned_request("POST", team_page_path, body, urlencoded_type);
  removing.cookie = session;
  const auto asking = run(removing);
  CHECK(asking.status == 200);
  CHECK(reported.empty());
  const std::string_view before = "name=\"confirm\" value=\"";
  const auto at = asking.body.find(before);
  REQUIRE(at != std::string::npos);
  const auto confirmed = body + "&confirm=" + asking.body.substr(at + before.size(), 64);
  removing.body = confirmed;
  CHECK(way_of(run(removing)).ends_with("/team?done=remove"));
  REQUIRE(reported.size() == 1);
  CHECK(std::get<withdraw_invitation>(reported[0]).user == link.user);
}
