#include "team_view.hpp"

#include <utility>

namespace gateway::http {

using namespace blocks;

namespace {

std::string role_name(member_role role) { return role == member_role::owner ? "Owner" : "Viewer"; }

input role_input(input_kind kind, std::string_view chosen, std::string fault) {
  input made{kind, "role", "Role", {}, {{}, std::move(fault)}, {}};
  made.options = {{"viewer", "Viewer", "Sees everything, changes nothing.", chosen == "viewer"},
                  {"owner", "Owner", "Can do everything: keys, refunds, the team.", chosen == "owner"}};
  return made;
}

act_form invite_form_of(const team_view& view) {
  auto form = act_form_of(view.frame, {});
  form.fault = view.invite.fault;
  form.inputs = {{input_kind::email, "email", "E-mail address", {}, view.invite.email, {}, 320, true},
                 role_input(input_kind::radios, view.invite.role.value, view.invite.role.fault)};
  form.buttons.push_back({"invite", "Invite", true});
  return form;
}

/// The last owner can be neither removed nor demoted.
pieces member_acts(const member_frame& frame, const team_row& row) {
  if (row.pending) return {act_button(frame, "remove", "Remove", row.email, {{"user_id", row.user_id}})};
  if (row.last_owner) return {std::string{"The last owner stays"}};
  auto role = act_form_of(frame, "role-" + row.user_id);
  role.hidden.push_back({"user_id", row.user_id});
  role.inputs = {role_input(input_kind::choice, to_string(row.role), {})};
  role.buttons.push_back({"role", "Change role"});
  role.about = "of " + row.email;
  role.folded = "Change";
  return {std::move(role), act_button(frame, "remove", "Remove", row.email, {{"user_id", row.user_id}})};
}

table team_table(const team_view& view) {
  const bool acts = may_act(view.frame);
  table list{"Team", {{"Person"}, {"Role"}, {"State"}, {"Since"}}, {}};
  if (acts) list.columns.push_back({"Change"});
  for (const auto& row : view.rows) {
    std::vector<pieces> cells{{row.email},
                              {role_name(row.role)},
                              {row.invited ? badge{"Invited", tone::waiting} : badge{"Active", tone::good}},
                              {row.joined_at}};
    if (row.is_self) cells.front().emplace_back(badge{"You", tone::neutral});
    if (acts) cells.push_back(member_acts(view.frame, row));
    list.rows.push_back(std::move(cells));
  }
  return list;
}

}  // namespace

response team_page(const team_view& view) {
  member_page page;
  page.title = "Team";
  page.sections.push_back({"people", "People", {team_table(view)}});
  if (may_act(view.frame)) page.sections.push_back({"invite", "Invite somebody", {invite_form_of(view)}});
  return member_response(view.frame, page);
}

response invited_page(const invited_view& view) {
  member_page page;
  page.title = "Invited";
  page.up = member_link(view.frame, "Team", "team");
  facts shown;
  add_fact(shown, "E-mail address", view.email);
  add_fact(shown, "Role", role_name(view.role));
  section of{"invited", {}, {}};
  if (view.mailed) {
    of.blocks.push_back(
        callout{tone::good, "A mail with the link goes to " + view.email,
                "Somebody who has a password can also accept on their account page. If no mail arrives, invite "
                "this person again, or ask the operator."});
  } else if (view.unread) {
    of.blocks.push_back(callout{tone::waiting, view.email + " is invited, and the link could not be shown",
                                "The gateway is busy. Invite this person again in a moment to see the link."});
  } else if (view.url.empty()) {
    of.blocks.push_back(
        callout{tone::waiting, "No link is shown for " + view.email,
                "The gateway knows this address already. Somebody who has a password signs in and accepts on "
                "the page Account. Else the operator must invite: ask them to."});
  } else {
    of.blocks.push_back(callout{tone::waiting, "Send this link to " + view.email,
                                "It is shown this once, and anyone who has it can accept with it. Nothing is sent by "
                                "itself."});
    of.blocks.push_back(secret{"Link", {view.url}});
  }
  add_fact(shown, "Valid until", view.until);
  of.blocks.push_back(std::move(shown));
  of.blocks.push_back(pager{"Further", {member_link(view.frame, "Back to the team", "team")}});
  page.sections.push_back(std::move(of));
  return member_response(view.frame, page);
}

}  // namespace gateway::http
