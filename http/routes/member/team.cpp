#include <algorithm>
#include <utility>

#include "common.hpp"
#include "http/errors.hpp"
#include "http/pages/member/team.hpp"
#include "http/pages/page.hpp"
#include "http/portal/invitations.hpp"
#include "pages.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_address_bytes = 320;

struct team {
  std::vector<stored_user> users;
  std::vector<stored_membership> members;  ///< oldest first

  const stored_user* find(const user_id& id) const {
    const auto at = std::ranges::find(users, id, &stored_user::id);
    return at == users.end() ? nullptr : &*at;
  }
  const stored_user* find_member(std::string_view email) const {
    const auto at = std::ranges::find_if(
        users, [&](const stored_user& each) { return email_key_of(each.email) == email_key_of(email); });
    const bool is_one =
        at != users.end() && std::ranges::find(members, at->id, &stored_membership::user) != members.end();
    return is_one ? &*at : nullptr;
  }
};

boost::asio::awaitable<std::variant<team, response>> team_of(call& c) {
  auto reading = entries_of_merchant(c);
  auto found = co_await std::move(reading);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto& rows = std::get<directory_lookup>(found);
  co_return team{std::move(rows.users), std::move(rows.memberships)};
}

boost::asio::awaitable<response> team_screen(call& c, invite_form invite, std::string fault) {
  auto reading = team_of(c);
  auto found = co_await std::move(reading);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  const auto* there = std::get_if<team>(&found);
  const auto owners = std::ranges::count(there->members, member_role::owner, &stored_membership::role);
  team_view view;
  view.frame = frame_of(c, member_place::team);
  view.frame.fault = std::move(fault);
  view.invite = std::move(invite);
  for (const auto& each : there->members) {
    const auto* user = there->find(each.user);
    if (!user) continue;
    team_row row;
    row.user_id = user->id.value;
    row.email = user->email;
    row.role = each.role;
    row.is_self = user->id == c.visit->person.who.user;
    row.invited = !user->has_password;
    row.last_owner = owners == 1 && each.role == member_role::owner;
    row.joined_at = shown(c, each.created_at);
    view.rows.push_back(std::move(row));
  }
  co_return team_page(view);
}

boost::asio::awaitable<response> team_refused(call& c, invite_form invite, std::string fault) {
  auto showing = team_screen(c, std::move(invite), std::move(fault));
  auto page = co_await std::move(showing);
  co_return refused_form(std::move(page));
}

/// Only as far as a person's slip goes: whether there is such a mailbox shows when the link is used.
bool is_address(std::string_view text) {
  const auto at = text.find('@');
  return at != text.npos && at > 0 && at + 1 < text.size() && text.find('@', at + 1) == text.npos &&
         std::ranges::none_of(text, [](unsigned char ch) { return ch <= ' ' || ch == 0x7f; });
}

boost::asio::awaitable<response> invite_here(call& c) {
  const auto& shared = c.here.shared;
  invite_form typed{{c.visit->sent.text("email"), {}}, {c.visit->sent.text("role"), {}}};
  const auto role = parse_member_role(typed.role.value);
  if (!role) typed.role.fault = "Choose a role.";
  if (!is_address(typed.email.value) || typed.email.value.size() > most_address_bytes)
    typed.email.fault = "Enter an e-mail address.";
  if (!typed.role.fault.empty() || !typed.email.fault.empty()) {
    auto refusing = team_refused(c, std::move(typed), {});
    co_return co_await std::move(refusing);
  }
  invite_user wanted{c.visit->who->id, typed.email.value, role, true};
  auto changing = change(c, std::move(wanted), note_of(c, "invite " + typed.role.value, typed.email.value));
  auto made = co_await std::move(changing);
  if (auto* page = std::get_if<response>(&made)) co_return std::move(*page);
  const auto* user = std::get_if<added_user>(&std::get<operator_result>(made));
  if (!user) {
    typed.email.fault = "This person is one of the team already.";
    auto refusing = team_refused(c, std::move(typed), {});
    co_return co_await std::move(refusing);
  }
  auto reading = team_of(c);
  auto found = co_await std::move(reading);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  const auto* member = std::get<team>(found).find(user->id);
  invited_view view{frame_of(c, member_place::team), typed.email.value, *role, {}, {}};
  // Whoever has a password signs in with it: a link by which a stranger sets another one is not made.
  if (!member || !member->has_password) {
    const auto link = make_invitation(c.visit->who->id, user->id, typed.email.value, shared.clock.now());
    view.url = invitation_url(link, shared.portal_url, shared.invitation_key);
    view.until = shown(c, link.expires);
  }
  co_return invited_page(view);
}

boost::asio::awaitable<response> change_member(call& c, operator_command wanted, save_audit note,
                                               std::string_view verb) {
  auto changing = change(c, std::move(wanted), std::move(note));
  auto made = co_await std::move(changing);
  if (auto* page = std::get_if<response>(&made)) co_return std::move(*page);
  const auto* why = std::get_if<operator_problem>(&std::get<operator_result>(made));
  if (!why) co_return went_well(c, verb);
  if (why->what == operator_problem::kind::not_found) co_return error_page(page_error::nothing_here);
  auto refusing = team_refused(c, {}, "The last owner stays. Make somebody else an owner first.");
  co_return co_await std::move(refusing);
}

boost::asio::awaitable<response> change_role_here(call& c) {
  const user_id user{c.visit->sent.text("user_id")};
  const auto role = parse_member_role(c.visit->sent.text("role"));
  if (!role) return team_refused(c, {}, "Choose a role.");
  return change_member(c, gateway::change_role{c.visit->who->id, user, *role},
                       note_of(c, "role " + std::string{to_string(*role)}, user.value), "role");
}

boost::asio::awaitable<response> remove_here(call& c) {
  const user_id user{c.visit->sent.text("user_id")};
  return change_member(c, gateway::remove_member{c.visit->who->id, user}, note_of(c, "remove member", user.value),
                       "remove");
}

}  // namespace

boost::asio::awaitable<response> show_team(call& c) { return team_screen(c, {}, {}); }

boost::asio::awaitable<response> act_on_team(call& c) {
  const auto action = c.visit->sent.text("action");
  if (action == "invite") return invite_here(c);
  if (action == "role") return change_role_here(c);
  if (action == "remove") return remove_here(c);
  return unknown_action();
}

}  // namespace gateway::http
