#include "keys_view.hpp"

#include <utility>

#include "gateway/directory/commands.hpp"
#include "http/portal/scope_words.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

bool holds(scope_set set, scope one) noexcept { return (set.bits & static_cast<std::uint32_t>(one)) != 0; }

act_form mint_form_of(const keys_view& view) {
  auto form = act_form_of(view.frame, "mint");
  form.inputs.push_back({input_kind::text,
                         "name",
                         "Name",
                         "What the key is for, such as the program that uses it. Optional.",
                         view.mint.name,
                         {},
                         most_key_name});
  input scopes{input_kind::checks, "scopes", "What the key may do", {}, {{}, view.mint.fault}, {}};
  for (const auto& row : scope_table)
    scopes.options.push_back({to_string(scope_set{static_cast<std::uint32_t>(row.value)}), std::string{row.title},
                              std::string{row.detail}, holds(view.mint.chosen, row.value)});
  form.inputs.push_back(std::move(scopes));
  form.buttons.push_back({"mint", "Create key", true});
  return form;
}

table key_table(const keys_view& view) {
  const bool acts = may_act(view.frame);
  table list{"Keys", {{"Key"}, {"Scopes"}, {"State"}, {"Created"}, {"Created by"}, {"Last used"}}, {}};
  if (acts) list.columns.push_back({"Action"});
  for (const auto& row : view.rows) {
    pieces key{code{row.key_id}};
    if (!row.name.empty()) key.emplace(key.begin(), row.name);
    std::vector<pieces> cells{std::move(key),
                              {code{to_string(row.scopes)}},
                              {row.revoked ? badge{"Revoked", tone::neutral} : badge{"Active", tone::good}},
                              {row.created_at},
                              {row.created_by},
                              {row.last_used_on.text.empty() ? piece{"Never"} : piece{row.last_used_on}}};
    if (acts && !row.revoked)
      cells.push_back({act_button(view.frame, "revoke", "Revoke", "key " + row.key_id, {{"key_id", row.key_id}})});
    list.rows.push_back(std::move(cells));
  }
  return list;
}

}  // namespace

response keys_page(const keys_view& view) {
  member_page page;
  page.title = "Keys";
  section keys{"keys", "Your keys", {}};
  if (view.rows.empty()) {
    keys.blocks.push_back(empty_state{
        "No keys yet",
        may_act(view.frame) ? "A program signs its requests with a key. Create one below, and give it to the "
                              "program together with its secret."
                            : "A program signs its requests with a key. An owner can create one.",
        {}});
  } else {
    keys.blocks.push_back(key_table(view));
  }
  page.sections.push_back(std::move(keys));
  if (may_act(view.frame)) page.sections.push_back({"mint", "Create a key", {mint_form_of(view)}});
  return member_response(view.frame, page);
}

response minted_key_page(const minted_key_view& view) {
  member_page page;
  page.title = "The key is created";
  page.up = member_link(view.frame, "Keys", "keys");
  facts shown;
  add_fact(shown, "Name", view.name);
  shown.rows.push_back({"Key", {code{view.key_id}}});
  shown.rows.push_back({"Scopes", {code{to_string(view.scopes)}}});
  page.sections.push_back({"minted",
                           {},
                           {callout{tone::waiting, "Copy the secret now",
                                    "It is shown this once. If it is lost, revoke the key and create another."},
                            secret{"Secret", {view.secret}}, std::move(shown),
                            pager{"Further", {member_link(view.frame, "I have copied it", "keys")}}}});
  return member_response(view.frame, page);
}

}  // namespace gateway::http
