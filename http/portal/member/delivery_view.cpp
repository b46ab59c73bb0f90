#include "delivery_view.hpp"

#include <utility>

#include "gateway/domain/url.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

section facts_of_delivery(const delivery_view& view) {
  const auto& of = view.of;
  facts shown;
  shown.rows.push_back({"Event", {of.event, code{view.event_id}}});
  shown.rows.push_back({"Delivery", {code{of.delivery_id}}});
  if (!of.payment_id.empty())
    shown.rows.push_back(
        {"Payment", {member_link(view.frame, of.payment_id, "payments/" + percent_encoded(of.payment_id))}});
  shown.rows.push_back(
      {"Destination", {member_link(view.frame, of.url, "destinations/" + percent_encoded(of.destination_id))}});
  add_fact(shown, "Happened", view.created_at);
  add_fact(shown, "Next attempt", of.next_at);
  section about{"facts", "The delivery", {std::move(shown)}};
  if (const auto label = resend_label(of); may_act(view.frame) && !label.empty())
    about.blocks.push_back(
        act_button(view.frame, "redeliver", std::string{label}, {}, {{"delivery_id", of.delivery_id}}));
  return about;
}

section attempts_of_delivery(const delivery_view& view) {
  section made{"attempts", "Attempts", {}};
  if (view.attempts.empty()) {
    made.blocks.push_back(empty_state{"No attempt was made yet", {}, {}});
    return made;
  }
  timeline all;
  for (const auto& each : view.attempts) {
    event one{each.at, each.result, each.delivered ? tone::good : tone::bad, {}};
    one.text.push_back("It took " + std::to_string(each.took_ms) + " ms.");
    if (!each.excerpt.empty()) one.text.push_back(code{each.excerpt});
    all.events.push_back(std::move(one));
  }
  made.blocks.push_back(std::move(all));
  if (view.of.attempts > view.attempts.size())
    made.blocks.push_back(paragraph{{"These are the newest of " + std::to_string(view.of.attempts) + " attempts."}});
  return made;
}

section request_of_delivery(const delivery_view& view) {
  section sent{"request", "What is sent", {}};
  sent.blocks.push_back(secret{"POST " + view.url, view.headers});
  sent.blocks.push_back(secret{"Body", {view.body}});
  sent.blocks.push_back(secret{"As a command for a shell", {view.curl}});
  if (view.is_signed)
    sent.blocks.push_back(
        paragraph{{"The signature is made each time that this page is shown, as for each attempt. "
                   "Your server takes it for five minutes, unless you have set another tolerance."}});
  return sent;
}

}  // namespace

response delivery_page(const delivery_view& view) {
  member_page page;
  page.title = "Delivery";
  page.up = member_link(view.frame, "The destination", "destinations/" + percent_encoded(view.of.destination_id));
  page.state = delivery_badge(view.of.status);
  page.sections.push_back(facts_of_delivery(view));
  page.sections.push_back(attempts_of_delivery(view));
  page.sections.push_back(request_of_delivery(view));
  return member_response(view.frame, page);
}

}  // namespace gateway::http
