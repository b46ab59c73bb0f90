#include "console_sign_in.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "console.hpp"
#include "console_credentials.hpp"
#include "console_pages.hpp"
#include "console_person.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/base/log.hpp"
#include "gateway/domain/person.hpp"
#include "gateway/domain/text.hpp"
#include "http/access/unknown_account.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"
#include "http/portal/page_forms.hpp"
#include "http/portal/second_factor.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view before_sign_in = "console sign-in";
constexpr std::string_view not_right_words = "The name, the password or the code is not right. Each code works once.";

response sign_in_screen(const call& c, console_sign_in_view view) {
  const auto cookie = console_form_cookie_of(c.in);
  view.csrf = csrf_token(c.here.shared.form_key, cookie.value, before_sign_in);
  auto page = console_sign_in_page(view);
  if (cookie.fresh) page.headers.emplace_back("Set-Cookie", console_cookie(cookie.value));
  return page;
}

response refused_sign_in(const call& c, page_error why, const std::string& name, std::string_view fault) {
  auto page = sign_in_screen(c, {{}, name, {}, std::string{fault}});
  page.status = row_of(why).status;
  return page;
}

struct typed_sign_in {
  std::string name, password, code;
};

/// The operator and the time step of the right code. A verdict is monostate if anything is wrong, or the page for a
/// busy gateway. An unknown name takes as long as a known one.
struct verified_operator {
  stored_operator who;
  std::int64_t step = 0;
};
using operator_verdict = std::variant<verified_operator, std::monostate, response>;

boost::asio::awaitable<operator_verdict> judge_operator(call& c, typed_sign_in typed) {
  const auto key = operator_key_of(typed.name);
  auto asking = ask(c.here, find_operator{key});
  auto reply = co_await std::move(asking);
  if (!reply) co_return error_page(page_error::busy);
  auto& found = reply->found;
  // A database may ignore trailing blanks when it compares names, but the throttle does not.
  if (found && (operator_key_of(found->name) != key || found->password_hash.empty())) found.reset();
  verify_password question{std::move(typed.password),
                           found ? found->password_hash : std::string{unknown_account_hash},
                           {},
                           hashing_network(c.in.remote_address)};
  auto verifying = ask(c.here, std::move(question));
  const auto right = co_await std::move(verifying);
  if (!right) co_return error_page(page_error::busy);
  if (!found) co_return std::monostate{};
  const auto& shared = c.here.shared;
  const auto secret = open_totp_secret(shared.second_factor_key, factor_owner(key), found->sealed_totp);
  const auto code = typed_totp_code(typed.code);
  const auto step =
      secret && code ? matching_totp_step(*secret, *code, shared.clock.now(), found->totp_step) : std::nullopt;
  if (!*right || !step) co_return std::monostate{};
  co_return verified_operator{*std::move(found), *step};
}

/// Marks the code as used. `lost_claim`: it was used before, or the operator was reset meanwhile.
boost::asio::awaitable<commit_outcome> spend_code(call& c, verified_operator found) {
  unit_of_work unit;
  unit.claims.push_back(
      spend_operator_code{operator_key_of(found.who.name), found.who.password_hash, found.who.sealed_totp, found.step});
  auto committing = commit(c.here, std::move(unit));
  const auto outcome = co_await std::move(committing);
  co_return outcome ? *outcome : commit_outcome::unavailable;
}

response not_right(const call& c, const std::string& name) {
  // Log only the address: the name may be a password that was typed into the wrong field.
  log::warn("console_sign_in_refused", {{"request_id", c.in.request_id}, {"from", c.in.remote_address}});
  return refused_sign_in(c, page_error::refused_form, name, not_right_words);
}

}  // namespace

boost::asio::awaitable<response> show_console_sign_in(call& c) {
  console_sign_in_view view;
  const auto query = query_of(c.in);
  if (parameter(query, "done") == set_up_done) view.notice = "Your password and second factor are set. Sign in now.";
  const auto name = parameter(query, "name");
  if (is_operator_name(name)) view.name = name;
  co_return sign_in_screen(c, std::move(view));
}

boost::asio::awaitable<response> sign_in_to_console(call& c) {
  auto& console = c.here.shared.console->access;
  const auto sent = read_form(c.in);
  if (!is_genuine(sent, c.here.shared.form_key, console_cookie_of(c.in), before_sign_in))
    co_return error_page(page_error::forged_form);
  if (sent.text("action") != "sign-in") co_return error_page(page_error::malformed_form);
  typed_sign_in typed{std::string{trimmed(sent.text("name"))}, sent.text("password"), sent.text("code")};
  const auto name = typed.name;
  if (!is_operator_name(name) || typed.password.empty() || typed.password.size() > most_password_bytes)
    co_return refused_sign_in(c, page_error::refused_form, is_operator_name(name) ? name : std::string{},
                              not_right_words);
  const auto key = operator_key_of(name);
  const auto from = c.in.remote_address;
  if (const auto wait = console.throttle.begin(key, from, std::chrono::steady_clock::now())) {
    auto page = refused_sign_in(c, page_error::slowed_down, name,
                                "Too many attempts have failed. Wait a while, or use gatewayctl.");
    page.headers.emplace_back("Retry-After", std::to_string(wait->count()));
    co_return page;
  }
  auto judging = judge_operator(c, std::move(typed));
  auto verdict = co_await std::move(judging);
  if (auto* busy = std::get_if<response>(&verdict)) {
    console.throttle.take_back(key, from);
    co_return std::move(*busy);
  }
  const auto* found = std::get_if<verified_operator>(&verdict);
  if (!found) co_return not_right(c, name);
  auto spending = spend_code(c, *found);
  const auto outcome = co_await std::move(spending);
  if (outcome == commit_outcome::lost_claim) co_return not_right(c, name);
  if (outcome != commit_outcome::committed) {
    console.throttle.take_back(key, from);
    co_return error_page(page_error::busy);
  }
  console.throttle.passed(key, from);
  log::info("console_sign_in",
            {{"request_id", c.in.request_id}, {"from", from}, {"operator", std::string_view{found->who.name}}});
  // Each sign-in starts a new session, so that a cookie which the browser had before becomes worthless.
  console.end(console_cookie_of(c.in));
  auto out = redirect_to(std::string{console_path});
  const auto cookie = console.begin({found->who.name, credentials_of(found->who)}, std::chrono::steady_clock::now());
  out.headers.emplace_back("Set-Cookie", console_cookie(cookie));
  co_return out;
}

boost::asio::awaitable<response> sign_out_of_console(call& c) {
  auto finding = find_console_person(c);
  const auto who = co_await std::move(finding);
  if (!who) co_return redirect_to(std::string{console_sign_in_path});
  if (!is_genuine(read_form(c.in), c.here.shared.form_key, who->cookie, console_form_name))
    co_return error_page(page_error::forged_form);
  c.here.shared.console->access.end(who->cookie);
  auto out = redirect_to(std::string{console_sign_in_path});
  out.headers.emplace_back("Set-Cookie", console_cookie({}));
  co_return out;
}

}  // namespace gateway::http
