#include <algorithm>
#include <memory>
#include <utility>

#include "handlers.hpp"
#include "http/api/grants.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/as_member.hpp"
#include "http/portal/confirmation.hpp"
#include "http/portal/member_page.hpp"
#include "platforms_view.hpp"

namespace gateway::http {
namespace {

constexpr std::uint32_t most_grants_shown = 1'000;  ///< in both modes together

/// The reason typed to revoke a grant, with its fault.
struct revoke_slip {
  grant_id id;
  field reason;
};

boost::asio::awaitable<response> platforms_screen(call& c, revoke_slip slip) {
  find_grants query;
  query.merchant = c.visit->who->id;
  query.limit = most_grants_shown;
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  auto reading = entries_of_merchant(c);
  const auto entries = co_await std::move(reading);
  if (const auto* page = std::get_if<response>(&entries)) co_return *page;
  const auto& users = std::get<directory_lookup>(entries).users;

  platforms_view view;
  view.frame = frame_of(c, member_place::platforms);
  // Shown at the top unless a form has the field: the grant may not be listed, or may have ended meanwhile.
  view.frame.fault = slip.reason.fault;
  for (const auto& [key, each] : found->grants) {
    if (key.env != c.visit->env) continue;
    grant_row row;
    row.grant_id = each.id.value;
    const auto asking_platform = c.here.shared.merchants.find_platform(platform_id{key.id});
    row.platform = asking_platform ? asking_platform->name : key.id;
    row.scopes = each.scopes;
    // A person who has left the team is shown by id.
    const auto giver = std::ranges::find(users, each.given_by, &stored_user::id);
    row.given_by = giver == users.end() ? each.given_by.value : giver->email;
    row.given_at = shown(c, each.granted_at);
    row.revoked_at = shown(c, each.revoked_at);
    row.reason = each.revoke_reason;
    if (each.id == slip.id && !each.revoked_at) {
      row.revoke_reason = slip.reason;
      view.frame.fault.clear();
    }
    view.rows.push_back(std::move(row));
  }
  std::ranges::stable_partition(view.rows, [](const grant_row& each) { return each.revoked_at.text.empty(); });
  co_return platforms_page(view);
}

/// The platform of the merchant's grant with this id, or the page to show.
boost::asio::awaitable<std::variant<platform_id, response>> find_grant_here(call& c, grant_id id) {
  auto asking = ask(c.here, find_grant{std::move(id)});
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  const auto& binding = found->binding;
  if (!binding || binding->merchant != c.visit->who->id || binding->env != c.visit->env)
    co_return error_page(page_error::nothing_here);
  co_return platform_id{binding->id};
}

response ask_to_revoke_grant(const call& c, const grant_id& id, const platform_id& to, const std::string& reason) {
  const auto known = c.here.shared.merchants.find_platform(to);
  const auto& name = known ? known->name : to.value;
  confirmation asked{.at = member_place::platforms, .verb = "revoke", .object = id.value};
  asked.title = "Revoke what " + name + " may do?";
  asked.consequence = name +
                      " can act for you no more, from that moment on. Only you can give it access again, on the "
                      "platform's own pages.";
  asked.label = "Revoke the access";
  asked.back = {"Keep the access", page_address(c.here.shared, *c.visit, "platforms")};
  asked.hidden = {{"grant_id", id.value}, {"reason", reason}};
  asked.shown.rows.push_back({"Grant", {blocks::code{id.value}}});
  add_fact(asked.shown, "Reason", reason);
  return confirmation_page(c, asked);
}

boost::asio::awaitable<response> revoke_grant_here(call& c) {
  const grant_id id{c.visit->sent.text("grant_id")};
  auto reason = c.visit->sent.text("reason");
  if (!is_revoke_reason(reason)) {
    auto showing = platforms_screen(c, {id, {std::move(reason), std::string{reason_too_long}}});
    auto page = co_await std::move(showing);
    co_return refused_form(std::move(page));
  }
  auto finding = find_grant_here(c, id);
  const auto platform = co_await std::move(finding);
  if (const auto* page = std::get_if<response>(&platform)) co_return *page;
  if (!is_confirmed(c, "revoke", id.value))
    co_return ask_to_revoke_grant(c, id, std::get<platform_id>(platform), reason);
  if (reason.empty()) reason = merchants_reason;
  auto note = std::make_shared<const save_audit>(note_of(c, "revoke grant", id.value));
  auto revoking =
      revoke_grant_as(c, id, std::move(reason), merchants_side{c.visit->who->id, c.visit->env}, std::move(note));
  const auto rejected = co_await std::move(revoking);
  if (!rejected) co_return redirect_after_success(c, "revoke");
  co_return error_page(rejected->code == error_code::grant_not_found ? page_error::nothing_here : page_error::busy);
}

}  // namespace

boost::asio::awaitable<response> show_platforms(call& c) { return platforms_screen(c, {}); }

boost::asio::awaitable<response> act_on_platforms(call& c) {
  if (c.visit->sent.text("action") == "revoke") return revoke_grant_here(c);
  return unknown_action();
}

}  // namespace gateway::http
