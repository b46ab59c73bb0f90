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
          {"currency", view.currency.value}};
}

input text_filter(input_kind kind, std::string name, std::string label, const field& now, std::size_t most) {
  input made{kind, std::move(name), std::move(label), {}, now, {}, most};
  return made;
}

input state_filter(const std::string& chosen) {
  input made{input_kind::choice, "state", "State", {}, {}, {}};
  made.options.push_back({"", "Any", {}, chosen.empty()});
  for (const auto state :
       {payment_state::created, payment_state::processing, payment_state::authorized, payment_state::captured,
        payment_state::partially_refunded, payment_state::refunded, payment_state::failed, payment_state::voided}) {
    const std::string name{to_string(state)};
    made.options.push_back({name, payment_badge(name).text, {}, chosen == name});
  }
  return made;
}

act_form filter_form(const payments_view& view) {
  act_form form;
  form.asks = true;
  form.inputs = {text_filter(input_kind::search, "q", "Find", view.q, most_typed), state_filter(view.state),
                 text_filter(input_kind::text, "currency", "Currency", view.currency, 3),
                 text_filter(input_kind::date, "from", "From", view.from, 0),
                 text_filter(input_kind::date, "until", "Until", view.until, 0)};
  form.inputs[0].hint = "A payment's id, or the provider's reference.";
  form.inputs[2].hint = "Such as HKD.";
  form.buttons.push_back({{}, "Show", true});
  if (is_filtered(view)) form.links.push_back(member_link(view.frame, "Show all", "payments"));
  return form;
}

table payment_table(const payments_view& view) {
  table rows{"Payments, the newest first",
             {{"Payment"}, {"State"}, {"Amount", true}, {"Provider"}, {"Description"}, {"Created"}},
             {}};
  for (const auto& row : view.rows)
    rows.rows.push_back({{member_link(view.frame, row.payment_id, "payments/" + percent_encoded(row.payment_id))},
                         {payment_badge(row.state)},
                         {row.amount},
                         {row.provider, code{row.provider_ref}},
                         {row.description},
                         {row.created_at}});
  return rows;
}

empty_state no_payments(const payments_view& view) {
  if (is_filtered(view))
    return {"Nothing matches", "No payment is as you ask for. Ask for less, or look at all of them.",
            member_link(view.frame, "Show all", "payments")};
  return {"No payments yet", "They appear here as soon as a program makes one with a key of yours.",
          member_link(view.frame, "Keys", "keys")};
}

}  // namespace

response payments_page(const payments_view& view) {
  const auto query = query_of_payments(view);
  member_page page;
  page.title = "Payments";
  page.sections.push_back({"filter", {}, {filter_form(view)}});
  section found{"payments", {}, {}};
  if (view.rows.empty()) {
    found.blocks.push_back(no_payments(view));
  } else {
    found.blocks.push_back(payment_table(view));
  }
  auto ways = list_pager(member_url(view.frame, "payments"), query, view.older, view.at_newest);
  if (!view.rows.empty())
    ways.links.push_back({"Download as CSV", with_query(member_url(view.frame, payments_csv), query)});
  if (!ways.links.empty()) found.blocks.push_back(std::move(ways));
  page.sections.push_back(std::move(found));
  return member_response(view.frame, page);
}

}  // namespace gateway::http
