// An owner's actions in the portal: a refusal shows the page again with the message in its place, nothing is shown as
// done that was not, and each action is recorded for the person.
#include <set>

#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/url.hpp"
#include "http/html/forms.hpp"
#include "http/html/page_errors.hpp"
#include "http/portal/invitation_link.hpp"
#include "http/portal/second_factor.hpp"
#include "http/portal/sessions.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view urlencoded_type = "application/x-www-form-urlencoded";
const std::string pages = "/portal/merch_1/test/";
const std::string payment_page_path = pages + "payments/pay_1";
const std::string sent_key = "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e";

struct acts_fixture : gateway_fixture {
  const std::string cookie = std::string(64, 'a');
  const std::string jar = "__Host-session=" + cookie;
  payment subject = *waiting_payment(payment_state::authorized);
  entity_reply moved{problem::payment_not_found};  ///< the payment actor's answer to a command
  std::optional<caf::error> lost;  ///< instead of that answer
  bool readable = true;            ///< whether the payment can be read after a command
  std::vector<unit_of_work> units;

  acts_fixture() {
    scene.sessions = [this](const find_session& what) { return session_found_by(what, cookie, noon + 11h); };
    scene.router = [this](const entity_request& asked) -> caf::result<entity_reply> {
      if (asked.write && !readable) cannot_read = true;
      if (command_if<view_entity>(asked.what) && cannot_read) return make_error(actor_errc::store_unavailable);
      if (command_if<view_entity>(asked.what))
        return entity_reply{entity_row{std::make_shared<const payment>(subject)}};
      if (command_if<view_timeline>(asked.what))
        return entity_reply{std::make_shared<const timeline_view>(timeline_view{subject.key, {}, {}, {}})};
      if (lost) return *lost;
      return moved;
    };
    scene.commits = [this](const unit_of_work& unit) -> caf::result<commit_outcome> {
      units.push_back(unit);
      return commit_outcome::committed;
    };
  }

  response get(const std::string& path, bool with_session = true) {
    auto in = unsigned_request("GET", path);
    if (with_session) in.cookie = jar;
    return run(in);
  }
  response press(const std::string& path, const std::string& fields) {
    const auto body = "csrf=" + csrf_token(shared.form_key, cookie, "page\n" + path) + '&' + fields;
    auto in = unsigned_request("POST", path, body, urlencoded_type);
    in.cookie = jar;
    in.remote_address = "192.0.2.1";
    return run(in);
  }
  response move(const std::string& fields) { return press(payment_page_path, "key=" + sent_key + '&' + fields); }
  /// The actor's answer after the operation had this outcome.
  void comes_to(const outcome& result) {
    const auto encoder = make_payment_encoder("https://pay.example");
    moved = entity_reply{finished{std::make_shared<const answer>(encoder->encode(result))}};
  }
  void was_captured() {
    subject.state = payment_state::captured;
    subject.captured = 4200;
  }
  bool cannot_read = false;
  std::string location(const response& out) { return header(out, "Location"); }
};

bool page_contains(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }

constexpr std::string_view safe_to_press_again = "Pressing the button again is safe: it repeats the same request";

std::string key_in(const response& page) {
  const std::string_view before = "name=\"key\" value=\"";
  const auto at = page.body.find(before);
  return at == std::string::npos ? std::string{} : page.body.substr(at + before.size(), sent_key.size());
}

/// Checks that the field is marked, is described by its fault, and keeps the input.
void check_beside(const response& page, const std::string& id, std::string_view words, std::string_view typed) {
  CAPTURE(id);
  const auto at = page.body.find("<input id=\"" + id + '"');
  REQUIRE(at != std::string::npos);
  const auto tag = page.body.substr(at, page.body.find('>', at) - at);
  CHECK(tag.find("aria-invalid=\"true\"") != std::string::npos);
  CHECK(tag.find(id + "-fault\"") != std::string::npos);
  CHECK(tag.find("value=\"" + std::string{typed} + '"') != std::string::npos);
  const auto fault = page.body.find("id=\"" + id + "-fault\" role=\"alert\">");
  REQUIRE(fault != std::string::npos);
  CHECK(page.body.substr(fault, 400).find(words) != std::string::npos);
}

}  // namespace

TEST_CASE_METHOD(acts_fixture,
                 "a capture or a void that the provider has declined is shown with its message, and not as done") {
  const std::string verb = GENERATE("capture", "void");
  outcome declined{verb == "capture" ? operation::capture : operation::void_payment, {}, subject, {}, {}};
  declined.status = provider_status::declined;
  declined.error = provider_error{error_category::provider, "declined_here", "The bank wants it no more.", false};
  comes_to(declined);
  const auto page = move("action=" + verb);
  CHECK(page.status == 422);
  CHECK(page_contains(page, "The bank wants it no more."));
  CHECK_FALSE(page_contains(page, "The payment was captured."));
  declined.error.reset();
  declined.status = provider_status::approved;
  comes_to(declined);
  CHECK(location(move("action=" + verb)) == "https://pay.example" + payment_page_path + "?done=" + verb);
}

TEST_CASE_METHOD(acts_fixture,
                 "a refund above the remainder is rejected beside its amount, with the largest possible one") {
  was_captured();
  const bool stored = GENERATE(true, false);
  if (stored)
    comes_to({operation::refund, problem::refund_exceeds_captured, subject, {}, {}});
  else
    moved = entity_reply{problem::refund_exceeds_captured};
  const auto page = move("action=refund&amount=99.00&reason=late");
  CHECK(page.status == 422);
  check_beside(page, "refund-amount", "At most HKD 42.00 can be refunded.", "99.00");
  CHECK(page_contains(page, "value=\"late\""));
  CHECK(page_contains(page, "<details class=\"fold\" open><summary>Refund"));
  CHECK_FALSE(page_contains(page, "This could not be done."));
}

TEST_CASE_METHOD(acts_fixture, "a form keeps its key after each answer except a refusal that is stored under the key") {
  using enum problem;
  struct row {
    problem answer;
    bool stored;
    bool keeps;
    bool unknown;
  };
  const row rows[] = {
      {request_in_progress, false, true, true},      {overloaded, false, true, true},
      {store_unavailable, false, true, true},        {outcome_pending_timeout, false, true, true},
      {account_lookup_failed, false, true, true},    {provider_unavailable, false, true, false},
      {idempotency_key_reused, false, true, false},  {payment_not_found, false, true, false},
      {provider_outcome_unknown, true, true, true},  {not_refundable, true, false, false},
      {refund_exceeds_captured, true, false, false}, {payment_outcome_pending, true, false, false},
      {refund_not_supported, true, false, false},    {refund_rejected, true, false, false},
  };
  was_captured();
  for (const auto& each : rows) {
    CAPTURE(row_of(code_of(each.answer)).text);
    if (each.stored)
      comes_to({operation::refund, each.answer, subject, {}, {}});
    else
      moved = entity_reply{each.answer};
    const auto page = move("action=refund&amount=12.50&reason=torn");
    CHECK(page.status == 422);
    CHECK((key_in(page) == sent_key) == each.keeps);
    CHECK(key_in(page).size() == sent_key.size());
    CHECK(page_contains(page, safe_to_press_again) == each.unknown);
    CHECK(page_contains(page, "value=\"12.50\""));
    CHECK(page_contains(page, "value=\"torn\""));
    CHECK_FALSE(page_contains(page, "Idempotency-Key"));
  }
}

TEST_CASE_METHOD(acts_fixture, "a form whose answer did not come keeps its key, whatever the payment has become") {
  const std::string verb = GENERATE("capture", "refund", "void");
  // The row as it is read after the lost answer: unchanged, or with the outcome.
  const bool has_outcome = GENERATE(false, true);
  if (verb == "refund" || has_outcome) was_captured();
  if (verb == "refund" && has_outcome) {
    subject.state = payment_state::refunded;
    subject.refunded = subject.captured;
  }
  const caf::error errors[] = {make_error(actor_errc::store_unavailable), make_error(actor_errc::overloaded),
                               make_error(actor_errc::stopping), caf::make_error(caf::sec::request_timeout)};
  for (const auto& each : errors) {
    lost = each;
    const auto page = move("action=" + verb + "&amount=42.00&reason=torn");
    CHECK(page.status == 422);
    CHECK(page_contains(page, "name=\"key\" value=\"" + sent_key + '"'));
    CHECK(page_contains(page, "It is not known whether this was done."));
    CHECK(page_contains(page, safe_to_press_again));
    if (verb == "refund") CHECK(page_contains(page, "value=\"42.00\""));
    if (verb != "capture") CHECK(page_contains(page, "value=\"torn\""));
  }
}

TEST_CASE_METHOD(acts_fixture,
                 "if the payment cannot be read after a lost answer, reloading repeats the same request") {
  was_captured();
  lost = make_error(actor_errc::store_unavailable);
  readable = false;
  const auto page = move("action=refund&amount=42.00");
  CHECK(page.status == row_of(page_error::unknown_outcome).status);
  CHECK(page_contains(page, "It is not known whether this was done."));
  CHECK(page_contains(page, "repeats the same request"));
}

TEST_CASE_METHOD(acts_fixture, "a mistyped form keeps its key, because it may have been sent before") {
  was_captured();
  CHECK(key_in(move("action=refund&amount=much")) == sent_key);
  CHECK(key_in(move("action=refund&amount=1.00&reason=" + std::string(201, 'x'))) == sent_key);
}

TEST_CASE_METHOD(acts_fixture, "a form that is sent twice is one request, and its second answer is the first outcome") {
  was_captured();
  comes_to({operation::refund, {}, subject, provider_status::approved, {}});
  std::vector<idempotency> writes;
  for (int i = 0; i < 2; ++i) CHECK(location(move("action=refund&amount=12.50&reason=torn")).ends_with("?done=refund"));
  for (const auto& each : scene.seen)
    if (each.write) writes.push_back(*each.write);
  REQUIRE(writes.size() == 2);
  CHECK(writes[0].key == writes[1].key);
  CHECK(writes[0].key.key == sent_key);
  CHECK(writes[0].fingerprint == writes[1].fingerprint);
}

TEST_CASE_METHOD(acts_fixture, "a payment's page has another key only once the payment has changed") {
  was_captured();
  const auto first = key_in(get(payment_page_path));
  CHECK(first.size() == sent_key.size());
  CHECK(key_in(get(payment_page_path)) == first);
  subject.version += 1;
  CHECK(key_in(get(payment_page_path)) != first);
  subject.key.id = "pay_2";
  subject.version -= 1;
  CHECK(key_in(get(payment_page_path)) != first);
}

TEST_CASE_METHOD(acts_fixture, "an error that is a plain text is shown as a sentence") {
  comes_to({operation::void_payment, problem::void_not_supported, subject, {}, {}});
  const auto page = move("action=void");
  CHECK(page_contains(page, "Void not supported by configured provider."));
}

TEST_CASE_METHOD(acts_fixture,
                 "a reason that is too long is kept beside its field in the open fold, and no actor is asked") {
  const std::string typed(201, 'x');
  const std::string verb = GENERATE("refund", "void");
  if (verb == "refund") was_captured();
  const auto page = move("action=" + verb + "&amount=1.00&reason=" + typed);
  CHECK(page.status == 422);
  check_beside(page, verb + "-reason", "The reason is too long: at most 200 characters.", typed);
  CHECK(page_contains(page, "<details class=\"fold\" open>"));
  if (verb == "refund") CHECK(page_contains(page, "value=\"1.00\""));
  for (const auto& each : scene.seen) CHECK_FALSE(each.write);
}

TEST_CASE_METHOD(acts_fixture, "a revoke's reason that is too long is kept beside its field, and nothing is revoked") {
  const auto key = binding_key(merchant_id{"merch_1"}, environment::test, platform_id{"plat_1"});
  scene.grant_lists = [&](const find_grants&) {
    const auto of = [](std::string id) {
      return grant{grant_id{std::move(id)}, *parse_scopes("payments:read"), user_id{"user_1"}, noon, std::nullopt, {}};
    };
    return grants_lookup{{{key, of("grant_1")}, {key, of("grant_2")}}};
  };
  const std::string typed(201, 'x');
  const auto page = press(pages + "platforms", "action=revoke&grant_id=grant_2&reason=" + typed);
  CHECK(page.status == 422);
  check_beside(page, "revoke-grant_2-reason", "The reason is too long: at most 200 characters.", typed);
  CHECK_FALSE(page_contains(page, "revoke-grant_1-reason-fault"));
  const auto fold = page.body.find("<details class=\"fold\" open>");
  REQUIRE(fold != std::string::npos);
  CHECK(page.body.find("revoke-grant_1-reason") < fold);
  CHECK(scene.seen.empty());
  CHECK(page_contains(press(pages + "platforms", "action=revoke&grant_id=grant_3&reason=" + typed),
                      "The reason is too long"));
}

TEST_CASE_METHOD(acts_fixture, "a payment that could not be read is not shown as one that does not exist") {
  const auto why = GENERATE(problem::store_unavailable, problem::overloaded);
  scene.router = [&](const entity_request&) { return entity_reply{why}; };
  const auto search = [&](std::string_view list) {
    const auto path = pages + std::string{list};
    auto in = unsigned_request("GET", path);
    in.query = "q=pay_1";
    in.has_query = true;
    in.cookie = jar;
    return run(in).status;
  };
  CHECK(get(payment_page_path).status == 503);
  CHECK(move("action=capture").status == 503);
  CHECK(search("payments") == 503);
  CHECK(search("payments.csv") == 503);
  scene.router = [](const entity_request&) { return entity_reply{problem::payment_not_found}; };
  CHECK(get(payment_page_path).status == 404);
  CHECK(search("payments") == 200);
}

TEST_CASE_METHOD(acts_fixture, "a CSV file ends when its payments have left the list since its last chunk") {
  int asked = 0;
  scene.payments = [&](const find_payments&) {
    payments_lookup found;
    if (asked++ == 0) found = {{std::make_shared<const payment>(subject)}, true};
    return found;
  };
  const auto path = pages + "payments.csv";
  auto in = unsigned_request("GET", path);
  in.query = "state=authorized";
  in.has_query = true;
  in.cookie = jar;
  auto out = run(in);
  REQUIRE(out.next_chunk);
  const auto next = [&] { return run_to_end(out.next_chunk()); };
  CHECK(next()->find("\"pay_1\",") != std::string::npos);
  CHECK(next() == "");
  CHECK_FALSE(next());
  CHECK(asked == 2);
}

TEST_CASE_METHOD(acts_fixture, "no form mints a wildcard key") {
  bool minted = false;
  scene.operators = [&](const operator_command&) {
    minted = true;
    return operator_result{minted_key{key_id{"mk_test_1"}, "secret", {}}};
  };
  for (const auto* fields : {"scopes=*", "scopes=*&scopes=payments:read", "scopes=payments:read%20*"}) {
    CAPTURE(fields);
    const auto page = press(pages + "keys", std::string{"action=mint&"} + fields);
    CHECK(page.status == 422);
    CHECK(page_contains(page, "Choose what the key may do."));
    CHECK_FALSE(minted);
  }
  CHECK(press(pages + "keys", "action=mint&scopes=payments:read").status == 200);
  CHECK(minted);
}

TEST_CASE_METHOD(acts_fixture, "the reason why a URL is refused is shown in a sentence") {
  outbound.fault = "the URL must not hold a user name or password";
  const auto page = press(pages + "destinations", "action=add&url=https://a:b@shop.example/&events=payment.captured");
  CHECK(page.status == 422);
  CHECK(page_contains(page, "This URL cannot be used: the URL must not hold a user name or password."));
}

TEST_CASE_METHOD(acts_fixture, "a new password ends the session of every cookie, including the one that sent it") {
  scene.users = [](const find_user&) {
    stored_person person;
    person.id = user_id{"user_1"};
    person.email = "ada@example.com";
    person.password_hash = "hash of old";
    return user_lookup{person};
  };
  scene.verifies = [](const verify_password&) { return true; };
  const auto out = press("/portal/account", "action=set-password&password=old&new_password=correct+horse+battery");
  CHECK(location(out) == "https://pay.example/portal/account?done=set-password");
  std::string set;
  bool stays_known = false;
  for (const auto& [name, value] : out.headers) {
    if (name == "Set-Cookie" && value.starts_with("__Host-session=")) set = value;
    stays_known |= name == "Set-Cookie" && value.starts_with("__Host-known-");
  }
  CHECK(stays_known);
  REQUIRE(set.size() > 79);
  const auto fresh = set.substr(15, 64);
  CHECK(fresh != cookie);
  REQUIRE(units.size() == 1);
  const save_session* begun = nullptr;
  for (const auto& row : units[0].inserts)
    if (const auto* one = std::get_if<save_session>(&row)) begun = one;
  REQUIRE(begun);
  CHECK(begun->hash == session_hash(fresh));
  CHECK(begun->created_at == noon);
  CHECK(begun->ends_at == noon + 11h);  // no later than the session that it replaces
  REQUIRE(units[0].claims.size() == 2);
  CHECK(std::get<check_credentials>(units[0].claims[0]).password_hash == "hash of old");
  CHECK(std::get<set_user_password>(units[0].claims[1]).kept_session == begun->hash);
}

TEST_CASE_METHOD(acts_fixture,
                 "an action that the account allows by password is discarded once the credentials have changed") {
  const bool has_factor = GENERATE(true, false);
  stored_person ada;
  ada.id = user_id{"user_1"};
  ada.email = "ada@example.com";
  ada.password_hash = "the hash";
  const auto& key = shared.second_factor_key;
  const std::string secret = "12345678901234567890";
  if (has_factor) ada.sealed_totp = seal_totp_secret(key, ada.id, secret);
  scene.users = [&](const find_user&) { return user_lookup{ada}; };
  scene.verifies = [](const verify_password&) { return true; };
  const auto acting = [&](const std::string& fields) {
    units.clear();
    return press("/portal/account", fields);
  };
  const auto lost = [&](const response& out) {
    CHECK(out.status == 422);
    CHECK(page_contains(out, "Your password or second factor was changed meanwhile."));
    REQUIRE(units.size() == 1);
    const auto& check = std::get<check_credentials>(units.back().claims.at(0));
    CHECK(check.user == ada.id);
    CHECK(check.password_hash == ada.password_hash);
    CHECK(check.sealed_totp == ada.sealed_totp);
  };
  scene.commits = [&](const unit_of_work& unit) -> caf::result<commit_outcome> {
    units.push_back(unit);
    return std::holds_alternative<check_credentials>(unit.claims.at(0)) ? commit_outcome::lost_claim
                                                                        : commit_outcome::committed;
  };
  if (has_factor) {
    lost(acting("action=set-password&password=old&new_password=correct+horse+battery"));
    lost(acting("action=new-recovery-codes&password=old"));
    lost(acting("action=second-factor-off&password=old"));
    return;
  }
  const auto offered = acting("action=second-factor-on&password=old");
  const auto value_of = [&](std::string_view before, char end) {
    const auto at = offered.body.find(before);
    REQUIRE(at != std::string::npos);
    const auto from = at + before.size();
    return offered.body.substr(from, offered.body.find(end, from) - from);
  };
  const auto sealed = value_of("name=\"offer\" value=\"", '"');
  const auto opened = key.open(sealed, "second factor offered to user_1");
  REQUIRE(opened);
  const auto code = totp_code(opened->substr(opened->size() - totp_secret_size), totp_step_at(noon));
  const auto confirm = "action=confirm-second-factor&offer=" + percent_encoded(sealed) + "&code=" + code;
  lost(acting(confirm));
  ada.password_hash = "another";
  CHECK(page_contains(acting(confirm), "Your password or second factor was changed meanwhile."));
  CHECK(units.empty());
}

TEST_CASE_METHOD(acts_fixture, "a password that an invitation sets is on the person's audit list") {
  scene.invitations = [](const find_invitations&) { return standing_of(an_invitation()); };
  const auto url = invitation_url(an_invitation(), "https://pay.example/portal", shared.invitation_key);
  const auto query = url.substr(url.find('?') + 1);
  auto opening = unsigned_request("GET", "/portal/invitation");
  opening.query = query;
  opening.has_query = true;
  const auto page = run(opening);
  scene.operators = [](const operator_command&) { return operator_result{added_user{user_id{"user_1"}}}; };
  const std::string mark = "name=\"csrf\" value=\"";
  const auto body = "csrf=" + page.body.substr(page.body.find(mark) + mark.size(), 64) +
                    "&password=correct+horse+battery&action=set-password";
  auto in = unsigned_request("POST", "/portal/invitation", body, urlencoded_type);
  in.query = query;
  in.has_query = true;
  const auto set = header(page, "Set-Cookie");
  const auto form_jar = set.substr(0, set.find(';'));
  in.cookie = form_jar;
  in.remote_address = "192.0.2.1";
  CHECK(run(in).status == 303);
  REQUIRE(scene.notes.size() == 1);
  CHECK(scene.notes[0].user.value == "user_1");
  CHECK(scene.notes[0].action == "set-password");
  CHECK(scene.notes[0].subject == "by invitation");
  CHECK(scene.notes[0].address == "192.0.2.1");
}

TEST_CASE_METHOD(acts_fixture, "a spent link says so when it is opened, and opening a link does not spend it") {
  const auto who = merchants.find_merchant(merchant_id{"merch_1"});
  const auto url = make_setup_link(*who, environment::test, shared.portal_url, shared.setup_token_key, noon).url;
  const std::string_view page = "/portal/setup";
  const auto query = url.substr(url.find('?') + 1);
  std::set<std::string> spent;
  std::vector<std::string> looked_at;
  scene.spent_tokens = [&](const find_spent_token& what) {
    CHECK(what.merchant.value == "merch_1");
    looked_at.push_back(what.token_id);
    return spent_token_lookup{spent.contains(what.token_id)};
  };
  bool asked = false;
  scene.operators = [&](const operator_command&) {
    asked = true;
    return operator_result{operator_problem{}};
  };
  auto in = unsigned_request("GET", page);
  in.query = query;
  in.has_query = true;
  for (int i = 0; i < 2; ++i) CHECK(run(in).status == 200);
  REQUIRE(looked_at.size() == 2);
  spent.insert(looked_at[0]);
  const auto out = run(in);
  CHECK(out.status == 410);
  CHECK_FALSE(page_contains(out, "name=\"csrf\""));
  CHECK_FALSE(asked);
  CHECK(units.empty());
  scene.spent_tokens = [](const find_spent_token&) { return make_error(actor_errc::store_unavailable); };
  CHECK(run(in).status == 503);
}

TEST_CASE_METHOD(acts_fixture, "an address with a missing end, or with an extra slash, leads to its page") {
  const std::string portal = "https://pay.example/portal";
  for (const std::string path : {"/portal", "/portal/"}) {
    CAPTURE(path);
    CHECK(location(get(path)) == portal + "/account");
    CHECK(location(get(path, false)) == portal + "/sign-in");
  }
  CHECK(location(get("/portal/merch_1/live")) == portal + "/merch_1/live/");
  CHECK(get("/portal/merch_2/live").status == 404);
  CHECK(get("/portal/merch_1/both").status == 404);
  CHECK(location(get("/portal/merch_1/live", false)).starts_with(portal + "/sign-in?next="));
  CHECK(location(get("/docs/", false)) == "https://pay.example/docs");
  CHECK(location(get("/docs/errors/", false)) == "https://pay.example/docs/errors");
}
