// A signed link is redeemed by a button, which makes the link unusable and gives the browser a set-up session: a
// cookie that names the merchant, for an hour. The cookie does not authenticate, because platforms' logs contain
// links, and the provider may show a visitor what the owner has entered. So the page requires the sign-in of the owner
// for whom the link was made; the page of a link without a token requires any owner's. After that both work alike.
#include "setup.hpp"

#include <utility>

#include "http/access/setup_link.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/account_audit.hpp"
#include "http/portal/page_forms.hpp"
#include "http/portal/provider_connection.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view setup_cookie_name = "__Host-setup";
constexpr std::string_view sandbox_badge = "Sandbox: no money moves";

/// The merchant, the mode and the person of a set-up page.
struct setting_up {
  std::shared_ptr<const merchant> who;
  environment env = environment::live;
  signed_in person;
  std::string local;  ///< the page's path and query, which satisfy is_local_target()
};
using allowed = std::variant<setting_up, response>;

/// The mode of a link without a token, which may not name one. Merchants can be charged in test mode from the start,
/// so if this merchant cannot be, the link is about test mode. The pages that the link leads to do name the mode.
environment environment_of_link(const services& shared, std::string_view mode, const merchant_id& id) {
  if (!mode.empty()) return mode == to_string(environment::test) ? environment::test : environment::live;
  const auto who = shared.merchants.find_merchant(id);
  return who && !can_be_charged(*who, environment::test) ? environment::test : environment::live;
}

std::string form_name(const setting_up& at) {
  return "setup\n" + at.who->id.value + '\n' + std::string{to_string(at.env)};
}

/// The content of the browser's cookie, which is set when a set-up link is redeemed.
std::optional<setup_token> setup_session_of(const call& c) {
  const auto& shared = c.here.shared;
  const auto cookie = find_cookie(c.in.cookie, setup_cookie_name);
  if (!cookie) return std::nullopt;
  return read_setup_session(*cookie, shared.setup_token_key, shared.clock.now());
}

boost::asio::awaitable<allowed> by_link(call& c) {
  const auto& shared = c.here.shared;
  const auto session = setup_session_of(c);
  if (!session) co_return error_page(page_error::unusable_link);
  auto making = make_known(c.here, session->merchant);
  if (co_await std::move(making)) co_return error_page(page_error::busy);
  auto who = shared.merchants.find_merchant(session->merchant);
  if (!is_still_bound(who.get(), *session)) co_return error_page(page_error::unusable_link);
  auto local = std::string{portal_path} + "/setup";
  auto requiring = require_session(c, local);
  auto found = co_await std::move(requiring);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto& person = std::get<signed_in>(found);
  if (person.who.user != session->user || !person.owns(session->merchant))
    co_return error_page(page_error::not_an_owner);
  co_return setting_up{std::move(who), session->env, std::move(person), std::move(local)};
}

boost::asio::awaitable<allowed> by_person(call& c, std::string merchant, environment env) {
  auto local = std::string{portal_path} + "/setup?merchant_id=" + percent_encoded(merchant) +
               "&mode=" + std::string{to_string(env)};
  auto requiring = require_session(c, local);
  auto found = co_await std::move(requiring);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto& person = std::get<signed_in>(found);
  const merchant_id id{std::move(merchant)};
  auto who = c.here.shared.merchants.find_merchant(id);
  if (!who || !person.owns(id)) co_return error_page(page_error::not_an_owner);
  co_return setting_up{std::move(who), env, std::move(person), std::move(local)};
}

boost::asio::awaitable<allowed> admit_to_setup(call& c) {
  const auto query = query_of(c.in);
  auto merchant = parameter(query, "merchant_id");
  if (merchant.empty()) {
    auto entering = by_link(c);
    co_return co_await std::move(entering);
  }
  auto making = make_known(c.here, merchant_id{merchant});
  if (co_await std::move(making)) co_return error_page(page_error::busy);
  const auto env = environment_of_link(c.here.shared, parameter(query, "mode"), merchant_id{merchant});
  auto entering = by_person(c, std::move(merchant), env);
  co_return co_await std::move(entering);
}

// ---- the pages ------------------------------------------------------------------------------------

std::string_view description_of(connection_status status) noexcept {
  switch (status) {
    case connection_status::not_connected: return "Not connected";
    case connection_status::in_progress: return "Begun, not finished";
    case connection_status::connected: return "Connected";
    case connection_status::unavailable: return "Stopped by the provider: connect it again";
  }
  return {};
}

response setup_screen(const call& c, const setting_up& at, std::string_view fault) {
  const auto& shared = c.here.shared;
  const bool ready = can_be_charged(*at.who, at.env);
  buttons_view view;
  view.badge = at.env == environment::test ? "Test mode: no money moves" : "";
  view.eyebrow = at.who->name;
  view.title = ready ? "You can take payments" : "Connect a payment provider";
  view.message = ready
                     ? "A provider is connected. Go back to where you came from, and try the payment again."
                     : "Payments cannot be taken until a provider is connected. Choose one; it asks for what it needs.";
  view.is_status = ready;
  bool can_connect = false;
  for (const auto& row : provider_catalogue) {
    if (!is_offered(shared, *at.who, at.env, row)) continue;
    const auto status = status_at(*at.who, at.env, row.kind);
    if (status == connection_status::connected) {
      view.facts.push_back({shown_name(row), std::string{description_of(status)}});
      continue;
    }
    can_connect = true;
    view.providers.push_back({row.name, shown_name(row), description_of(status)});
  }
  if (!can_connect && !ready) view.message = "No provider can be connected here at present.";
  view.choice_fault = fault;
  const page_policy policy{std::string{connecting_targets(shared, *at.who, at.env)}, {}};
  if (can_connect) view.buttons = {{"connect", ready ? "Connect another provider" : "Connect", !ready}};
  view.user = shown_user(shared, at.person);
  if (can_connect) view.csrf = csrf_of(shared, at.person, form_name(at));
  return buttons_page(view, policy);
}

/// The name that a form's CSRF token is bound to before its link is redeemed.
std::string redeem_form(const setup_token& token) { return "redeem\n" + token.id; }

response redeem_screen(const call& c, const setup_token& token) {
  const auto& shared = c.here.shared;
  const auto who = shared.merchants.find_merchant(token.merchant);
  const auto cookie = form_cookie_of(c.in);
  buttons_view view;
  view.badge = token.env == environment::test ? "Test mode: no money moves" : "";
  view.eyebrow = who ? who->name : std::string{};
  view.title = "Set up payments";
  view.message = "This link works once. Go on when you have a few minutes to connect a payment provider.";
  view.csrf = cookie.csrf(shared, redeem_form(token));
  view.buttons = {{"redeem", "Go on", true}};
  return cookie.with(buttons_page(view, {"'self'", {}}));
}

/// The token of a link that appears unused, or the page to show.
boost::asio::awaitable<std::variant<setup_token, response>> token_of(call& c, std::string text) {
  const auto& shared = c.here.shared;
  auto token = read_setup_token(text, shared.setup_token_key, shared.clock.now());
  if (!token) co_return error_page(page_error::unusable_link);
  auto making = make_known(c.here, token->merchant);
  if (co_await std::move(making)) co_return error_page(page_error::busy);
  if (!is_still_bound(shared.merchants.find_merchant(token->merchant).get(), *token))
    co_return error_page(page_error::unusable_link);
  co_return *std::move(token);
}

boost::asio::awaitable<response> redeem(call& c, std::string text) {
  const auto& shared = c.here.shared;
  auto reading = token_of(c, std::move(text));
  const auto found = co_await std::move(reading);
  if (const auto* page = std::get_if<response>(&found)) co_return *page;
  const auto* token = std::get_if<setup_token>(&found);
  const auto sent = read_form(c.in);
  if (!is_genuine(c, sent, redeem_form(*token))) co_return error_page(page_error::forged_form);
  if (sent.text("action") != "redeem") co_return error_page(page_error::malformed_form);
  operator_command wanted{redeem_setup_token{token->merchant, token->id}};
  auto asking = ask(c.here, std::move(wanted));
  const auto reply = co_await std::move(asking);
  if (!reply) co_return error_page(page_error::busy);
  if (!std::holds_alternative<spent_setup_token>(*reply)) co_return error_page(page_error::unusable_link);
  const auto session = make_setup_session(*token, shared.setup_token_key, shared.clock.now());
  constexpr int seconds = std::chrono::duration_cast<std::chrono::seconds>(setup_link_lifetime).count();
  auto out = redirect_to(shared.portal_url + "/setup");
  out.headers.emplace_back("Set-Cookie", host_cookie(setup_cookie_name, session.token, seconds));
  co_return out;
}

/// True if the command was executed; false if it was refused, or its outcome is unknown.
boost::asio::awaitable<bool> carried_out(call& c, operator_command wanted) {
  auto asking = ask(c.here, std::move(wanted));
  const auto reply = co_await std::move(asking);
  co_return reply && !std::holds_alternative<operator_problem>(*reply);
}

response onboarding_screen(const call& c, const onboarding_link& link) {
  const auto& shared = c.here.shared;
  const auto who = shared.merchants.find_merchant(link.merchant);
  const auto cookie = form_cookie_of(c.in);
  const auto& row = traits_of(link.provider);
  buttons_view view;
  view.badge = sandbox_badge;
  view.eyebrow = who ? who->name : std::string{};
  view.title = "Open your account at " + std::string{row.wallet ? "the wallet" : row.display_name};
  view.message = "A real provider asks for your company's papers here. The sandbox takes your word.";
  view.facts = {{"Environment", link.env == environment::test ? "Test" : "Live"}};
  view.csrf = cookie.csrf(shared, "onboarding\n" + std::string{c.path.id});
  view.buttons = {{"finish", "Finish", true}, {"give-up", "Give up", false}};
  return cookie.with(buttons_page(view, {"'self'", {}}));
}

/// The link, if its connection is pending; or the page to show.
boost::asio::awaitable<std::variant<onboarding_link, response>> open_onboarding(call& c) {
  const auto& shared = c.here.shared;
  auto link = read_onboarding_link(c.path.id, shared.setup_token_key, shared.clock.now());
  if (!link || !traits_of(link->provider).sandbox) co_return error_page(page_error::closed_onboarding);
  auto making = make_known(c.here, link->merchant);
  if (co_await std::move(making)) co_return error_page(page_error::busy);
  const auto who = shared.merchants.find_merchant(link->merchant);
  if (!who || status_at(*who, link->env, link->provider) != connection_status::in_progress)
    co_return error_page(page_error::closed_onboarding);
  co_return *std::move(link);
}

}  // namespace

boost::asio::awaitable<response> show_setup(call& c) {
  const auto text = parameter(query_of(c.in), "token");
  if (!text.empty()) {
    auto reading = token_of(c, text);
    auto found = co_await std::move(reading);
    if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
    const auto& token = std::get<setup_token>(found);
    // Only reads: showing the page does not redeem the link.
    auto looking = ask(c.here, find_spent_token{token.merchant, token.id});
    const auto known = co_await std::move(looking);
    if (!known) co_return error_page(page_error::busy);
    if (known->spent) co_return error_page(page_error::unusable_link);
    co_return redeem_screen(c, token);
  }
  auto entering = admit_to_setup(c);
  auto there = co_await std::move(entering);
  if (auto* page = std::get_if<response>(&there)) co_return std::move(*page);
  co_return setup_screen(c, std::get<setting_up>(there), {});
}

boost::asio::awaitable<response> act_on_setup(call& c) {
  const auto& shared = c.here.shared;
  if (const auto text = parameter(query_of(c.in), "token"); !text.empty()) {
    auto redeeming = redeem(c, text);
    co_return co_await std::move(redeeming);
  }
  const auto sent = read_form(c.in);
  if (!carries_token(sent)) co_return error_page(page_error::forged_form);
  auto entering = admit_to_setup(c);
  auto there = co_await std::move(entering);
  if (auto* page = std::get_if<response>(&there)) co_return std::move(*page);
  const auto& at = std::get<setting_up>(there);
  if (!is_genuine(shared, at.person, sent, form_name(at))) co_return error_page(page_error::forged_form);
  if (sent.text("action") != "connect") co_return error_page(page_error::malformed_form);
  const auto provider = parse_provider_kind(sent.text("provider"));
  const bool offered = provider && is_offered(shared, *at.who, at.env, traits_of(*provider));
  if (!offered) co_return with_status(page_error::refused_form, setup_screen(c, at, "Choose a provider."));
  // Do not restart a connected provider.
  if (status_at(*at.who, at.env, *provider) == connection_status::connected)
    co_return redirect_to(public_url(shared, at.local));
  auto note = note_of(c, at.person.who.user, "connect", std::string{to_string(*provider)});
  note.merchant = at.who->id;
  note.env = at.env;
  auto beginning = begin_connecting(c, {at.who->id, at.env, *provider, at.local}, std::move(note));
  co_return co_await std::move(beginning);
}

boost::asio::awaitable<response> show_onboarding(call& c) {
  auto opening = open_onboarding(c);
  auto found = co_await std::move(opening);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  co_return onboarding_screen(c, std::get<onboarding_link>(found));
}

boost::asio::awaitable<response> act_on_onboarding(call& c) {
  const auto& shared = c.here.shared;
  auto opening = open_onboarding(c);
  auto found = co_await std::move(opening);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  const auto* link = &std::get<onboarding_link>(found);
  const auto sent = read_form(c.in);
  if (!is_genuine(c, sent, "onboarding\n" + std::string{c.path.id})) co_return error_page(page_error::forged_form);
  const auto action = sent.text("action");
  if (action != "finish" && action != "give-up") co_return error_page(page_error::malformed_form);
  operator_command wanted{make_chargeable{link->merchant, link->env, link->provider}};
  if (action == "give-up")
    wanted = set_connection{link->merchant, {link->env, link->provider, connection_status::not_connected, {}}};
  auto carrying = carried_out(c, std::move(wanted));
  const bool done = co_await std::move(carrying);
  if (!done) co_return error_page(page_error::busy);
  co_return redirect_to(public_url(shared, link->back));
}

}  // namespace gateway::http
