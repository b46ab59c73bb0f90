// The page for a forgotten password: what it tells strangers, what it stores, and what a link permits.
#include <algorithm>

#include "gateway/domain/url.hpp"
#include "gateway/ports/mail.hpp"
#include "http/html/forms.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

/// ada@example.com has an account, and mail is configured.
struct forgotten_fixture : gateway_fixture {
  const mail_sealer sealer{std::string(32, 'm')};
  const std::string token = std::string(64, '7');
  const std::string hash = crypto::hex(crypto::sha256(token));
  const std::string browser = std::string(form_cookie_digits, 'e');
  std::vector<unit_of_work> units;
  commit_outcome outcome = commit_outcome::committed;
  std::optional<found_password_link> link = found_password_link{user_id{"user_ada"}, "ada@example.com", noon + 1h};

  forgotten_fixture() {
    shared.mails = &sealer;
    scene.users = [](const find_user& what) {
      user_lookup found;
      if (what.email_key == "ada@example.com") {
        stored_person ada;
        ada.id = user_id{"user_ada"};
        ada.email = "Ada@example.com";
        ada.password_hash = "old";
        found.found = ada;
      }
      return found;
    };
    scene.of<find_password_link>() = [this](const find_password_link& what) {
      return what.hash == hash ? password_link_lookup{link} : password_link_lookup{};
    };
    scene.commits = [this](const unit_of_work& unit) {
      units.push_back(unit);
      return outcome;
    };
  }

  response call(std::string_view method, const std::string& body = {}, const std::string& query = {}) {
    auto in = method == "GET"
                  ? unsigned_request("GET", "/portal/forgotten")
                  : unsigned_request("POST", "/portal/forgotten", body, "application/x-www-form-urlencoded");
    in.query = query;
    in.has_query = !query.empty();
    const auto jar = std::string{form_cookie_name} + "=" + browser;
    in.cookie = jar;
    in.remote_address = "192.0.2.1";
    return run(in);
  }
  response ask_for(const std::string& email) {
    return call("POST", "csrf=" + csrf_token(shared.form_key, browser, "forgotten") +
                            "&action=send&email=" + percent_encoded(email));
  }
  response use(const std::string& password, const std::string& with) {
    const auto form = "forgotten\n" + crypto::hex(crypto::sha256(with));
    return call("POST",
                "csrf=" + csrf_token(shared.form_key, browser, form) +
                    "&action=set-password&password=" + percent_encoded(password),
                "token=" + with);
  }
  template <class Row>
  std::vector<Row> inserted() const {
    std::vector<Row> rows;
    for (const auto& unit : units)
      for (const auto& row : unit.inserts)
        if (const auto* one = std::get_if<Row>(&row)) rows.push_back(*one);
    return rows;
  }
};

constexpr std::string_view new_words = "correct horse battery";

}  // namespace

TEST_CASE_METHOD(forgotten_fixture, "a known and an unknown address get the same answer, after the same work") {
  const auto known = ask_for("ADA@example.com"), unknown = ask_for("eve@example.com");
  CHECK(known.status == 200);
  CHECK(known.status == unknown.status);
  CHECK(known.body == unknown.body);
  REQUIRE(units.size() == 2);
  const auto links = inserted<save_password_link>();
  REQUIRE(links.size() == 2);
  CHECK(links[0].user == user_id{"user_ada"});
  CHECK(links[0].expires == noon + 1h);
  CHECK(links[1].user != links[0].user);
  const auto mails = inserted<save_mail>();
  REQUIRE(mails.size() == 1);
  CHECK(mails[0].what.to == "Ada@example.com");
  CHECK(mails[0].what.kind == mail_kind::forgotten_password);
  CHECK(mails[0].what.expires_at == noon + 1h);
}

TEST_CASE_METHOD(forgotten_fixture, "the link's token is in the sealed mail, and only its hash is stored") {
  ask_for("ada@example.com");
  const auto mail = inserted<save_mail>().at(0).what;
  const auto said = sealer.open(mail);
  REQUIRE(said);
  const auto sent = std::string{said->value("token")};
  CHECK(sent.size() == 64);
  CHECK(inserted<save_password_link>().at(0).hash == crypto::hex(crypto::sha256(sent)));
  CHECK(mail.sealed.find(sent) == std::string::npos);
}

TEST_CASE_METHOD(forgotten_fixture, "requests are slowed down for known and unknown addresses alike") {
  const auto email = GENERATE(std::string{"ada@example.com"}, std::string{"eve@example.com"});
  for (int i = 0; i < 10; ++i) REQUIRE(ask_for(email).status == 200);
  const auto slowed = ask_for(email);
  CHECK(slowed.status == 429);
  CHECK_FALSE(header(slowed, "Retry-After").empty());
  CHECK(units.size() == 10);
}

TEST_CASE_METHOD(forgotten_fixture, "a form that is refused stores nothing") {
  struct {
    std::string body;
    int status;
  } const rows[] = {{"email=ada%40example.com&action=send", 403},
                    {"csrf=" + csrf_token(shared.form_key, browser, "another") + "&email=ada%40example.com", 403},
                    {"csrf=" + csrf_token(shared.form_key, browser, "forgotten") + "&email=ada", 422},
                    {"csrf=" + csrf_token(shared.form_key, browser, "forgotten"), 422}};
  for (const auto& row : rows) {
    CAPTURE(row.body);
    CHECK(call("POST", row.body).status == row.status);
  }
  CHECK(units.empty());
}

TEST_CASE_METHOD(forgotten_fixture, "a link sets a password: it is spent, and a password that an owner may know ends") {
  const auto page = call("GET", {}, "token=" + token);
  CHECK(page.status == 200);
  CHECK(page.body.find("name=\"password\"") != std::string::npos);
  CHECK(page.body.find("ada@example.com") != std::string::npos);
  const auto done = use(std::string{new_words}, token);
  CHECK(done.status == 303);
  CHECK(header(done, "Location") == "https://pay.example/portal/sign-in");
  REQUIRE(units.size() == 1);
  const auto& claims = units[0].claims;
  REQUIRE(claims.size() == 3);
  CHECK(std::get<spend_password_link>(claims[0]).hash == hash);
  CHECK(std::get<end_shown_password>(claims[1]).user == user_id{"user_ada"});
  CHECK(std::get<set_user_password>(claims[2]).kept_session.empty());
  const auto notices = inserted<save_mail>();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].what.kind == mail_kind::new_password);
  CHECK(inserted<save_audit>().at(0).action == "set-password");
}

TEST_CASE_METHOD(forgotten_fixture, "a link that is forged, used, replaced or expired sets no password") {
  const std::string forged(64, '8');
  CHECK(call("GET", {}, "token=" + forged).status == 410);
  CHECK(use(std::string{new_words}, forged).status == 410);
  CHECK(call("GET", {}, "token=x").status == 410);
  CHECK(call("GET", {}, "token=" + token + "&token=" + token).status == 410);
  CHECK(use("short", token).status == 422);
  CHECK(units.empty());
  link->expires = noon;
  CHECK(call("GET", {}, "token=" + token).status == 410);
  CHECK(use(std::string{new_words}, token).status == 410);
  CHECK(units.empty());
  link->expires = noon + 1min;
  outcome = commit_outcome::lost_claim;
  CHECK(use(std::string{new_words}, token).status == 410);
}

TEST_CASE_METHOD(forgotten_fixture, "the sign-in page leads to it where mail is configured") {
  CHECK(run(unsigned_request("GET", "/portal/sign-in")).body.find("/portal/forgotten") != std::string::npos);
  shared.mails = nullptr;
  CHECK(run(unsigned_request("GET", "/portal/sign-in")).body.find("/portal/forgotten") == std::string::npos);
  CHECK(call("GET").status == 404);
  CHECK(ask_for("ada@example.com").status == 404);
  CHECK(units.empty());
}
