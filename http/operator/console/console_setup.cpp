#include "console_setup.hpp"

#include <string>
#include <utility>
#include <variant>

#include "console_access.hpp"
#include "console_credentials.hpp"
#include "console_pages.hpp"
#include "console_person.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/base/log.hpp"
#include "gateway/domain/url.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"
#include "http/html/qr_code.hpp"
#include "http/operator/operator_link.hpp"
#include "http/operator/operator_note.hpp"
#include "http/portal/page_forms.hpp"
#include "http/portal/password_words.hpp"
#include "http/portal/second_factor.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view console_issuer = "Payments Gateway console";

std::string setup_form_name(const operator_link& link) { return "console set-up\n" + link.id; }

/// The secret that the link's page offers to an app. It is derived from the link's id, so that a reload shows the same
/// one, and stored only when a code has proven that an app has it. Rotating the master key changes it; the page then
/// shows the new one.
std::string offered_secret(const services& shared, const operator_link& link) {
  std::string text{"second factor offered to an operator\n"};
  text.append(link.key).append("\n").append(link.id);
  const auto digest = shared.second_factor_key.mac(text);
  return {digest.begin(), digest.begin() + totp_secret_size};
}

struct setup_standing {
  operator_link link;
  std::string name;
};
using setup_found = std::variant<setup_standing, response>;

/// The link's operator, or the page for a link that cannot be used.
boost::asio::awaitable<setup_found> standing_of_setup(call& c) {
  const auto& shared = c.here.shared;
  const auto link = read_operator_link(parameter(query_of(c.in), "token"), shared.invitation_key, shared.clock.now());
  if (!link) co_return error_page(page_error::unusable_link);
  auto asking = ask(c.here, find_operator{link->key});
  const auto reply = co_await std::move(asking);
  if (!reply) co_return error_page(page_error::busy);
  if (!reply->found || !is_in_force(*link, *reply->found, shared.clock.now()))
    co_return error_page(page_error::unusable_link);
  co_return setup_standing{*link, reply->found->name};
}

response console_setup_screen(const call& c, const setup_standing& there, std::string password_fault,
                              std::string code_fault) {
  const auto cookie = console_form_cookie_of(c.in);
  const auto secret = offered_secret(c.here.shared, there.link);
  console_setup_view view;
  view.csrf = csrf_token(c.here.shared.form_key, cookie.value, setup_form_name(there.link));
  view.name = there.name;
  view.uri = otpauth_uri(console_issuer, there.name, secret);
  view.qr_svg = qr_code(view.uri, "QR code for an authenticator app. The secret is written below it.");
  view.secret = in_groups(base32(secret));
  const bool is_refused = !password_fault.empty() || !code_fault.empty();
  view.password_fault = std::move(password_fault);
  view.code_fault = std::move(code_fault);
  auto page = console_setup_page(view);
  if (is_refused) page.status = row_of(page_error::refused_form).status;
  if (cookie.fresh) page.headers.emplace_back("Set-Cookie", console_cookie(cookie.value));
  return page;
}

bool is_right_code(const services& shared, const std::string& secret, const std::string& typed) {
  const auto code = typed_totp_code(typed);
  return code && matching_totp_step(secret, *code, shared.clock.now(), 0);
}

/// Stores the password and the second factor. Returns a redirect to the sign-in page, or an error page.
boost::asio::awaitable<response> store_credentials(call& c, setup_standing there, std::string password) {
  const auto& shared = c.here.shared;
  auto hashing = ask(c.here, hash_password{std::move(password)});
  const auto hash = co_await std::move(hashing);
  if (!hash) co_return error_page(page_error::busy);
  auto sealed =
      seal_totp_secret(shared.second_factor_key, factor_owner(there.link.key), offered_secret(shared, there.link));
  unit_of_work unit;
  unit.claims.push_back(set_up_operator{there.link.key, there.link.id, *hash, std::move(sealed), shared.clock.now()});
  auto note = note_of_operator(c, "set up operator", there.name);
  note.user = operator_as_actor(there.name);  // the request has no session yet
  unit.inserts.push_back(std::move(note));
  auto committing = commit(c.here, std::move(unit));
  const auto outcome = co_await std::move(committing);
  if (outcome && *outcome == commit_outcome::lost_claim) co_return error_page(page_error::unusable_link);
  if (!outcome || *outcome != commit_outcome::committed) co_return error_page(page_error::busy);
  log::info(
      "operator_set_up",
      {{"request_id", c.in.request_id}, {"from", c.in.remote_address}, {"operator", std::string_view{there.name}}});
  co_return redirect_to(std::string{console_sign_in_path}
                            .append("?done=")
                            .append(set_up_done)
                            .append("&name=")
                            .append(percent_encoded(there.name)));
}

}  // namespace

boost::asio::awaitable<response> show_console_setup(call& c) {
  auto finding = standing_of_setup(c);
  auto found = co_await std::move(finding);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  co_return console_setup_screen(c, std::get<setup_standing>(found), {}, {});
}

boost::asio::awaitable<response> set_up_on_console(call& c) {
  auto finding = standing_of_setup(c);
  auto found = co_await std::move(finding);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  const auto& there = std::get<setup_standing>(found);
  const auto sent = read_form(c.in);
  if (!is_genuine(sent, c.here.shared.form_key, console_cookie_of(c.in), setup_form_name(there.link)))
    co_return error_page(page_error::forged_form);
  if (sent.text("action") != "set-password") co_return error_page(page_error::malformed_form);
  auto password = sent.text("password");
  const auto fault = fault_of_password(password);
  // The code proves only that the app has the secret, so the same code may then be used to sign in.
  const bool right = is_right_code(c.here.shared, offered_secret(c.here.shared, there.link), sent.text("code"));
  if (fault || !right)
    co_return console_setup_screen(
        c, there, std::string{fault ? message_of(*fault) : std::string_view{}},
        right ? std::string{} : "The code is not right. Enter the one that the app shows now.");
  auto storing = store_credentials(c, there, std::move(password));
  co_return co_await std::move(storing);
}

}  // namespace gateway::http
