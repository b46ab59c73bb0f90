// Mail at the portal's and the operator's routes: which mails a change queues, and what operators see of them.
#include <algorithm>

#include "gateway/domain/url.hpp"
#include "gateway/ports/mail.hpp"
#include "http/html/forms.hpp"
#include "http/portal/invitation_link.hpp"
#include "http/portal/sessions.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view mail_form_type = "application/x-www-form-urlencoded";

/// ada is signed in as an owner of merch_1; mail is configured.
struct mail_fixture : gateway_fixture {
  const mail_sealer sealer{std::string(32, 'm')};
  const std::string cookie = std::string(64, 'a');
  stored_person ada;
  std::vector<unit_of_work> units;
  std::vector<queued_mail> stored;
  std::vector<find_mail> asked;

  mail_fixture() {
    shared.mails = &sealer;
    ada.id = user_id{"user_1"};
    ada.email = "ada@example.com";
    ada.password_hash = "hash";
    scene.sessions = [this](const find_session& what) { return session_found_by(what, cookie, noon + 11h); };
    scene.users = [this](const find_user&) { return user_lookup{ada}; };
    scene.verifies = [](const verify_password&) { return true; };
    scene.commits = [this](const unit_of_work& unit) {
      units.push_back(unit);
      return commit_outcome::committed;
    };
    scene.of<find_mail>() = [this](const find_mail& what) {
      asked.push_back(what);
      return mail_lookup{stored};
    };
  }

  response account(const std::string& fields) {
    const auto body = "csrf=" + csrf_token(shared.form_key, cookie, "page\n/portal/account") + "&" + fields;
    auto in = unsigned_request("POST", "/portal/account", body, mail_form_type);
    const auto jar = "__Host-session=" + cookie;
    in.cookie = jar;
    in.remote_address = "192.0.2.1";
    return run(in);
  }
  response socket(std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  }
  /// The mails in the units, each with what it says.
  std::vector<mail_content> queued() const {
    std::vector<mail_content> contents;
    for (const auto& unit : units)
      for (const auto& row : unit.inserts)
        if (const auto* mail = std::get_if<save_mail>(&row)) contents.push_back(sealer.open(mail->what).value());
    return contents;
  }
  queued_mail& store_mail(mail_kind kind, mail_status status) {
    auto mail = sealer.seal({kind, "bob@example.com", {{"token", "secret"}}}, noon, noon + 1h, "mail_1").what;
    mail.status = status;
    return stored.emplace_back(std::move(mail));
  }
};

}  // namespace

TEST_CASE_METHOD(mail_fixture, "a change of an account queues its notice in the same commit") {
  struct {
    std::string fields;
    bool has_factor;
    mail_kind kind;
  } const rows[] = {
      {"action=set-password&password=old&new_password=correct+horse+battery", false, mail_kind::new_password},
      {"action=second-factor-off&password=old", true, mail_kind::second_factor_off}};
  for (const auto& row : rows) {
    CAPTURE(row.fields);
    units.clear();
    ada.sealed_totp = row.has_factor ? "sealed" : "";
    CHECK(account(row.fields).status == 303);
    REQUIRE(units.size() == 1);
    REQUIRE(queued().size() == 1);
    CHECK(queued()[0].kind == row.kind);
    CHECK(queued()[0].value("address") == "192.0.2.1");
  }
  shared.mails = nullptr;
  units.clear();
  CHECK(account(rows[1].fields).status == 303);
  CHECK(queued().empty());
}

TEST_CASE_METHOD(mail_fixture, "a second factor that an operator turns off is reported, if there was one") {
  ada.sealed_totp = GENERATE(std::string{"sealed"}, std::string{});
  CHECK(socket("/operator/users/reset-second-factor", R"({"email":"ada@example.com"})").status == 200);
  REQUIRE(units.size() == 1);
  CHECK(queued().size() == (ada.sealed_totp.empty() ? 0 : 1));
}

TEST_CASE_METHOD(mail_fixture, "where mail is configured an owner is shown no link, whatever the address is") {
  scene.operators = [](const operator_command&) -> caf::result<operator_result> {
    return operator_result{invited_user{user_id{"user_2"}, std::string(32, '1'), noon + invitation_lifetime}};
  };
  const std::string team = "/portal/merch_1/live/team";
  const auto token = csrf_token(shared.form_key, cookie, "page\n" + team);
  const auto body = "csrf=" + token + "&action=invite&email=new%40example.com&role=viewer";
  auto in = unsigned_request("POST", team, body, mail_form_type);
  const auto jar = "__Host-session=" + cookie;
  in.cookie = jar;
  in.remote_address = "192.0.2.1";
  const auto page = run(in);
  CHECK(page.status == 200);
  CHECK(page.body.find("token=") == std::string::npos);
  CHECK(page.body.find("A mail with the link goes to new@example.com") != std::string::npos);
}

TEST_CASE("a mailed link sets a first password whichever merchants the person belongs to") {
  invitations_lookup person;
  stored_invitation row;
  row.by = invited_by::owner;
  for (const bool mailed : {false, true})
    for (const bool has_password : {false, true})
      for (const bool is_member : {false, true}) {
        CAPTURE(mailed, has_password, is_member);
        row.mailed = mailed;
        person.has_password = has_password;
        person.is_member = is_member;
        CHECK(may_choose_password(person, row) == (!has_password && (mailed || !is_member)));
      }
}

TEST_CASE_METHOD(mail_fixture, "operators list mails without what they say, page after page") {
  store_mail(mail_kind::invitation, mail_status::pending).last_error = "451";
  const auto out = socket("/operator/mail/list", R"({"limit":1})");
  CHECK(out.status == 200);
  CHECK(out.body.find("secret") == std::string::npos);
  CHECK(out.body.find(stored[0].sealed) == std::string::npos);
  CHECK(out.body.find(
            R"("mail_id":"mail_1","kind":"invitation","to":"bob@example.com","status":"pending","attempts":0)") !=
        std::string::npos);
  CHECK(out.body.find(R"("last_error":"451")") != std::string::npos);
  CHECK(out.body.find(R"("next":null)") != std::string::npos);
  CHECK(asked.at(0).limit == 2);
  stored.push_back(stored[0]);
  const auto next = std::to_string(to_unix_ms(noon)) + "/mail_1";
  CHECK(socket("/operator/mail/list", R"({"limit":1})").body.find("\"next\":\"" + next + '"') != std::string::npos);
  CHECK(socket("/operator/mail/list", R"({"status":"failed","after":")" + next + "\"}").status == 200);
  CHECK(asked.back().status == mail_status::failed);
  CHECK(asked.back().before == noon);
  CHECK(asked.back().before_id == "mail_1");
  for (const auto* body :
       {R"({"limit":0})", R"({"limit":101})", R"({"status":"lost"})", R"({"after":"x"})", R"({"after":"1"})"})
    CHECK(socket("/operator/mail/list", body).status == 400);
}

TEST_CASE_METHOD(mail_fixture, "a mail is sent again unless it was sent, or its link has expired") {
  const auto retry = [&] { return socket("/operator/mail/retry", R"({"mail_id":"mail_1"})").status; };
  CHECK(retry() == 404);
  auto& mail = store_mail(mail_kind::forgotten_password, mail_status::failed);
  CHECK(retry() == 200);
  REQUIRE(units.size() == 1);
  const auto& claim = std::get<retry_mail>(units[0].claims.at(0));
  CHECK(claim.at == noon);
  CHECK(claim.expires == noon + 1h);
  SECTION("it was sent") { mail.status = mail_status::sent; }
  SECTION("its link has expired") { mail.expires_at = noon; }
  SECTION("what it says is deleted") { mail.sealed.clear(); }
  SECTION("no mail is configured") { shared.mails = nullptr; }
  SECTION("it was sent meanwhile") {
    scene.commits = [](const unit_of_work&) { return commit_outcome::lost_claim; };
  }
  CHECK(retry() == 409);
}

TEST_CASE_METHOD(mail_fixture, "a notice that is sent again is tried for a day, although its time was over") {
  auto& mail = store_mail(mail_kind::new_password, mail_status::failed);
  mail.expires_at = noon - 1h;
  CHECK(socket("/operator/mail/retry", R"({"mail_id":"mail_1"})").status == 200);
  CHECK(std::get<retry_mail>(units.at(0).claims.at(0)).expires == noon + 24h);
}
