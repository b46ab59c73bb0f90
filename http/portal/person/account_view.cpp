#include "account_view.hpp"

#include <utility>

namespace gateway::http {

using namespace blocks;

namespace {

std::string account_path(const member_frame& frame) { return frame.portal + "/account"; }

input present_password(std::string fault) {
  return {input_kind::password, "password", "Current password", {}, {{}, std::move(fault)}, {}, 1024, true};
}

/// Links to the merchants of a person who has several.
section merchants_section(const member_frame& frame) {
  list ways;
  for (const auto& to : frame.merchants)
    ways.items.push_back({link{to.name, merchant_url(frame, to.id, environment::live)}});
  return {"merchants", "Your merchants", {std::move(ways)}};
}

section invitations_section(const account_view& view) {
  table list{"Invitations", {{"Merchant"}, {"Role"}, {"Valid until"}, {"Accept"}}, {}};
  for (const auto& row : view.invitations) {
    std::vector<pieces> cells{{row.merchant}, {row.role}, {row.until}};
    if (row.distrusted)
      cells.push_back(
          {std::string{"The operator must invite you: another merchant's owner was shown the link that set "
                       "your password"}});
    else
      cells.push_back({act_button(view.frame, "accept", "Accept", "the invitation of " + row.merchant,
                                  {{"merchant_id", row.merchant_id}})});
    list.rows.push_back(std::move(cells));
  }
  return {"invitations", "You are invited", {std::move(list)}};
}

section password_section(const account_view& view) {
  auto form = act_form_of(view.frame, {});
  form.inputs = {present_password(view.password.password_fault),
                 {input_kind::new_password,
                  "new_password",
                  "New password",
                  "At least 12 characters. Several words are easier to remember than symbols.",
                  {{}, view.password.new_password_fault},
                  {},
                  1024,
                  true}};
  form.buttons.push_back({"set-password", "Change the password", true});
  return {"password-section",
          "Password",
          {paragraph{{std::string{"Changing it signs you out everywhere else."}}}, std::move(form)}};
}

act_form by_password(const account_view& view, std::string id, std::string action, std::string label,
                     std::string folded, const std::string& fault) {
  auto form = act_form_of(view.frame, std::move(id));
  form.inputs = {present_password(fault)};
  form.buttons.push_back({std::move(action), std::move(label)});
  form.folded = std::move(folded);
  return form;
}

section factor_section(const account_view& view) {
  section of{"second-factor", "Second factor", {}};
  if (!view.second_factor) {
    of.blocks.push_back(paragraph{{badge{"Off", tone::neutral}}});
    of.blocks.push_back(paragraph{{std::string{
        "With a second factor no one can sign in with your password alone: a code from an app on your phone is asked "
        "for as well."}}});
    of.blocks.push_back(by_password(view, "enable", "second-factor-on", "Set up a second factor",
                                    "Turn on: the next page has the secret for your app", view.enable_fault));
    return of;
  }
  const auto left = view.recovery_codes_left;
  of.blocks.push_back(paragraph{{badge{"On", tone::good}}});
  of.blocks.push_back(paragraph{
      {left == 1 ? std::string{"1 recovery code is left."} : std::to_string(left) + " recovery codes are left."}});
  of.blocks.push_back(by_password(view, "codes", "new-recovery-codes", "Get new recovery codes",
                                  "New recovery codes: the old ones end", view.recovery_codes_fault));
  of.blocks.push_back(by_password(view, "disable", "second-factor-off", "Turn the second factor off",
                                  "Turn off: the password alone signs you in", view.disable_fault));
  return of;
}

section zone_section(const account_view& view) {
  auto form = act_form_of(view.frame, {});
  input zone{input_kind::choice, "zone", "Time zone", "All times that you see are in it.", view.zone, {}};
  for (const auto& name : view.zones) zone.options.push_back({name, name, {}, name == view.zone.value});
  form.inputs.push_back(std::move(zone));
  form.buttons.push_back({"set-zone", "Save"});
  return {"time-zone", "Time zone", {std::move(form)}};
}

section sessions_section(const account_view& view) {
  table list{"Sessions", {{"Started"}, {"Browser"}, {"From"}, {"Last used"}, {"Action"}}, {}};
  for (const auto& row : view.sessions) {
    std::vector<pieces> cells{{row.began_at},
                              {row.browser.empty() ? std::string{"Unknown"} : row.browser},
                              {row.address.empty() ? piece{"Unknown"} : piece{code{row.address}}},
                              {row.used_at}};
    if (row.is_this)
      cells.push_back({badge{"This one", tone::good}});
    else
      cells.push_back({act_button(view.frame, "end-session", "End", "the session that began " + row.began_at.text,
                                  {{"session_id", row.session_id}})});
    list.rows.push_back(std::move(cells));
  }
  section of{"sessions", "Where you are signed in", {std::move(list)}};
  if (view.sessions.size() > 1) of.blocks.push_back(act_button(view.frame, "end-other-sessions", "End all others", {}));
  return of;
}

section audit_section(const account_view& view) {
  section of{"audit", "What was done in your name", {}};
  if (view.audit.empty()) {
    of.blocks.push_back(
        empty_state{"Nothing yet", "Each change that you make is listed here: when, from where, what.", {}});
  } else {
    table list{"Changes, newest first", {{"When"}, {"What"}, {"Merchant"}, {"From"}}, {}};
    for (const auto& row : view.audit)
      list.rows.push_back(
          {{row.at}, {in_sentence_case(row.what), code{row.about}}, {row.merchant}, {code{row.address}}});
    of.blocks.push_back(std::move(list));
  }
  auto ways = list_pager(account_path(view.frame), {}, view.older, view.at_newest);
  if (!ways.links.empty()) of.blocks.push_back(std::move(ways));
  return of;
}

}  // namespace

response account_page(const account_view& view) {
  member_page page;
  page.title = "Account";
  if (view.frame.merchants.size() > 1) page.sections.push_back(merchants_section(view.frame));
  if (!view.invitations.empty()) page.sections.push_back(invitations_section(view));
  for (auto* part : {password_section, factor_section, zone_section, sessions_section, audit_section})
    page.sections.push_back(part(view));
  return member_response(view.frame, page);
}

response second_factor_page(const second_factor_view& view) {
  auto form = act_form_of(view.frame, {});
  form.hidden = view.hidden;
  form.inputs = {{input_kind::code, "code", "Code", "The six digits that the app shows now.", view.code, {}, 16, true}};
  form.buttons.push_back({"confirm-second-factor", "Turn it on", true});
  form.links.push_back({"Cancel", account_path(view.frame)});
  member_page page;
  page.title = "Set up a second factor";
  page.up = {"Account", account_path(view.frame)};
  page.sections.push_back({"learn",
                           "1. Add the account to your app",
                           {own_markup{view.qr_svg, "Scan this with an authenticator app."},
                            secret{"Or type this secret into it", {view.secret}}}});
  page.sections.push_back({"confirm", "2. Enter the code that it shows", {std::move(form)}});
  return member_response(view.frame, page);
}

response recovery_codes_page(const recovery_codes_view& view) {
  member_page page;
  page.title = "Your recovery codes";
  page.up = {"Account", account_path(view.frame)};
  page.sections.push_back(
      {"codes",
       {},
       {callout{tone::waiting, "Keep these codes now",
                "They are shown this once. Each signs you in one time if you have lost your phone. "
                "Print them, or put them into your password manager."},
        secret{"Recovery codes", view.codes}, pager{"Further", {{"I have kept them", account_path(view.frame)}}}}});
  return member_response(view.frame, page);
}

}  // namespace gateway::http
