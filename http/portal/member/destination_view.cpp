#include "destination_view.hpp"

#include <utility>

#include "gateway/domain/url.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

section standing_section(const destination_view& view) {
  facts shown;
  shown.rows.push_back({"URL", {code{view.of.url}}});
  shown.rows.push_back({"Destination", {code{view.of.id}}});
  add_fact(shown, "Why it is disabled", view.of.disabled_reason);
  shown.rows.push_back({"Events", {event_list(view.of.events)}});
  add_fact(shown, "Added", view.created_at);
  add_fact(shown, "The old secret is good until", view.old_secret_until);
  section of{"facts", "The destination", {std::move(shown)}};
  if (view.of.status == destination_status::disabled)
    of.blocks.insert(of.blocks.begin(), callout{tone::bad, "Nothing is sent here",
                                                "Its events wait, and are sent when it is enabled again."});
  return of;
}

act_form disable_form_of(const destination_view& view) {
  auto form = act_form_of(view.frame, "disable");
  form.inputs = {
      {input_kind::text, "reason", "Reason", "For your own records. It may stay empty.", view.reason, {}, most_typed}};
  form.buttons.push_back({"disable", "Disable the destination"});
  form.folded = "Disable: send nothing for a while";
  return form;
}

act_form events_form_of(const destination_view& view) {
  auto form = act_form_of(view.frame, {});
  form.inputs = {event_boxes(view.events, view.events_fault)};
  form.buttons.push_back({"events", "Save the events", true});
  form.folded = "Choose which events are sent";
  return form;
}

section control_section(const destination_view& view) {
  section of{"control", "What you can do", {}};
  if (view.of.status == destination_status::disabled)
    of.blocks.push_back(act_button(view.frame, "enable", "Enable the destination", {}));
  of.blocks.push_back(act_button(view.frame, "test", "Send a test event", {}));
  of.blocks.push_back(events_form_of(view));
  auto rotate = act_button(view.frame, "rotate", "Rotate the secret", {});
  rotate.folded = "Rotate: get a new signing secret, beside which the old one is good for a while";
  of.blocks.push_back(std::move(rotate));
  if (view.of.status == destination_status::enabled) of.blocks.push_back(disable_form_of(view));
  return of;
}

}  // namespace

response destination_page(const destination_view& view) {
  const auto path = "destinations/" + percent_encoded(view.of.id);
  member_page page;
  page.title = "Destination";
  page.up = member_link(view.frame, "Destinations", "destinations");
  page.state = destination_badge(view.of.status);
  page.sections.push_back(standing_section(view));
  if (may_act(view.frame)) page.sections.push_back(control_section(view));
  section sent{"deliveries", "Deliveries", {}};
  if (view.deliveries.empty()) {
    sent.blocks.push_back(empty_state{"Nothing was sent yet",
                                      may_act(view.frame) ? "Send a test event to see that your server takes it."
                                                          : "Events appear here as soon as there are some to send.",
                                      {}});
  } else {
    sent.blocks.push_back(delivery_table(view.frame, view.deliveries, delivery_context::of_destination));
  }
  auto ways = list_pager(member_url(view.frame, path), {}, view.older, view.at_newest);
  if (!ways.links.empty()) sent.blocks.push_back(std::move(ways));
  page.sections.push_back(std::move(sent));
  return member_response(view.frame, page);
}

}  // namespace gateway::http
