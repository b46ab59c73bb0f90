#include "payment_view.hpp"

#include <algorithm>
#include <utility>

#include "gateway/domain/payment.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"
#include "payment_facts.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

section facts_section(const payment_envelope& of) {
  facts listed;
  listed.rows.push_back({"Payment", {code{of.payment_id}}});
  add_fact(listed, "Amount", of.amount);
  add_fact(listed, "Captured", of.captured);
  add_fact(listed, "Refunded", of.refunded);
  add_fact(listed, "Disputed", of.disputed);
  add_fact(listed, "Can still be refunded", of.refundable);
  add_fact(listed, "Ended because", of.ended_because);
  add_fact(listed, "Description", of.description);
  if (!of.payment_method.empty()) listed.rows.push_back({"Payment method", {code{of.payment_method}}});
  add_fact(listed, "Flow", of.flow);
  add_fact(listed, "Provider", of.provider);
  if (!of.provider_ref.empty()) listed.rows.push_back({"Provider reference", {code{of.provider_ref}}});
  add_fact(listed, "Provider says", of.provider_status);
  if (!of.failure_code.empty()) listed.rows.push_back({"Failure", {code{of.failure_code}, of.failure_message}});
  if (!of.subscription.empty()) listed.rows.push_back({"Subscription", {code{of.subscription}}});
  add_fact(listed, "Made by the platform", of.platform);
  add_fact(listed, "Created", of.created_at);
  add_fact(listed, "Last changed", of.updated_at);
  return {"facts", "The payment", {std::move(listed)}};
}

bool has_customer(const payment_person& who) noexcept {
  return !who.name.empty() || !who.email.empty() || !who.mobile.empty() || !who.reference.empty();
}

section customer_section(const payment_view& view) {
  const auto& who = view.of.customer;
  facts listed;
  add_fact(listed, "Name", who.name);
  add_fact(listed, "E-mail", who.email);
  add_fact(listed, "Mobile", who.mobile);
  if (!who.reference.empty()) listed.rows.push_back({"The platform's reference", {code{who.reference}}});
  section of{"customer", "The customer", {std::move(listed)}};
  pager ways{"About the customer", {}};
  if (!who.id.empty())
    ways.links.push_back(member_link(view.frame, "The customer's page", "customers/" + percent_encoded(who.id)));
  const auto& text = !who.email.empty() ? who.email : !who.reference.empty() ? who.reference : who.name;
  if (!text.empty())
    ways.links.push_back(
        {"Search for the customer's payments", with_query(member_url(view.frame, "payments"), {{"q", text}})});
  if (!ways.links.empty()) of.blocks.push_back(std::move(ways));
  return of;
}

section metadata_section(const payment_envelope& of) {
  facts listed;
  for (const auto& [name, value] : of.metadata) listed.rows.push_back({name, {value}});
  return {"metadata", "Metadata", {std::move(listed)}};
}

section timeline_section(const std::vector<payment_event>& events) {
  timeline shown;
  for (const auto& each : events) {
    event made{each.at, in_sentence_case(each.what), each.how, {}};
    if (!each.status.empty()) made.text.emplace_back(badge{each.status, each.how});
    if (!each.amount.empty()) made.text.emplace_back(each.amount);
    if (!each.origin.empty()) made.text.emplace_back(each.origin);
    if (!each.error_code.empty()) made.text.emplace_back(code{each.error_code});
    if (!each.message.empty()) made.text.emplace_back(each.message);
    if (!each.reason.empty()) made.text.emplace_back("Reason: " + each.reason);
    shown.events.push_back(std::move(made));
  }
  return {"timeline", "Timeline", {std::move(shown)}};
}

badge refund_badge(refund_status status) {
  switch (status) {
    case refund_status::pending: return {"Pending", tone::waiting};
    case refund_status::succeeded: return {"Succeeded", tone::good};
    case refund_status::failed: return {"Failed", tone::bad};
  }
  return {};
}

section refunds_section(const std::vector<refund_row>& refunds) {
  table rows{
      "Refunds, newest first", {{"Refund"}, {"Amount", true}, {"Status"}, {"Reason"}, {"Origin"}, {"Created"}}, {}};
  for (const auto& row : refunds) {
    pieces status{refund_badge(row.status)};
    if (!row.failure_code.empty()) status.emplace_back(code{row.failure_code});
    rows.rows.push_back(
        {{code{row.refund_id}}, {row.amount}, std::move(status), {row.reason}, {row.origin}, {row.created_at}});
  }
  section of{"refunds", "Refunds", {}};
  const auto failed = [](const refund_row& row) { return row.status == refund_status::failed; };
  if (std::ranges::any_of(refunds, failed))
    of.blocks.push_back(paragraph{{"The amount of a failed refund is not refunded: it can be refunded again."}});
  of.blocks.push_back(std::move(rows));
  return of;
}

section disputes_section(const payment_view& view) {
  return {"disputes", "Disputes", {dispute_table(view.frame, view.disputes, dispute_context::of_payment)}};
}

input reason_input(const field& now) {
  input made{input_kind::text, "reason", "Reason", "For your own records. Optional.", now, {}, most_typed};
  return made;
}

act_form capture_act(const payment_view& view, const capture_form& of) {
  auto form = act_form_of(view.frame, "capture");
  form.hidden.push_back({"key", of.key});
  form.inputs = {{input_kind::decimal,
                  "amount",
                  "Amount in " + view.currency,
                  "What is not captured is released to the customer.",
                  of.amount,
                  {},
                  32}};
  form.buttons.push_back({"capture", "Capture", true});
  form.fault = of.fault;
  return form;
}

act_form refund_act(const payment_view& view, const refund_form& of) {
  auto form = act_form_of(view.frame, "refund");
  form.hidden.push_back({"key", of.key});
  input amount{input_kind::decimal, "amount", "Amount in " + view.currency, {}, of.amount, {}, 32, true};
  if (!of.limit.empty()) amount.hint = "At most " + of.limit + ".";
  form.inputs = {std::move(amount), reason_input(of.reason)};
  form.buttons.push_back({"refund", "Refund", true});
  form.fault = of.fault;
  form.folded = "Refund: give money back";
  return form;
}

act_form void_act(const payment_view& view, const void_form& of) {
  auto form = act_form_of(view.frame, "void");
  form.hidden.push_back({"key", of.key});
  form.inputs = {reason_input(of.reason)};
  form.buttons.push_back({"void", "Void the payment"});
  form.fault = of.fault;
  form.folded = "Void: release the authorized amount";
  return form;
}

act_form cancel_act(const payment_view& view, const void_form& of) {
  auto form = act_form_of(view.frame, "cancel");
  form.hidden.push_back({"key", of.key});
  form.inputs = {reason_input(of.reason)};
  form.buttons.push_back({"cancel", "Cancel the payment"});
  form.fault = of.fault;
  form.folded = "Cancel: the customer can no longer pay";
  return form;
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  return !std::ranges::search(text, part, {}, to_lower, to_lower).empty();
}

std::string_view words_of_declined(std::string_view operation) {
  if (operation == "capture") return "The provider declined the capture";
  if (operation == "refund") return "The provider declined the refund";
  if (operation == "void") return "The provider declined the void";
  return "The provider declined the payment";
}

/// What a person must know first: that the provider declined, or that the customer has not paid yet.
section notices_section(const payment_view& view) {
  section of{"notices", {}, {}};
  if (!view.declined.empty()) {
    std::string why = view.decline_message;
    const auto code = words_of_code(view.decline_code);
    // Many messages already contain the words of the code.
    if (!code.empty() && !contains_ignoring_case(why, code))
      why.append(why.empty() ? "" : " ").append("(").append(code).append(")");
    of.blocks.push_back(callout{tone::bad, std::string{words_of_declined(view.declined)}, std::move(why)});
  }
  if (!view.is_waiting) return of;
  of.blocks.push_back(
      callout{tone::waiting, "Waiting for the customer since " + view.of.created_at.text,
              "Nothing is paid yet. If the customer does not come back, the payment fails on its own."});
  if (!view.checkout_url.empty())
    of.blocks.push_back(facts{{{"The customer's page", {link{view.checkout_url, view.checkout_url}}}}});
  return of;
}

section acts_section(const payment_view& view) {
  section acts{"acts", "What you can do", {}};
  if (view.capture) acts.blocks.push_back(capture_act(view, *view.capture));
  if (view.refund) acts.blocks.push_back(refund_act(view, *view.refund));
  if (view.cancel) acts.blocks.push_back(void_act(view, *view.cancel));
  if (view.checkout) acts.blocks.push_back(cancel_act(view, *view.checkout));
  if (view.blocks_refund && !view.refund)
    acts.blocks.push_back(paragraph{
        {"There is no refund while a dispute is open: the cardholder's bank has taken the disputed amount back "
         "already, and a refund would pay it twice."}});
  return acts;
}

}  // namespace

std::string_view words_of_origin(entry_origin by) noexcept {
  switch (by) {
    case entry_origin::api: return "by API";
    case entry_origin::portal: return "by a person on the portal";
    case entry_origin::provider: return "at the provider";
    case entry_origin::operator_: return "by the operator";
    case entry_origin::system: return "by the gateway";
  }
  return {};
}

badge payment_badge(std::string_view state) {
  struct row {
    payment_state of;
    std::string_view words;
    tone how;
  };
  using enum payment_state;
  static constexpr row rows[] = {{created, "Created", tone::neutral},
                                 {processing, "Processing", tone::waiting},
                                 {authorized, "Authorized", tone::waiting},
                                 {captured, "Captured", tone::good},
                                 {partially_refunded, "Partially refunded", tone::neutral},
                                 {refunded, "Refunded", tone::neutral},
                                 {failed, "Failed", tone::bad},
                                 {voided, "Voided", tone::neutral}};
  const auto found = std::ranges::find_if(rows, [&](const row& each) { return to_string(each.of) == state; });
  if (found == std::end(rows)) return {std::string{state}, tone::neutral};
  return {std::string{found->words}, found->how};
}

response payment_page(const payment_view& view) {
  member_page page;
  page.title = view.of.amount.empty() ? view.of.payment_id : view.of.amount;
  page.up = member_link(view.frame, "Payments", "payments");
  page.state = payment_badge(view.of.state);
  if (!view.declined.empty() || view.is_waiting) page.sections.push_back(notices_section(view));
  if (may_act(view.frame) && (view.capture || view.refund || view.cancel || view.checkout || view.blocks_refund))
    page.sections.push_back(acts_section(view));
  page.sections.push_back(facts_section(view.of));
  if (has_customer(view.of.customer)) page.sections.push_back(customer_section(view));
  if (!view.disputes.empty()) page.sections.push_back(disputes_section(view));
  if (!view.refunds.empty()) page.sections.push_back(refunds_section(view.refunds));
  if (!view.of.metadata.empty()) page.sections.push_back(metadata_section(view.of));
  page.sections.push_back(timeline_section(view.timeline));
  section listed{"deliveries", "Deliveries", {}};
  if (view.deliveries.empty()) {
    listed.blocks.push_back(empty_state{"Nothing was sent",
                                        "No destination was subscribed to an event of this payment so far.",
                                        member_link(view.frame, "Destinations", "destinations")});
  } else {
    listed.blocks.push_back(delivery_table(view.frame, view.deliveries, delivery_context::of_payment));
  }
  page.sections.push_back(std::move(listed));
  return member_response(view.frame, page);
}

}  // namespace gateway::http
