#include "audit_view.hpp"

#include <utility>

namespace gateway::http {

using namespace blocks;

response member_audit_page(const member_audit_view& view) {
  member_page page;
  page.title = "Audit log";
  section of{"audit", {}, {}};
  if (view.rows.empty()) {
    of.blocks.push_back(empty_state{
        "Nothing yet", "Each change that one of you makes is listed here: when, who, what, and from where.", {}});
  } else {
    table list{"Changes, the newest first", {{"When"}, {"Who"}, {"What"}, {"Mode"}, {"From"}}, {}};
    for (const auto& row : view.rows) {
      pieces what{in_sentence_case(row.what)};
      if (!row.about.empty()) what.emplace_back(code{row.about});
      list.rows.push_back({{row.at}, {row.who}, std::move(what), {row.mode}, {code{row.address}}});
    }
    of.blocks.push_back(std::move(list));
  }
  auto ways = list_pager(member_url(view.frame, "audit"), {}, view.older, view.at_newest);
  if (!ways.links.empty()) of.blocks.push_back(std::move(ways));
  page.sections.push_back(std::move(of));
  return member_response(view.frame, page);
}

}  // namespace gateway::http
