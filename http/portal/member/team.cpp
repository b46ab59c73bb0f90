#include <algorithm>
#include <optional>
#include <utility>

#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/codec/decode.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/as_member.hpp"
#include "http/portal/confirmation.hpp"
#include "http/portal/invitation_link.hpp"
#include "http/portal/member_page.hpp"
#include "team_view.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_address_bytes = 320;

struct team {
  std::vector<stored_user> users;
  std::vector<stored_membership> members;  ///< oldest first
  std::vector<stored_invitation> pending;  ///< by owners, not accepted yet

  const stored_user* find(const user_id& id) const {
    const auto at = std::ranges::find(users, id, &stored_user::id);
    return at == users.end() ? nullptr : &*at;
  }
};

boost::asio::awaitable<std::variant<team, response>> team_of(call& c) {
  auto reading = entries_of_merchant(c);
  auto found = co_await std::move(reading);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto& rows = std::get<directory_lookup>(found);
  std::erase_if(rows.invitations, [now = c.here.shared.clock.now()](const stored_invitation& each) {
    return each.by != invited_by::owner || each.expires <= now;
  });
  co_return team{std::move(rows.users), std::move(rows.memberships), std::move(rows.invitations)};
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
  const auto row_of = [&](const auto& each) {
    std::optional<team_row> row;
    if (const auto* user = there->find(each.user)) {
      row.emplace();
      row->user_id = user->id.value;
      row->email = user->email;
      row->role = each.role;
      row->invited = !user->has_password;
      row->joined_at = shown(c, each.created_at);
    }
    return row;
  };
  for (const auto& each : there->members)
    if (auto row = row_of(each)) {
      row->is_self = each.user == c.visit->person.who.user;
      row->last_owner = owners == 1 && each.role == member_role::owner;
      view.rows.push_back(*std::move(row));
    }
  for (const auto& each : there->pending)
    if (auto row = row_of(each)) {
      row->invited = row->pending = true;
      view.rows.push_back(*std::move(row));
    }
  co_return team_page(view);
}

boost::asio::awaitable<response> team_refused(call& c, invite_form invite, std::string fault) {
  auto showing = team_screen(c, std::move(invite), std::move(fault));
  auto page = co_await std::move(showing);
  co_return refused_form(std::move(page));
}

boost::asio::awaitable<response> invite_here(call& c) {
  const auto& shared = c.here.shared;
  invite_form typed{{c.visit->sent.text("email"), {}}, {c.visit->sent.text("role"), {}}};
  const auto role = parse_member_role(typed.role.value);
  if (!role) typed.role.fault = "Choose a role.";
  if (!looks_like_email(typed.email.value) || typed.email.value.size() > most_address_bytes)
    typed.email.fault = "Enter an e-mail address.";
  if (!typed.role.fault.empty() || !typed.email.fault.empty()) {
    auto refusing = team_refused(c, std::move(typed), {});
    co_return co_await std::move(refusing);
  }
  invite_user wanted{c.visit->who->id, typed.email.value, role, invited_by::owner};
  auto changing = change(c, std::move(wanted), note_of(c, "invite " + typed.role.value, typed.email.value));
  auto made = co_await std::move(changing);
  if (auto* page = std::get_if<response>(&made)) co_return std::move(*page);
  const auto& result = std::get<operator_result>(made);
  const auto* invited = std::get_if<invited_user>(&result);
  if (!invited) {
    const auto* why = std::get_if<operator_problem>(&result);
    const auto is_about = [why](std::string_view words) { return why && why->words.starts_with(words); };
    typed.email.fault = is_about("too many invitations today") ? "Too many people were invited today. Go on tomorrow."
                        : is_about("too many") ? "Too many invitations wait to be accepted. Remove some first."
                                               : "This person is one of the team already.";
    auto refusing = team_refused(c, std::move(typed), {});
    co_return co_await std::move(refusing);
  }
  // The mail was queued in the commit of the invitation.
  if (shared.mails) {
    invited_view mailed{frame_of(c, member_place::team), typed.email.value, *role, {}, shown(c, invited->expires)};
    mailed.mailed = true;
    co_return invited_page(mailed);
  }
  // Read after the commit: if two merchants invite a new address at once, at least one of them sees the other's
  // invitation.
  auto looking = ask(c.here, find_invitations{invited->id});
  const auto person = co_await std::move(looking);
  invited_view view{frame_of(c, member_place::team), typed.email.value, *role, {}, shown(c, invited->expires), !person};
  if (person && is_new_address(*person, c.visit->who->id, shared.clock.now())) {
    const invitation link{c.visit->who->id, invited->id, typed.email.value, invited->invitation, invited->expires};
    view.url = invitation_url(link, shared.portal_url, shared.invitation_key);
  }
  co_return invited_page(view);
}

boost::asio::awaitable<response> change_member(call& c, operator_command wanted, save_audit note,
                                               std::string_view verb) {
  auto changing = change(c, std::move(wanted), std::move(note));
  auto made = co_await std::move(changing);
  if (auto* page = std::get_if<response>(&made)) co_return std::move(*page);
  const auto* why = std::get_if<operator_problem>(&std::get<operator_result>(made));
  if (!why) co_return redirect_after_success(c, verb);
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

boost::asio::awaitable<response> ask_to_remove(call& c, user_id user) {
  auto reading = team_of(c);
  const auto found = co_await std::move(reading);
  if (const auto* page = std::get_if<response>(&found)) co_return *page;
  const auto& all = std::get<team>(found);
  const bool is_member = std::ranges::count(all.members, user, &stored_membership::user) > 0;
  const bool is_invited = std::ranges::count(all.pending, user, &stored_invitation::user) > 0;
  const auto* who = is_member || is_invited ? all.find(user) : nullptr;
  if (!who) co_return error_page(page_error::nothing_here);
  confirmation asked{.at = member_place::team, .verb = "remove", .object = user.value};
  asked.title = "Remove " + who->email + '?';
  asked.consequence = is_member ? "This person sees and changes nothing of this merchant from then on, unless an owner "
                                  "invites them again."
                                : "The invitation ends, and its link does not work any more.";
  asked.label = is_member ? "Remove the person" : "End the invitation";
  asked.back = {"Back to the team", page_address(c.here.shared, *c.visit, "team")};
  asked.hidden = {{"user_id", user.value}};
  co_return confirmation_page(c, asked);
}

/// Removes a member or a pending invitation.
boost::asio::awaitable<response> remove_here(call& c) {
  const user_id user{c.visit->sent.text("user_id")};
  const auto& merchant = c.visit->who->id;
  if (!is_confirmed(c, "remove", user.value)) {
    auto asking = ask_to_remove(c, user);
    co_return co_await std::move(asking);
  }
  auto withdrawing = change(c, withdraw_invitation{merchant, user}, note_of(c, "withdraw invitation", user.value));
  auto withdrawn = co_await std::move(withdrawing);
  if (auto* page = std::get_if<response>(&withdrawn)) co_return std::move(*page);
  if (std::holds_alternative<added_user>(std::get<operator_result>(withdrawn)))
    co_return redirect_after_success(c, "remove");
  auto removing =
      change_member(c, gateway::remove_member{merchant, user}, note_of(c, "remove member", user.value), "remove");
  co_return co_await std::move(removing);
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
