// A merchant's connections, at two addresses: a page of the merchant, and a person's page, to which platforms send
// people who must renew a connection: `connections?from=SLUG&action=stripe_reconnect&return_url=…`. Once the merchant
// can be charged, a visitor from a platform can return to it, but only to an origin that the platform has registered.
#include "connections.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "connections_view.hpp"
#include "gateway/domain/url.hpp"
#include "handlers.hpp"
#include "http/access/setup_link.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/account_audit.hpp"
#include "http/portal/member_page.hpp"
#include "http/portal/page_forms.hpp"
#include "http/portal/provider_connection.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view reconnect_action = "stripe_reconnect";
constexpr std::string_view connections_path = "/portal/connections";

std::vector<connection_row> connection_rows(const services& shared, const merchant& who, environment env) {
  std::vector<connection_row> rows;
  for (const auto& row : provider_catalogue) {
    const bool offered = is_offered(shared, who, env, row);
    const auto at = std::ranges::find_if(
        who.connections, [&](const connection& each) { return each.env == env && each.provider == row.kind; });
    const bool known = at != who.connections.end();
    if (!offered && !known) continue;
    connection_row shown_row{
        std::string{row.name}, std::string{shown_name(row)}, connection_status::not_connected, {}, offered};
    if (known) shown_row.status = at->status;
    if (known && !row.wallet) shown_row.account = at->account;
    rows.push_back(std::move(shown_row));
  }
  return rows;
}

/// The provider in the form, if it is offered to the merchant.
std::optional<provider_kind> provider_to_connect(const services& shared, const merchant& who, environment env,
                                                 const form& sent) {
  const auto kind = parse_provider_kind(sent.text("provider"));
  if (!kind || !is_offered(shared, who, env, traits_of(*kind))) return std::nullopt;
  return kind;
}

bool is_connecting(std::string_view action) { return action == "connect" || action == "reconnect"; }

response connections_screen(const call& c, std::string fault) {
  connections_view view;
  view.frame = frame_of(c, member_place::connections);
  view.frame.fault = std::move(fault);
  view.rows = connection_rows(c.here.shared, *c.visit->who, c.visit->env);
  view.form_targets = connecting_targets(c.here.shared, *c.visit->who, c.visit->env);
  return connections_page(view);
}

// ---- a person's page ------------------------------------------------------------------------------

/// A visit of the person's page, with or without a platform, and with a merchant or none chosen yet.
struct renewal {
  signed_in person;
  std::string local;  ///< the page's path and query, which satisfy is_local_target()
  std::shared_ptr<const merchant> who;  ///< null: not chosen yet
  environment env = environment::live;
  std::shared_ptr<const platform> from;  ///< null: not from a platform
  std::string return_url;  ///< where the platform wants the person to return; empty: not allowed
  std::vector<query_parameter> query;

  bool owns() const { return who && person.owns(who->id); }
  bool can_charge() const { return who && can_be_charged(*who, env); }
};

/// The URL, or empty if the platform has not registered its origin.
std::string allowed_return(const platform& from, const std::string& url) {
  const auto origin = https_origin_of(url);
  const bool allowed = origin && std::ranges::find(from.return_origins, *origin) != from.return_origins.end();
  return allowed ? url : std::string{};
}

std::string renewal_form(const renewal& at) { return "connections\n" + at.local; }

boost::asio::awaitable<std::variant<renewal, response>> arrive_at_connections(call& c) {
  const auto& shared = c.here.shared;
  renewal at;
  at.query = query_of(c.in);
  at.local = connections_path;
  if (!at.query.empty()) at.local += '?' + canonical_query(at.query);
  auto requiring = require_session(c, at.local);
  auto found = co_await std::move(requiring);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  at.person = std::get<signed_in>(std::move(found));
  if (parameter(at.query, "mode") == to_string(environment::test)) at.env = environment::test;
  if (parameter(at.query, "action") == reconnect_action) {
    at.from = shared.merchants.find_platform_by_slug(parameter(at.query, "from"));
    if (at.from) at.return_url = allowed_return(*at.from, parameter(at.query, "return_url"));
  }
  merchant_id chosen{parameter(at.query, "merchant_id")};
  const auto& all = at.person.who.of;
  if (chosen.empty() && all.size() == 1) chosen = all.front().merchant;
  if (chosen.empty()) co_return at;
  if (!at.person.member_of(chosen)) co_return error_page(page_error::nothing_here);
  auto making = make_known(c.here, chosen);
  if (co_await std::move(making)) co_return error_page(page_error::busy);
  at.who = shared.merchants.find_merchant(chosen);
  if (!at.who) co_return error_page(page_error::busy);
  co_return at;
}

response renewal_screen(const call& c, const renewal& at, std::string fault) {
  const auto& shared = c.here.shared;
  connections_view view;
  view.frame = frame_of(shared, at.person, member_place::connections, renewal_form(at));
  view.frame.fault = std::move(fault);
  view.frame.env = at.env;
  merchant_choice choice;
  for (const auto& each : at.person.who.of) choice.merchants.push_back({each.merchant.value, each.merchant_name});
  choice.env = at.env;
  for (const auto* name : {"from", "action", "return_url"})
    if (auto value = parameter(at.query, name); !value.empty()) choice.query.push_back({name, std::move(value)});
  if (at.who) {
    choice.chosen = view.frame.merchant_id = at.who->id.value;
    view.frame.merchant = at.who->name;
    view.frame.role = at.owns() ? member_role::owner : member_role::viewer;
    view.rows = connection_rows(shared, *at.who, at.env);
    view.form_targets = connecting_targets(shared, *at.who, at.env);
  }
  view.choice = std::move(choice);
  if (at.from) {
    const auto origin = https_origin_of(at.return_url).value_or(std::string{});
    view.back = way_back{at.from->name, origin, at.can_charge()};
    if (!origin.empty()) view.form_targets += ' ' + origin;
  }
  return connections_page(view);
}

/// The page to return to from the provider: this page with the same choices.
std::string page_afterwards(const renewal& at) {
  std::vector<query_parameter> query;
  for (const auto* name : {"from", "action", "return_url"})
    if (auto value = parameter(at.query, name); !value.empty()) query.push_back({name, std::move(value)});
  query.push_back({"merchant_id", at.who->id.value});
  query.push_back({"mode", std::string{to_string(at.env)}});
  query.push_back({"done", "connect"});
  return std::string{connections_path} + '?' + canonical_query(query);
}

boost::asio::awaitable<response> connect_to_renew(call& c, renewal& at, form& sent, std::string_view verb) {
  if (!at.who) co_return refused_form(renewal_screen(c, at, "Choose a merchant."));
  if (!at.owns()) co_return error_page(page_error::not_an_owner);
  const auto kind = provider_to_connect(c.here.shared, *at.who, at.env, sent);
  if (!kind) co_return refused_form(renewal_screen(c, at, "Choose a provider."));
  const auto back = page_afterwards(at);
  // Do not restart a connected provider.
  if (status_at(*at.who, at.env, *kind) == connection_status::connected)
    co_return redirect_to(public_url(c.here.shared, back));
  auto note = note_of(c, at.person.who.user, verb, std::string{to_string(*kind)});
  note.merchant = at.who->id;
  note.env = at.env;
  auto beginning = begin_connecting(c, {at.who->id, at.env, *kind, back}, std::move(note));
  co_return co_await std::move(beginning);
}

}  // namespace

boost::asio::awaitable<response> show_connections(call& c) { co_return connections_screen(c, {}); }

boost::asio::awaitable<response> act_on_connections(call& c) {
  const auto& visit = *c.visit;
  const auto action = visit.sent.text("action");
  if (!is_connecting(action)) co_return error_page(page_error::malformed_form);
  const auto kind = provider_to_connect(c.here.shared, *visit.who, visit.env, visit.sent);
  if (!kind) co_return refused_form(connections_screen(c, "Choose a provider."));
  if (status_at(*visit.who, visit.env, *kind) == connection_status::connected)
    co_return redirect_after_success(c, "connect");
  auto beginning =
      begin_connecting(c, {visit.who->id, visit.env, *kind, visit.page}, note_of(c, action, to_string(*kind)));
  co_return co_await std::move(beginning);
}

boost::asio::awaitable<response> show_renewal(call& c) {
  auto arriving = arrive_at_connections(c);
  auto there = co_await std::move(arriving);
  if (auto* page = std::get_if<response>(&there)) co_return std::move(*page);
  const auto& at = std::get<renewal>(there);
  const bool comes_back = parameter(at.query, "done") == "connect";
  if (comes_back && at.can_charge() && !at.return_url.empty()) co_return redirect_to(at.return_url);
  co_return renewal_screen(c, at, {});
}

boost::asio::awaitable<response> act_on_renewal(call& c) {
  auto sent = read_form(c.in);
  if (!carries_token(sent)) co_return error_page(page_error::forged_form);
  auto arriving = arrive_at_connections(c);
  auto there = co_await std::move(arriving);
  if (auto* page = std::get_if<response>(&there)) co_return std::move(*page);
  auto& at = std::get<renewal>(there);
  if (!is_genuine(c.here.shared, at.person, sent, renewal_form(at))) co_return error_page(page_error::forged_form);
  const auto action = sent.text("action");
  if (action == "return") {
    if (at.can_charge() && !at.return_url.empty()) co_return redirect_to(at.return_url);
    co_return refused_form(renewal_screen(c, at, "There is no way back from here yet."));
  }
  if (!is_connecting(action)) co_return error_page(page_error::malformed_form);
  auto connecting_now = connect_to_renew(c, at, sent, action);
  co_return co_await std::move(connecting_now);
}

}  // namespace gateway::http
