#include <algorithm>
#include <utility>

#include "gateway/domain/text.hpp"
#include "handlers.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/as_member.hpp"
#include "http/portal/confirmation.hpp"
#include "http/portal/member_page.hpp"
#include "keys_view.hpp"

namespace gateway::http {
namespace {

/// Shows a calendar day in UTC, the same in every time zone.
shown_time shown_use(std::optional<std::chrono::sys_days> day) {
  if (!day) return {};
  auto shown = show_day(time_point{*day}, "UTC");
  shown.iso = format_day(*day);
  shown.utc = shown.text + ", UTC";
  return shown;
}

/// Merchants do not see an operator's own name, as in the audit log. Only people of the portal have an e-mail address.
std::string shown_maker(const std::string& who) { return who.empty() || who.find('@') != who.npos ? who : "operator"; }

boost::asio::awaitable<response> keys_screen(call& c, mint_form mint, std::string fault) {
  auto reading = entries_of_merchant(c);
  auto found = co_await std::move(reading);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto& keys = std::get<directory_lookup>(found).keys;
  std::ranges::stable_sort(keys, std::ranges::greater{}, [](const stored_key& each) { return each.key.created_at; });
  keys_view view;
  view.frame = frame_of(c, member_place::keys);
  view.frame.fault = std::move(fault);
  for (const auto& each : keys)
    if (each.key.env == c.visit->env)
      view.rows.push_back({each.key.id.value, each.key.scopes, shown(c, each.key.created_at),
                           shown_maker(each.key.created_by), each.revoked, each.key.name,
                           shown_use(each.last_used_on)});
  view.mint = std::move(mint);
  co_return keys_page(view);
}

boost::asio::awaitable<response> keys_refused(call& c, mint_form mint, std::string fault) {
  auto showing = keys_screen(c, std::move(mint), std::move(fault));
  auto page = co_await std::move(showing);
  co_return refused_form(std::move(page));
}

/// The checked scopes, or the default ones if the form has no such field. nullopt if one is unknown or is `*`, because
/// only operators mint wildcard keys.
std::optional<scope_set> chosen_scopes(const form& sent) {
  if (!sent.has("scopes")) return parse_scopes(default_portal_scopes);
  std::string names;
  for (const auto& each : sent.all("scopes")) names.append(each).append(1, ' ');
  const auto scopes = parse_scopes(names);
  return scopes && !scopes->permits(scope::all) ? scopes : std::nullopt;
}

boost::asio::awaitable<response> mint_here(call& c) {
  const auto scopes = chosen_scopes(c.visit->sent);
  mint_form typed{scopes.value_or(scope_set{}), {}, {c.visit->sent.text("name"), {}}};
  if (!scopes) typed.fault = "Choose what the key may do.";
  if (count_characters(typed.name.value) > most_key_name)
    typed.name.fault = "The name is too long: at most 100 characters.";
  else if (std::ranges::any_of(typed.name.value, is_control))
    typed.name.fault = "The name must be one line of text.";
  if (!scopes || !typed.name.fault.empty()) {
    auto refusing = keys_refused(c, std::move(typed), {});
    co_return co_await std::move(refusing);
  }
  mint_key wanted{c.visit->who->id, c.visit->env, *scopes, typed.name.value, c.visit->person.who.email};
  auto changing = change(c, std::move(wanted), note_of(c, "mint key"));
  auto made = co_await std::move(changing);
  if (auto* page = std::get_if<response>(&made)) co_return std::move(*page);
  const auto* key = std::get_if<minted_key>(&std::get<operator_result>(made));
  if (!key) co_return error_page(page_error::busy);
  co_return minted_key_page(
      {frame_of(c, member_place::keys), key->id.value, key->secret, key->scopes, typed.name.value});
}

boost::asio::awaitable<response> ask_to_revoke(call& c, key_id id) {
  auto reading = entries_of_merchant(c);
  const auto found = co_await std::move(reading);
  if (const auto* page = std::get_if<response>(&found)) co_return *page;
  const auto& keys = std::get<directory_lookup>(found).keys;
  confirmation asked{.at = member_place::keys, .verb = "revoke", .object = id.value};
  asked.title = "Revoke this key?";
  asked.consequence =
      "Requests that are signed with it are refused from then on, at once and for good. Whatever program uses it needs "
      "another key.";
  asked.label = "Revoke the key";
  asked.back = {"Keep the key", page_address(c.here.shared, *c.visit, "keys")};
  asked.hidden = {{"key_id", id.value}};
  asked.shown.rows.push_back({"Key", {blocks::code{id.value}}});
  if (const auto key = std::ranges::find(keys, id, [](const stored_key& each) { return each.key.id; });
      key != keys.end()) {
    add_fact(asked.shown, "Name", key->key.name);
    add_fact(asked.shown, "Created by", shown_maker(key->key.created_by));
    add_fact(asked.shown, "Last used", shown_use(key->last_used_on));
  }
  co_return confirmation_page(c, asked);
}

boost::asio::awaitable<response> revoke_here(call& c) {
  const key_id id{c.visit->sent.text("key_id")};
  const auto known = c.here.shared.merchants.find_key(id);
  if (!known || known->merchant != c.visit->who->id || known->env != c.visit->env)
    co_return error_page(page_error::nothing_here);
  if (!is_confirmed(c, "revoke", id.value)) {
    auto asking = ask_to_revoke(c, id);
    co_return co_await std::move(asking);
  }
  auto changing = change(c, revoke_key{id}, note_of(c, "revoke key", id.value));
  auto made = co_await std::move(changing);
  if (auto* page = std::get_if<response>(&made)) co_return std::move(*page);
  co_return redirect_after_success(c, "revoke");
}

}  // namespace

boost::asio::awaitable<response> show_keys(call& c) { return keys_screen(c, {}, {}); }

boost::asio::awaitable<response> act_on_keys(call& c) {
  const auto action = c.visit->sent.text("action");
  if (action == "mint") return mint_here(c);
  if (action == "revoke") return revoke_here(c);
  return unknown_action();
}

}  // namespace gateway::http
