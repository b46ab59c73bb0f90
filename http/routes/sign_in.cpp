// A wrong password, an address that nobody has, and somebody who was invited and has no password yet are not told
// apart: not by the answer, not by its time, and not by what is slowed down.
#include "sign_in.hpp"

#include <chrono>
#include <utility>

#include "connect.hpp"
#include "http/pages/page.hpp"
#include "http/portal/page_forms.hpp"
#include "http/portal/slowing.hpp"

namespace gateway::http {
namespace {

/// Takes as long to compare with as any password's hash, and is that of no password.
constexpr std::string_view nobodys_hash =
    "scrypt$15$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
constexpr std::size_t most_address = 1'024;  ///< bytes

std::string form_name(std::string_view next) { return "sign-in\n" + std::string{next}; }

/// Where the page was asked to go on to, if that is one of ours.
std::string next_of(const request& in) { return target_of_next(parameter(query_of(in), "next")); }

page_policy policy_for(const services& shared, std::string_view next) {
  page_policy policy{"'self'", {}};
  // The consent screen may send the browser back to the platform at once, and browsers hold that against this form.
  if (next.starts_with(authorize_path)) policy.form_targets += consent_form_targets(shared, next);
  return policy;
}

response page_for(const call& c, std::string_view next, sign_in_view view) {
  const auto cookie = form_cookie_of(c.in);
  view.csrf = cookie.csrf(c.here.shared, form_name(next));
  return cookie.with(sign_in_page(view, policy_for(c.here.shared, next)));
}

response refused(const call& c, std::string_view next, sign_in_view view) {
  return with_status(page_error::refused_form, page_for(c, next, std::move(view)));
}

response slowed(const call& c, std::string_view next, std::string email, std::chrono::seconds wait) {
  auto page = with_status(
      page_error::slowed_down,
      page_for(c, next, {{}, std::move(email), {}, "Too many attempts have failed. Wait a while, then try again."}));
  page.headers.emplace_back("Retry-After", std::to_string(wait.count()));
  return page;
}

response welcomed(const services& shared, const session_cookie& session, std::string_view next) {
  auto out = redirect_to(next.empty() ? shared.portal_url + "/account" : public_url(shared, next));
  out.headers.emplace_back("Set-Cookie", host_cookie(session_cookie_name, session.text));
  return out;
}

/// Whose password it is; nothing if it is nobody's, or the page that tells that the gateway is busy.
using judged = std::variant<save_user, std::monostate, response>;

boost::asio::awaitable<judged> judge(call& c, std::string account, std::string password) {
  find_user query{account};
  auto asking = ask(c.here, std::move(query));
  auto reply = co_await std::move(asking);
  if (!reply) co_return error_page(page_error::busy);
  auto& found = reply->found;
  // A database may take no notice of blanks at the end. Slowing does, and each spelling would be an account to guess
  // at.
  const bool has_password = found && !found->password_hash.empty() && email_key_of(found->email) == account;
  verify_password question{std::move(password), has_password ? found->password_hash : std::string{nobodys_hash}};
  auto verifying = ask(c.here, std::move(question));
  const auto right = co_await std::move(verifying);
  if (!right) co_return error_page(page_error::busy);
  if (!*right || !has_password) co_return std::monostate{};
  co_return *std::move(found);
}

/// What became of a session. A password that is replaced ends the sessions that there are: of one that is committed a
/// moment later it knows nothing. So the password is looked at once more after the commit. A session that is not begun
/// is ended, and no browser was given it.
enum class session_fate : unsigned char { begun, password_replaced, unknown };

boost::asio::awaitable<session_fate> begin_session(call& c, std::string hash, save_user who) {
  const auto now = c.here.shared.clock.now();
  unit_of_work unit;
  unit.inserts.push_back(save_session{hash, who.id, now, now + session_lifetime});
  auto saving = commit(c.here, std::move(unit));
  const auto outcome = co_await std::move(saving);
  if (!outcome || *outcome != commit_outcome::committed) co_return session_fate::unknown;

  find_user query{email_key_of(who.email)};
  auto asking = ask(c.here, std::move(query));
  const auto reply = co_await std::move(asking);
  if (reply && reply->found && reply->found->password_hash == who.password_hash) co_return session_fate::begun;
  unit_of_work end;
  end.claims.push_back(end_session{std::move(hash)});
  auto ending = commit(c.here, std::move(end));
  co_await std::move(ending);
  co_return reply ? session_fate::password_replaced : session_fate::unknown;
}

}  // namespace

boost::asio::awaitable<response> show_sign_in(call& c) { co_return page_for(c, next_of(c.in), {}); }

boost::asio::awaitable<response> sign_in(call& c) {
  const auto& shared = c.here.shared;
  const auto next = next_of(c.in);
  const auto sent = read_form(c.in);
  if (!is_genuine(c, sent, form_name(next))) co_return error_page(page_error::forged_form);
  if (sent.text("action") != "sign-in") co_return error_page(page_error::malformed_form);
  const auto email = sent.text("email");
  auto password = sent.text("password");
  if (email.empty() || email.size() > most_address)
    co_return refused(c, next, {{}, {}, "Enter your e-mail address.", {}});
  if (password.empty() || password.size() > most_password_bytes)
    co_return refused(c, next, {{}, email, {}, "Enter your password."});

  const auto account = email_key_of(email);
  auto& slowing = c.here.shared.slowing;
  if (const auto wait = slowing.begin(account, c.in.remote_address, std::chrono::steady_clock::now()))
    co_return slowed(c, next, email, *wait);
  auto judging = judge(c, account, std::move(password));
  auto verdict = co_await std::move(judging);
  if (auto* busy = std::get_if<response>(&verdict)) {
    slowing.take_back(account, c.in.remote_address);
    co_return std::move(*busy);
  }
  const sign_in_view not_right{{}, email, {}, "The e-mail address or the password is not right."};
  const auto* user = std::get_if<save_user>(&verdict);
  if (!user) co_return refused(c, next, not_right);
  slowing.passed(account, c.in.remote_address);

  // A new one for each sign-in: what the browser had before, whoever gave it, is worth nothing.
  const auto session = make_session_cookie();
  auto beginning = begin_session(c, session.hash, *user);
  const auto fate = co_await std::move(beginning);
  if (fate == session_fate::unknown) co_return error_page(page_error::busy);
  if (fate == session_fate::password_replaced) co_return refused(c, next, not_right);
  co_return welcomed(shared, session, next);
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
    // A session that is no longer there has ended, too.
    if (!outcome || (*outcome != commit_outcome::committed && *outcome != commit_outcome::lost_claim))
      co_return error_page(page_error::busy);
  }
  // Who was sent here by another site's form has brought no cookie, and keeps it.
  if (find_cookie(c.in.cookie, session_cookie_name))
    out.headers.emplace_back("Set-Cookie", host_cookie(session_cookie_name, {}, 0));
  co_return out;
}

boost::asio::awaitable<response> show_account(call& c) {
  auto asking = require_session(c, std::string{portal_path} + "/account");
  auto found = co_await std::move(asking);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  const auto& person = std::get<signed_in>(found);
  buttons_view view;
  view.eyebrow = "Merchant portal";
  view.title = "Your account";
  view.message = person.who.of.empty() ? "You belong to no merchant." : "You belong to these merchants.";
  for (const auto& each : person.who.of)
    view.facts.push_back({each.role == member_role::owner ? "Owner" : "Viewer", each.merchant_name});
  view.user = shown_user(c.here.shared, person);
  co_return buttons_page(view, {"'self'", {}});
}

}  // namespace gateway::http
