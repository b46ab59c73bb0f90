// A wrong password, an unknown address, and an invited person who has no password yet are indistinguishable by the
// answer, by its time, and by rate limiting.
#include "sign_in.hpp"

#include <chrono>
#include <utility>

#include "consent.hpp"
#include "gateway/base/crypto.hpp"
#include "http/access/sign_in_throttle.hpp"
#include "http/access/unknown_account.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/html/page.hpp"
#include "http/portal/account_audit.hpp"
#include "http/portal/browser_words.hpp"
#include "http/portal/chosen_password.hpp"
#include "http/portal/known_browser.hpp"
#include "http/portal/notice_mail.hpp"
#include "http/portal/page_forms.hpp"
#include "http/portal/pending_sign_in.hpp"
#include "http/portal/second_factor.hpp"
#include "http/portal/wrong_codes.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_address = 1'024;  ///< bytes
constexpr std::string_view too_many_attempts = "Too many attempts have failed. Wait a while, then try again.";

std::string form_name(std::string_view next) { return "sign-in\n" + std::string{next}; }

/// The page to continue to, if it is a page of this gateway.
std::string next_of(const request& in) { return target_of_next(parameter(query_of(in), "next")); }

page_policy policy_for(const services& shared, std::string_view next) {
  page_policy policy{"'self'", {}};
  // The consent screen may redirect the browser to the platform at once, and browsers check this redirect against the
  // form's targets.
  if (next.starts_with(authorize_path)) policy.form_targets += consent_form_targets(shared, next);
  return policy;
}

response page_for(const call& c, std::string_view next, sign_in_view view) {
  const auto cookie = form_cookie_of(c.in);
  view.csrf = cookie.csrf(c.here.shared, form_name(next));
  if (c.here.shared.mails && !view.asks_code) view.forgotten_url = c.here.shared.portal_url + "/forgotten";
  return cookie.with(sign_in_page(view, policy_for(c.here.shared, next)));
}

response refused(const call& c, std::string_view next, sign_in_view view) {
  return with_status(page_error::refused_form, page_for(c, next, std::move(view)));
}

response slowed(const call& c, std::string_view next, sign_in_view view, std::chrono::seconds wait) {
  auto page = with_status(page_error::slowed_down, page_for(c, next, std::move(view)));
  page.headers.emplace_back("Retry-After", std::to_string(wait.count()));
  return page;
}

/// The page that asks for a code, with an empty field.
sign_in_view code_view_of(std::string_view email) {
  sign_in_view view;
  view.email = email;
  view.asks_code = true;
  return view;
}

/// The page after sign-in if none was requested: the person's only merchant, or else the account, which lists the
/// merchants.
boost::asio::awaitable<std::string> first_page(call& c, std::string hash) {
  find_session query{std::move(hash)};
  auto asking = ask(c.here, std::move(query));
  const auto reply = co_await std::move(asking);
  const bool of_one = reply && reply->found && reply->found->of.size() == 1;
  if (!of_one) co_return std::string{account_page_path};
  const auto merchant = percent_encoded(reply->found->of.front().merchant.value);
  co_return std::string{portal_path}.append("/").append(merchant).append("/live/");
}

boost::asio::awaitable<response> welcomed(call& c, session_cookie session, stored_person who, std::string next) {
  if (next.empty()) {
    auto choosing = first_page(c, session.hash);
    next = co_await std::move(choosing);
  }
  auto out = redirect_to(public_url(c.here.shared, next));
  out.headers.emplace_back("Set-Cookie", host_cookie(session_cookie_name, session.text));
  out.headers.emplace_back("Set-Cookie", known_browser_cookie(c.here.shared, who));
  co_return out;
}

/// The page that asks for a code after the right password, with the pending cookie.
response code_page_for(const call& c, std::string_view next, const stored_person& who, std::string_view fault) {
  auto view = code_view_of(who.email);
  view.code_fault = fault;
  auto page = page_for(c, next, std::move(view));
  page.headers.emplace_back("Set-Cookie", pending_cookie(c.here.shared, who));
  return page;
}

/// The sign-in page again, if the code came too late or the password was replaced.
response restart_sign_in(const call& c, std::string_view next) {
  auto page = refused(c, next, {{}, {}, {}, "The code was entered too late. Enter your password again."});
  page.headers.emplace_back("Set-Cookie", no_pending_cookie());
  return page;
}

/// The person, if the password is right; monostate if it is wrong; or the page for a busy gateway.
using sign_in_verdict = std::variant<stored_person, std::monostate, response>;

boost::asio::awaitable<sign_in_verdict> judge(call& c, std::optional<stored_person> found, std::string password,
                                              bool is_known) {
  const bool has_password = found && !found->password_hash.empty();
  verify_password question{std::move(password), has_password ? found->password_hash : std::string{unknown_account_hash},
                           is_known ? email_key_of(found->email) : std::string{}, hashing_network(c.in.remote_address)};
  auto verifying = ask(c.here, std::move(question));
  const auto right = co_await std::move(verifying);
  if (!right) co_return error_page(page_error::busy);
  if (!*right || !has_password) co_return std::monostate{};
  co_return *std::move(found);
}

/// The result of creating a session. `refused`: the code was used before, or the password or the second factor was
/// replaced meanwhile.
enum class session_outcome : unsigned char { begun, refused, unknown };

/// The session's commit marks the code as used, and requires that the verified credentials are unchanged.
unit_of_work session_unit(const call& c, const std::string& hash, const stored_person& who,
                          std::optional<claimed_row> spending) {
  const auto now = c.here.shared.clock.now();
  unit_of_work unit;
  unit.inserts.push_back(
      save_session{hash, who.id, now, now + session_lifetime, std::string{c.in.remote_address}, browser_of(c.in)});
  unit.claims.push_back(check_credentials{who.id, who.password_hash, who.sealed_totp});
  if (spending && std::holds_alternative<spend_recovery_code>(*spending))
    unit.inserts.push_back(note_of(c, who.id, "use-recovery-code"));
  if (spending) unit.claims.push_back(*std::move(spending));
  if (known_browser(c, who).empty()) add_notice(c, unit, mail_kind::new_browser, who.email);
  return unit;
}

boost::asio::awaitable<session_outcome> begin_session(call& c, std::string hash, stored_person who,
                                                      std::optional<claimed_row> spending) {
  auto saving = commit(c.here, session_unit(c, hash, who, spending));
  auto outcome = co_await std::move(saving);
  if (outcome && *outcome == commit_outcome::lost_claim) {
    // The second factor may be the same, but resealed under another master key.
    auto asking = ask(c.here, find_user{email_key_of(who.email)});
    const auto now = co_await std::move(asking);
    const bool same = now && now->found && now->found->sealed_totp != who.sealed_totp &&
                      of_credentials(c.here.shared, *now->found) == of_credentials(c.here.shared, who);
    if (!same) co_return session_outcome::refused;
    auto again = commit(c.here, session_unit(c, hash, *now->found, std::move(spending)));
    outcome = co_await std::move(again);
    if (outcome && *outcome == commit_outcome::lost_claim) co_return session_outcome::refused;
  }
  co_return outcome && *outcome == commit_outcome::committed ? session_outcome::begun : session_outcome::unknown;
}

/// Handles a code after the right password. The attempt is already counted.
boost::asio::awaitable<response> with_code(call& c, std::string next, stored_person who, std::string typed) {
  constexpr std::string_view not_right = "The code is not right, or it was used before.";
  auto& shared = c.here.shared;
  const auto account = email_key_of(who.email);
  const auto browser = known_browser(c, who);
  auto spending = spending_of(shared.second_factor_key, who, typed, shared.clock.now());
  if (!spending) {
    auto noting = note_wrong_code(c, who.id, who.email);
    co_await std::move(noting);
    co_return with_status(page_error::refused_form, code_page_for(c, next, who, not_right));
  }
  const auto session = make_session_cookie();
  auto beginning = begin_session(c, session.hash, who, std::move(spending));
  const auto result = co_await std::move(beginning);
  // If the credentials were replaced, the pending cookie of this page is invalid for the next code.
  if (result == session_outcome::refused) {
    auto noting = note_wrong_code(c, who.id, who.email);
    co_await std::move(noting);
    co_return with_status(page_error::refused_form, code_page_for(c, next, who, not_right));
  }
  if (result == session_outcome::unknown) {
    shared.throttle.take_back(account, c.in.remote_address, browser);
    co_return error_page(page_error::busy);
  }
  shared.throttle.passed(account, c.in.remote_address, browser);
  if (next.empty()) {
    auto looking = find_wrong_codes(c, who.id);
    const auto looked_up = co_await std::move(looking);
    // After a failed look-up the person is sent to the account page, too: it reads the wrong codes itself, so that none
    // stays unreported.
    if (!looked_up || *looked_up) next = account_page_path;
  }
  auto welcoming = welcomed(c, session, std::move(who), std::move(next));
  auto out = co_await std::move(welcoming);
  out.headers.emplace_back("Set-Cookie", no_pending_cookie());
  co_return out;
}

/// Handles a form that has only a code.
boost::asio::awaitable<response> second_step(call& c, std::string next, std::string typed) {
  auto& throttle = c.here.shared.throttle;
  const auto note = find_pending(c);
  if (!note) co_return restart_sign_in(c, next);
  const auto account = email_key_of(note->email);
  find_user query{account};
  auto asking = ask(c.here, std::move(query));
  auto reply = co_await std::move(asking);
  if (!reply) co_return error_page(page_error::busy);
  if (!reply->found || !is_of(c.here.shared, *note, *reply->found)) co_return restart_sign_in(c, next);
  auto& who = *reply->found;
  const auto browser = known_browser(c, who);
  const auto wait = throttle.begin(account, c.in.remote_address, std::chrono::steady_clock::now(), browser);
  if (wait) {
    auto view = code_view_of(note->email);
    view.code_fault = too_many_attempts;
    co_return slowed(c, next, std::move(view), *wait);
  }
  if (typed.empty()) {
    throttle.take_back(account, c.in.remote_address, browser);
    co_return with_status(page_error::refused_form, code_page_for(c, next, who, "Enter the code."));
  }
  auto judging = with_code(c, std::move(next), std::move(who), std::move(typed));
  co_return co_await std::move(judging);
}

/// Handles a form that has an e-mail address, a password, and possibly a code.
boost::asio::awaitable<response> first_step(call& c, std::string next, form sent) {
  const auto email = sent.text("email");
  auto password = sent.text("password");
  if (email.empty() || email.size() > most_address)
    co_return refused(c, next, {{}, {}, "Enter your e-mail address.", {}});
  if (password.empty() || password.size() > most_password_bytes)
    co_return refused(c, next, {{}, email, {}, "Enter your password."});

  const auto account = email_key_of(email);
  find_user query{account};
  auto asking = ask(c.here, std::move(query));
  auto reply = co_await std::move(asking);
  if (!reply) co_return error_page(page_error::busy);
  auto& found = reply->found;
  // A database may ignore trailing spaces, but rate limiting does not: each spelling would allow more guesses.
  if (found && email_key_of(found->email) != account) found.reset();
  const auto browser = found ? known_browser(c, *found) : std::string{};
  auto& throttle = c.here.shared.throttle;
  if (const auto wait = throttle.begin(account, c.in.remote_address, std::chrono::steady_clock::now(), browser))
    co_return slowed(c, next, {{}, email, {}, too_many_attempts}, *wait);
  auto judging = judge(c, std::move(found), std::move(password), !browser.empty());
  auto verdict = co_await std::move(judging);
  if (auto* busy = std::get_if<response>(&verdict)) {
    throttle.take_back(account, c.in.remote_address, browser);
    co_return std::move(*busy);
  }
  const sign_in_view not_right{{}, email, {}, "The e-mail address or the password is not right."};
  auto* user = std::get_if<stored_person>(&verdict);
  if (!user) co_return refused(c, next, not_right);
  if (!user->sealed_totp.empty()) {
    auto typed = sent.text("code");
    if (!typed.empty()) {
      auto finishing = with_code(c, std::move(next), std::move(*user), std::move(typed));
      co_return co_await std::move(finishing);
    }
    // The account's earlier failures stay counted, or else knowing the password would allow more guesses of codes.
    throttle.take_back(account, c.in.remote_address, browser);
    co_return code_page_for(c, next, *user, {});
  }

  // Each sign-in starts a new session, so that a cookie which the browser had before becomes worthless.
  const auto session = make_session_cookie();
  auto beginning = begin_session(c, session.hash, *user, std::nullopt);
  const auto result = co_await std::move(beginning);
  if (result == session_outcome::refused) co_return refused(c, next, not_right);
  if (result != session_outcome::begun) {
    throttle.take_back(account, c.in.remote_address, browser);
    co_return error_page(page_error::busy);
  }
  throttle.passed(account, c.in.remote_address, browser);
  auto welcoming = welcomed(c, session, std::move(*user), std::move(next));
  co_return co_await std::move(welcoming);
}

}  // namespace

boost::asio::awaitable<response> show_sign_in(call& c) {
  sign_in_view view;
  const auto chosen = find_chosen_password(c.in);
  if (const auto note = find_pending(c)) {
    view = code_view_of(note->email);
  } else if (chosen) {
    view.email = *chosen;
    view.notice = "Your password is set. Sign in with it now.";
  }
  auto page = page_for(c, next_of(c.in), std::move(view));
  if (chosen) page.headers.emplace_back("Set-Cookie", no_chosen_password_cookie());
  co_return page;
}

boost::asio::awaitable<response> enter_portal(call& c) {
  auto finding = find_signed_in(c);
  auto found = co_await std::move(finding);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  const auto& shared = c.here.shared;
  if (std::holds_alternative<signed_in>(found)) co_return redirect_to(shared.portal_url + "/account");
  co_return redirect_to(sign_in_url(shared, {}));
}

boost::asio::awaitable<response> sign_in(call& c) {
  auto next = next_of(c.in);
  auto sent = read_form(c.in);
  if (!is_genuine(c, sent, form_name(next))) co_return error_page(page_error::forged_form);
  const auto action = sent.text("action");
  if (action == "cancel") {
    auto out = redirect_to(sign_in_url(c.here.shared, next));
    out.headers.emplace_back("Set-Cookie", no_pending_cookie());
    co_return out;
  }
  if (action != "sign-in") co_return error_page(page_error::malformed_form);
  const bool is_second_step = sent.has("code") && !sent.has("email") && !sent.has("password");
  if (is_second_step) {
    auto answering = second_step(c, std::move(next), sent.text("code"));
    co_return co_await std::move(answering);
  }
  auto answering = first_step(c, std::move(next), std::move(sent));
  co_return co_await std::move(answering);
}

boost::asio::awaitable<response> sign_out(call& c) {
  const auto& shared = c.here.shared;
  const auto sent = read_form(c.in);
  if (!carries_token(sent)) co_return error_page(page_error::forged_form);
  auto finding = find_signed_in(c);
  auto found = co_await std::move(finding);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto out = redirect_to(sign_in_url(shared, {}));
  if (const auto* person = std::get_if<signed_in>(&found)) {
    if (!is_genuine(shared, *person, sent, sign_out_form)) co_return error_page(page_error::forged_form);
    unit_of_work unit;
    unit.claims.push_back(end_session{session_hash(person->cookie)});
    auto ending = commit(c.here, std::move(unit));
    const auto outcome = co_await std::move(ending);
    // A lost claim means that the session has already ended.
    if (!outcome || (*outcome != commit_outcome::committed && *outcome != commit_outcome::lost_claim))
      co_return error_page(page_error::busy);
  }
  // A form posted from another site carries no cookie; then the browser keeps its cookie.
  if (find_cookie(c.in.cookie, session_cookie_name))
    out.headers.emplace_back("Set-Cookie", host_cookie(session_cookie_name, {}, 0));
  co_return out;
}

}  // namespace gateway::http
