#include "audit_view.hpp"

#include <utility>

namespace gateway::http {

using namespace blocks;

namespace {

bool is_filtered(const member_audit_view& view) noexcept {
  return !(view.person.empty() && view.kind.empty() && view.from.value.empty() && view.until.value.empty());
}

input audit_choice(std::string name, std::string label, std::string all, const std::string& chosen,
                   const std::vector<option>& among) {
  input made{input_kind::choice, std::move(name), std::move(label), {}, {}, {}};
  made.options.push_back({{}, std::move(all), {}, chosen.empty()});
  for (const auto& each : among) {
    made.options.push_back(each);
    made.options.back().chosen = each.value == chosen;
  }
  return made;
}

act_form audit_filter_form(const member_audit_view& view) {
  act_form form;
  form.asks = true;
  form.inputs = {audit_choice("person", "Who", "Everyone", view.person, view.people),
                 audit_choice("kind", "What", "Any change", view.kind, view.kinds),
                 {input_kind::date, "from", "From", {}, view.from, {}},
                 {input_kind::date, "until", "Until", {}, view.until, {}}};
  form.buttons.push_back({{}, "Show", true});
  if (is_filtered(view)) form.links.push_back(member_link(view.frame, "Show all", "audit"));
  return form;
}

block audit_rows(const member_audit_view& view) {
  if (view.rows.empty() && is_filtered(view))
    return empty_state{"Nothing matches", "No change matches. Search for less, or look at all changes.",
                       member_link(view.frame, "Show all", "audit")};
  if (view.rows.empty())
    return empty_state{
        "Nothing yet", "Each change that one of you makes is listed here: when, who, what, and from where.", {}};
  table list{"Changes, newest first", {{"When"}, {"Who"}, {"What"}, {"Mode"}, {"From"}}, {}};
  for (const auto& row : view.rows) {
    pieces what{row.what};
    if (!row.about.empty()) what.emplace_back(code{row.about});
    list.rows.push_back({{row.at}, {row.who}, std::move(what), {row.mode}, {code{row.address}}});
  }
  return list;
}

}  // namespace

response member_audit_page(const member_audit_view& view) {
  member_page page;
  page.title = "Audit log";
  page.sections.push_back({"filter", {}, {audit_filter_form(view)}});
  section of{"audit", {}, {}};
  if (!view.searched.empty()) of.blocks.push_back(paragraph{{view.searched}});
  of.blocks.push_back(audit_rows(view));
  auto ways =
      list_pager(member_url(view.frame, "audit"),
                 {{"person", view.person}, {"kind", view.kind}, {"from", view.from.value}, {"until", view.until.value}},
                 view.older, view.at_newest);
  if (!ways.links.empty()) of.blocks.push_back(std::move(ways));
  page.sections.push_back(std::move(of));
  return member_response(view.frame, page);
}

}  // namespace gateway::http
