#include "disputes_view.hpp"

#include <utility>

namespace gateway::http {

using namespace blocks;

namespace {

act_form dispute_filter(const disputes_view& view) {
  act_form form;
  form.asks = true;
  input status{input_kind::choice, "status", "Status", {}, {}, {}};
  status.options.push_back({"", "Any", {}, view.status.empty()});
  for (const auto each : {dispute_status::warning, dispute_status::needs_response, dispute_status::under_review,
                          dispute_status::won, dispute_status::lost}) {
    const std::string name{to_string(each)};
    status.options.push_back({name, dispute_badge(each).text, {}, view.status == name});
  }
  form.inputs = {std::move(status)};
  form.buttons.push_back({{}, "Show", true});
  if (!view.status.empty()) form.links.push_back(member_link(view.frame, "Show all", "disputes"));
  return form;
}

empty_state no_disputes(const disputes_view& view) {
  if (!view.status.empty())
    return {"Nothing matches", "No dispute has this status.", member_link(view.frame, "Show all", "disputes")};
  return {"No disputes",
          "A dispute appears here when a cardholder's bank asks for a payment back, with the day by which evidence is "
          "due.",
          member_link(view.frame, "Payments", "payments")};
}

}  // namespace

response disputes_page(const disputes_view& view) {
  member_page page;
  page.title = "Disputes";
  page.sections.push_back({"filter", {}, {dispute_filter(view)}});
  section found{"disputes", {}, {}};
  if (view.rows.empty()) {
    found.blocks.push_back(no_disputes(view));
  } else {
    found.blocks.push_back(paragraph{{"Evidence is sent at the payment provider, in its dashboard."}});
    found.blocks.push_back(dispute_table(view.frame, view.rows, dispute_context::of_merchant));
  }
  auto ways = list_pager(member_url(view.frame, "disputes"), {{"status", view.status}}, view.older, view.at_newest);
  if (!ways.links.empty()) found.blocks.push_back(std::move(ways));
  page.sections.push_back(std::move(found));
  return member_response(view.frame, page);
}

}  // namespace gateway::http
