#include "subscriptions_view.hpp"

#include <utility>

#include "gateway/domain/url.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

table subscription_table(const subscriptions_view& view) {
  table rows{"Subscriptions",
             {{"Subscription"}, {"Price", true}, {"Customer"}, {"Status"}, {"Period ends"}, {"Created"}},
             {},
             true};
  for (const auto& row : view.rows)
    rows.rows.push_back(
        {{member_link(view.frame, row.subscription_id, "subscriptions/" + percent_encoded(row.subscription_id))},
         {row.price},
         {row.customer},
         {subscription_badge(row.status)},
         {row.period_end},
         {row.created_at}});
  return rows;
}

empty_state no_subscriptions(const member_frame& frame) {
  if (frame.env == environment::test)
    return {
        "Subscriptions are live only", "Platforms make subscriptions in live mode; there are none in test mode.", {}};
  return {"No subscriptions yet", "They appear here as soon as a platform opens a checkout for one.",
          member_link(frame, "Platforms", "platforms")};
}

section cancel_section(const subscription_view& view) {
  auto form = act_form_of(view.frame, "cancel");
  form.hidden.push_back({"key", view.cancel->key});
  form.buttons.push_back({"cancel", "Cancel the subscription"});
  form.fault = view.cancel->fault;
  form.folded = "Cancel: end it at the provider, at once and for good";
  return {"acts", "What you can do", {std::move(form)}};
}

section subscription_facts(const subscription_view& view) {
  facts listed;
  listed.rows.push_back({"Subscription", {code{view.of.subscription_id}}});
  if (!view.event_id.empty()) listed.rows.push_back({"Id in events", {code{view.event_id}}});
  add_fact(listed, "Price", view.of.price);
  add_fact(listed, "Description", view.description);
  add_fact(listed, "Trial", view.trial);
  add_fact(listed, "Period began", view.period_start);
  add_fact(listed, "Period ends", view.of.period_end);
  add_fact(listed, "Will be cancelled", view.cancel_at);
  add_fact(listed, "Cancelled", view.canceled_at);
  if (!view.of.customer.empty())
    listed.rows.push_back(
        {"Customer", {member_link(view.frame, view.of.customer, "customers/" + percent_encoded(view.customer_id))}});
  add_fact(listed, "Made by the platform", view.platform);
  add_fact(listed, "Provider", view.provider);
  if (!view.provider_id.empty()) listed.rows.push_back({"Provider reference", {code{view.provider_id}}});
  add_fact(listed, "Failure", view.failure);
  add_fact(listed, "Created", view.of.created_at);
  return {"facts", "The subscription", {std::move(listed)}};
}

section cycles_section(const subscription_view& view) {
  section of{"cycles", "Cycles", {}};
  if (view.cycles.empty()) {
    of.blocks.push_back(empty_state{"Nothing was billed yet", "Each paid or failed cycle appears here.", {}});
    return of;
  }
  table rows{"Cycles, newest first",
             {{"Billed"}, {"Amount", true}, {"Result"}, {"Period began"}, {"Period ends"}, {"Payment"}},
             {}};
  for (const auto& each : view.cycles) {
    pieces payment;
    if (!each.payment_id.empty())
      payment.push_back(member_link(view.frame, each.payment_id, "payments/" + percent_encoded(each.payment_id)));
    rows.rows.push_back({{each.at},
                         {each.amount},
                         {each.paid ? badge{"Paid", tone::good} : badge{"Failed", tone::bad}},
                         {each.period_start},
                         {each.period_end},
                         std::move(payment)});
  }
  of.blocks.push_back(std::move(rows));
  if (!view.of.customer.empty())
    of.blocks.push_back(pager{"Further",
                              {{"Search for the customer's payments",
                                with_query(member_url(view.frame, "payments"), {{"q", view.of.customer}})}}});
  return of;
}

section subscription_timeline(const subscription_view& view) {
  timeline shown;
  for (const auto& each : view.timeline) {
    event made{each.at, in_sentence_case(each.what), tone::neutral, {}};
    if (!each.status.empty()) made.text.emplace_back(badge{each.status, tone::neutral});
    if (!each.error_code.empty()) made.text.emplace_back(code{each.error_code});
    if (!each.message.empty()) made.text.emplace_back(each.message);
    shown.events.push_back(std::move(made));
  }
  return {"timeline", "Timeline", {std::move(shown)}};
}

}  // namespace

badge subscription_badge(subscription_status status) {
  switch (status) {
    case subscription_status::pending: return {"Pending", tone::waiting};
    case subscription_status::failed: return {"Failed", tone::bad};
    case subscription_status::incomplete: return {"Incomplete", tone::waiting};
    case subscription_status::trialing: return {"Trial", tone::good};
    case subscription_status::active: return {"Active", tone::good};
    case subscription_status::past_due: return {"Past due", tone::bad};
    case subscription_status::unpaid: return {"Unpaid", tone::bad};
    case subscription_status::paused: return {"Paused", tone::neutral};
    case subscription_status::incomplete_expired: return {"Expired", tone::neutral};
    case subscription_status::canceled: return {"Cancelled", tone::neutral};
  }
  return {};
}

response subscription_list_page(const subscriptions_view& view) {
  member_page page;
  page.title = "Subscriptions";
  section found{"subscriptions", {}, {}};
  if (view.rows.empty())
    found.blocks.push_back(no_subscriptions(view.frame));
  else
    found.blocks.push_back(subscription_table(view));
  auto ways = further_pager(member_url(view.frame, "subscriptions"), view.further, view.at_first);
  if (!ways.links.empty()) found.blocks.push_back(std::move(ways));
  page.sections.push_back(std::move(found));
  return member_response(view.frame, page);
}

response subscription_page(const subscription_view& view) {
  member_page page;
  page.title = view.of.price.empty() ? view.of.subscription_id : view.of.price;
  page.up = member_link(view.frame, "Subscriptions", "subscriptions");
  page.state = subscription_badge(view.of.status);
  if (!view.checkout_url.empty())
    page.sections.push_back({"notices",
                             {},
                             {callout{tone::waiting, "Waiting for the customer since " + view.of.created_at.text,
                                      "The subscription begins once the customer has gone through its checkout."},
                              facts{{{"The customer's page", {link{view.checkout_url, view.checkout_url}}}}}}});
  if (may_act(view.frame) && view.cancel) page.sections.push_back(cancel_section(view));
  page.sections.push_back(subscription_facts(view));
  page.sections.push_back(cycles_section(view));
  if (!view.metadata.empty()) {
    facts listed;
    for (const auto& [name, value] : view.metadata) listed.rows.push_back({name, {value}});
    page.sections.push_back({"metadata", "Metadata", {std::move(listed)}});
  }
  page.sections.push_back(subscription_timeline(view));
  return member_response(view.frame, page);
}

}  // namespace gateway::http
