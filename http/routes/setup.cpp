// A signed link is opened by its button, which spends it and gives the browser a set-up session: a cookie that says,
// for an hour, which merchant it is for. The plain link of a merchant without an owner asks for a sign-in. From there
// on both are one.
#include "setup.hpp"

#include <utility>

#include "asking.hpp"
#include "http/errors.hpp"
#include "http/pages/page.hpp"
#include "http/portal/page_forms.hpp"
#include "setup_link.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view setup_cookie_name = "__Host-setup";
constexpr std::string_view sandbox_badge = "Sandbox: no money moves";

/// A page of set-up, and by which right it is shown.
struct setting_up {
  std::shared_ptr<const merchant> who;
  environment env = environment::live;
  std::optional<signed_in> person;  ///< without a signed link
  std::string local;                ///< the page, as is_local_target() has it
};
using allowed = std::variant<setting_up, response>;

/// Whether the merchant has a route by a connected provider.
bool can_be_charged(const merchant& who, environment env) {
  return std::ranges::any_of(who.routes, [&](const route& way) {
    return way.env == env && status_at(who, env, way.provider) == connection_status::connected;
  });
}

/// A link without a token names no environment. Merchants can be charged in test from the beginning: where one cannot,
/// that is what the link is about. Only the pages behind it name the environment.
environment environment_of_link(const services& shared, std::string_view mode, const merchant_id& id) {
  if (!mode.empty()) return mode == to_string(environment::test) ? environment::test : environment::live;
  const auto who = shared.merchants.find_merchant(id);
  return who && !can_be_charged(*who, environment::test) ? environment::test : environment::live;
}

std::string form_name(const setting_up& at) {
  return "setup\n" + at.who->id.value + '\n' + std::string{to_string(at.env)};
}

allowed by_link(const call& c) {
  const auto& shared = c.here.shared;
  const auto cookie = find_cookie(c.in.cookie, setup_cookie_name);
  const auto session =
      cookie ? read_setup_session(*cookie, shared.setup_token_key, shared.clock.now()) : std::optional<setup_token>{};
  if (!session) return error_page(page_error::unusable_link);
  auto who = shared.merchants.find_merchant(session->merchant);
  if (!is_still_bound(who.get(), *session)) return error_page(page_error::unusable_link);
  return setting_up{std::move(who), session->env, std::nullopt, std::string{portal_path} + "/setup"};
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
  if (merchant.empty()) co_return by_link(c);
  const auto env = environment_of_link(c.here.shared, parameter(query, "mode"), merchant_id{merchant});
  auto entering = by_person(c, std::move(merchant), env);
  co_return co_await std::move(entering);
}

// ---- the pages ------------------------------------------------------------------------------------

std::string_view words_of(connection_status status) noexcept {
  switch (status) {
    case connection_status::not_connected: return "Not connected";
    case connection_status::in_progress: return "Begun, not finished";
    case connection_status::connected: return "Connected";
    case connection_status::unavailable: return "Not available at present";
  }
  return {};
}

bool is_offered(const services& shared, const setting_up& at, const provider_traits& row) {
  const bool wallet = at.who->kind == merchant_kind::wallet;
  return row.wallet == wallet && (!row.sandbox || at.env == environment::test || shared.config.dev);
}

/// A wallet entity does not learn of its provider.
std::string_view shown_name(const provider_traits& row) { return row.wallet ? "Wallet" : row.display_name; }

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
    if (!is_offered(shared, at, row)) continue;
    const auto status = status_at(*at.who, at.env, row.kind);
    if (status == connection_status::connected || status == connection_status::unavailable) {
      view.facts.push_back({shown_name(row), std::string{words_of(status)}});
      continue;
    }
    can_connect = true;
    view.providers.push_back({row.name, shown_name(row), words_of(status)});
  }
  if (!can_connect && !ready) view.message = "No provider can be connected here at present.";
  view.choice_fault = fault;
  if (can_connect) view.buttons = {{"connect", "Connect", true}};
  if (at.person) {
    view.user = shown_user(shared, *at.person);
    if (can_connect) view.csrf = csrf_of(shared, *at.person, form_name(at));
    return buttons_page(view, {"'self'", {}});
  }
  const auto cookie = form_cookie_of(c.in);
  if (can_connect) view.csrf = cookie.csrf(shared, form_name(at));
  return cookie.with(buttons_page(view, {"'self'", {}}));
}

/// The link before it is spent.
std::string redeem_form(const setup_token& token) { return "redeem\n" + token.id; }

response redeem_screen(const call& c, const setup_token& token) {
  const auto& shared = c.here.shared;
  const auto who = shared.merchants.find_merchant(token.merchant);
  const auto cookie = form_cookie_of(c.in);
  buttons_view view;
  view.badge = token.env == environment::test ? "Test mode: no money moves" : "";
  view.eyebrow = who ? who->name : std::string{};
  view.title = "Set up payments";
  view.message = "This link works once. Go on when you have some minutes to connect a payment provider.";
  view.csrf = cookie.csrf(shared, redeem_form(token));
  view.buttons = {{"redeem", "Go on", true}};
  return cookie.with(buttons_page(view, {"'self'", {}}));
}

/// The token of the link, if it can still be spent as far as can be told without asking.
std::optional<setup_token> token_of(const call& c, const std::string& text) {
  const auto& shared = c.here.shared;
  auto token = read_setup_token(text, shared.setup_token_key, shared.clock.now());
  if (token && !is_still_bound(shared.merchants.find_merchant(token->merchant).get(), *token)) token.reset();
  return token;
}

boost::asio::awaitable<response> redeem(call& c, std::string text) {
  const auto& shared = c.here.shared;
  const auto token = token_of(c, text);
  if (!token) co_return error_page(page_error::unusable_link);
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

/// Carried out, or not, or nobody knows.
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
  view.csrf = cookie.csrf(shared, "onboarding\n" + std::string{c.id});
  view.buttons = {{"finish", "Finish", true}, {"give-up", "Give up", false}};
  return cookie.with(buttons_page(view, {"'self'", {}}));
}

/// The link, while the connection waits for it.
std::optional<onboarding_link> open_onboarding(const call& c) {
  const auto& shared = c.here.shared;
  auto link = read_onboarding_link(c.id, shared.setup_token_key, shared.clock.now());
  if (!link) return std::nullopt;
  const auto who = shared.merchants.find_merchant(link->merchant);
  if (!who || status_at(*who, link->env, link->provider) != connection_status::in_progress) return std::nullopt;
  return link;
}

}  // namespace

boost::asio::awaitable<response> show_setup(call& c) {
  const auto text = parameter(query_of(c.in), "token");
  if (!text.empty()) {
    const auto token = token_of(c, text);
    co_return token ? redeem_screen(c, *token) : error_page(page_error::unusable_link);
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
  const bool genuine =
      at.person ? is_genuine(shared, *at.person, sent, form_name(at)) : is_genuine(c, sent, form_name(at));
  if (!genuine) co_return error_page(page_error::forged_form);
  if (sent.text("action") != "connect") co_return error_page(page_error::malformed_form);
  const auto provider = parse_provider_kind(sent.text("provider"));
  const bool offered = provider && is_offered(shared, at, traits_of(*provider)) &&
                       status_at(*at.who, at.env, *provider) != connection_status::unavailable;
  if (!offered) co_return with_status(page_error::refused_form, setup_screen(c, at, "Choose a provider."));
  // What takes payments already is not begun anew.
  if (status_at(*at.who, at.env, *provider) == connection_status::connected)
    co_return redirect_to(public_url(shared, at.local));
  set_connection begun{at.who->id, {at.env, *provider, connection_status::in_progress, {}}};
  operator_command wanted{std::move(begun)};
  auto carrying = carried_out(c, std::move(wanted));
  const bool done = co_await std::move(carrying);
  if (!done) co_return error_page(page_error::busy);
  const onboarding_link link{at.who->id, at.env, *provider, at.local, shared.clock.now() + setup_link_lifetime};
  co_return redirect_to(shared.base_url + "/sandbox/onboarding/" + make_onboarding_token(link, shared.setup_token_key));
}

boost::asio::awaitable<response> show_onboarding(call& c) {
  const auto link = open_onboarding(c);
  co_return link ? onboarding_screen(c, *link) : error_page(page_error::closed_onboarding);
}

boost::asio::awaitable<response> act_on_onboarding(call& c) {
  const auto& shared = c.here.shared;
  const auto link = open_onboarding(c);
  if (!link) co_return error_page(page_error::closed_onboarding);
  const auto sent = read_form(c.in);
  if (!is_genuine(c, sent, "onboarding\n" + std::string{c.id})) co_return error_page(page_error::forged_form);
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
