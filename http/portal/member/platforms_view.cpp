#include "platforms_view.hpp"

#include <utility>

#include "http/portal/scope_words.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

bool stands(const grant_row& row) noexcept { return row.revoked_at.text.empty(); }

facts grant_facts(const grant_row& row) {
  facts shown;
  pieces may;
  for (const auto& words : scope_table)
    if (row.scopes.permits(words.value))
      may.emplace_back(described{std::string{words.title}, std::string{words.detail}});
  shown.rows.push_back({stands(row) ? "It may" : "It could", std::move(may)});
  add_fact(shown, "Given", row.given_at);
  add_fact(shown, "Given by", row.given_by);
  add_fact(shown, "Ended", row.revoked_at);
  add_fact(shown, "Ended by", row.revoked_by);
  add_fact(shown, "Reason", row.reason);
  shown.rows.push_back({"Grant", {code{row.grant_id}}});
  return shown;
}

act_form revoke_form(const member_frame& frame, const grant_row& row) {
  auto form = act_form_of(frame, "revoke-" + row.grant_id);
  form.hidden.push_back({"grant_id", row.grant_id});
  form.inputs = {
      {input_kind::text, "reason", "Reason", "The platform receives it. Optional.", row.revoke_reason, {}, most_typed}};
  form.buttons.push_back({"revoke", "Revoke"});
  form.folded = "Revoke: it can no longer act for you, at once";
  form.about = "what " + row.platform + " may do";
  return form;
}

}  // namespace

response platforms_page(const platforms_view& view) {
  member_page page;
  page.title = "Platforms";
  if (view.rows.empty())
    page.sections.push_back({"none",
                             {},
                             {empty_state{"No platform acts for you",
                                          "A platform asks you for it, on a page of its own that leads you here. What "
                                          "you agreed to is then listed here, and ends when you want.",
                                          {}}}});
  for (const auto& row : view.rows) {
    section of{row.grant_id, row.platform, {}};
    of.blocks.push_back(paragraph{{stands(row) ? badge{"Acts for you", tone::good} : badge{"Ended", tone::neutral}}});
    of.blocks.push_back(grant_facts(row));
    if (may_act(view.frame) && stands(row)) of.blocks.push_back(revoke_form(view.frame, row));
    page.sections.push_back(std::move(of));
  }
  return member_response(view.frame, page);
}

}  // namespace gateway::http
