#include "payments_view.hpp"

#include <utility>

#include "gateway/domain/payment.hpp"
#include "gateway/domain/url.hpp"
#include "payment_view.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

bool is_filtered(const payments_view& view) noexcept {
  return !(view.q.value.empty() && view.state.empty() && view.from.value.empty() && view.until.value.empty() &&
           view.currency.value.empty());
}

std::vector<hidden_field> query_of_payments(const payments_view& view) {
  return {{"q", view.q.value},
          {"state", view.state},
          {"from", view.from.value},
          {"until", view.until.value},
          {"currency", view.currency.value},
          {"zone", view.zone}};
}

input text_filter(input_kind kind, std::string name, std::string label, const field& now, std::size_t most) {
  input made{kind, std::move(name), std::move(label), {}, now, {}, most};
  return made;
}

act_form filter_form(const payments_view& view) {
  act_form form;
  form.asks = true;
  if (!view.state.empty()) form.hidden.push_back({"state", view.state});
  if (!view.zone.empty()) form.hidden.push_back({"zone", view.zone});
  form.inputs = {text_filter(input_kind::search, "q", "Search", view.q, most_typed),
                 text_filter(input_kind::text, "currency", "Currency", view.currency, 3),
                 text_filter(input_kind::date, "from", "From", view.from, 0),
                 text_filter(input_kind::date, "until", "Until", view.until, 0)};
  form.inputs[0].hint = "Amount, customer, e-mail, description, order number, payment id or provider reference.";
  form.inputs[1].hint = "Such as HKD.";
  if (!view.zone.empty()) form.inputs[3].hint = "Days in UTC, as on the overview.";
  form.buttons.push_back({{}, "Show", true});
  if (is_filtered(view)) form.links.push_back(member_link(view.frame, "Show all", "payments"));
  return form;
}

/// A tab keeps the search and the filter, and starts at the newest payment.
tabs state_tabs(const payments_view& view) {
  tabs made{"State", {}};
  const auto add = [&](std::string text, std::string count, const std::string& state) {
    auto query = query_of_payments(view);
    query[1].value = state;
    made.items.push_back({std::move(text), std::move(count), with_query(member_url(view.frame, "payments"), query),
                          view.state == state});
  };
  add("All", {}, {});
  for (const auto& each : view.tabs) add(payment_badge(each.state).text, each.count, each.state);
  return made;
}

table payment_table(const payments_view& view) {
  table rows{"Payments, newest first",
             {{"Payment"}, {"Amount", true}, {"Customer"}, {"State"}, {"Failure"}, {"Created"}},
             {},
             true};
  for (const auto& row : view.rows)
    rows.rows.push_back({{member_link(view.frame, row.payment_id, "payments/" + percent_encoded(row.payment_id))},
                         {row.amount},
                         {row.customer},
                         {payment_badge(row.state)},
                         {row.failure},
                         {row.created_at}});
  return rows;
}

empty_state no_payments(const payments_view& view) {
  if (is_filtered(view))
    return {"Nothing matches", "No payment matches. Search for less, or look at all payments.",
            member_link(view.frame, "Show all", "payments")};
  return {"No payments yet", "They appear here as soon as a program makes one with a key of yours.",
          member_link(view.frame, "Keys", "keys")};
}

pager ways_of_payments(const payments_view& view) {
  auto query = query_of_payments(view);
  auto ways = list_pager(member_url(view.frame, "payments"), query, view.older, view.at_newest);
  if (view.rows.empty()) return ways;
  // The file of a search covers the payments that this page has searched.
  if (!view.searched.empty()) query.push_back({"cursor", view.cursor});
  ways.links.push_back({"Download as CSV", with_query(member_url(view.frame, payments_csv), query)});
  return ways;
}

}  // namespace

response payments_page(const payments_view& view) {
  member_page page;
  page.title = "Payments";
  page.sections.push_back({"filter", {}, {filter_form(view)}});
  section found{"payments", {}, {}};
  if (!view.tabs.empty()) found.blocks.push_back(state_tabs(view));
  if (!view.searched.empty()) found.blocks.push_back(paragraph{{view.searched}});
  if (view.rows.empty()) {
    found.blocks.push_back(no_payments(view));
  } else {
    found.blocks.push_back(payment_table(view));
  }
  auto ways = ways_of_payments(view);
  if (!ways.links.empty()) found.blocks.push_back(std::move(ways));
  page.sections.push_back(std::move(found));
  return member_response(view.frame, page);
}

}  // namespace gateway::http
