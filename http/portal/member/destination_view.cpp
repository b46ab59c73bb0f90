#include "destination_view.hpp"

#include <algorithm>
#include <utility>

#include "destinations.hpp"
#include "gateway/domain/url.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

/// The warning above the facts; no title: none.
callout warning_of(const destination_view& view) {
  switch (view.of.condition) {
    case destination_condition::healthy: return {};
    case destination_condition::failing:
      return {tone::bad, "It does not take what is sent", "Failed attempts are repeated for a while."};
    case destination_condition::paused:
      return {tone::waiting, "It does not take what is sent",
              "Only one attempt is made now and then, until one succeeds. Then everything that waits is sent."};
    case destination_condition::disabled:
      return {tone::bad, "Nothing is sent here", "Its events wait, and are sent when it is enabled again."};
    case destination_condition::deleted:
      return {tone::neutral, "It is deleted", "Nothing is sent here any more. What was sent can still be read."};
  }
  return {};
}

/// The name, or else the host, so that browser tabs have different titles.
std::string title_of_destination(const destination_row& row) {
  if (!row.name.empty()) return row.name;
  const auto authority = read_authority(row.url);
  return authority ? std::string{authority->host} : "Destination";
}

section standing_section(const destination_view& view) {
  facts shown;
  add_fact(shown, "Name", view.of.name);
  shown.rows.push_back({"URL", {code{view.of.url}}});
  shown.rows.push_back({"Destination", {code{view.of.id}}});
  add_fact(shown, "Why it is disabled", view.of.disabled_reason);
  add_fact(shown, "Everything has failed since", view.failing_since);
  add_fact(shown, "The next attempt is made", view.paused_until);
  add_fact(shown, "The last success", view.last_success);
  shown.rows.push_back({"Waiting", {view.of.waiting.empty() ? "None" : view.of.waiting}});
  shown.rows.push_back({"Events", {event_list(view.of.events)}});
  if (view.of.standard_webhooks) shown.rows.push_back({"Signatures", {"Also in the Standard Webhooks form"}});
  add_fact(shown, "Added", view.created_at);
  add_fact(shown, "The previous secret is valid until", view.old_secret_until);
  section of{"facts", "The destination", {std::move(shown)}};
  if (auto warning = warning_of(view); !warning.title.empty()) of.blocks.insert(of.blocks.begin(), std::move(warning));
  return of;
}

section activity_section(const destination_view& view) {
  chart drawn;
  drawn.title = "Attempts delivered and failed in each hour of the last day";
  drawn.series = {{"Delivered", "captured"}, {"Failed", "failed"}};
  std::uint32_t most = 0;
  for (const auto& hour : view.hours) {
    most = std::max({most, hour.delivered, hour.failed});
    drawn.groups.push_back({hour.name,
                            hour.short_name,
                            {{static_cast<double>(hour.delivered), std::to_string(hour.delivered)},
                             {static_cast<double>(hour.failed), std::to_string(hour.failed)}}});
  }
  drawn.most = std::to_string(most);
  figures sums{{{"Attempts", std::to_string(view.of.attempts), {}}, {"Failed", std::to_string(view.of.failures), {}}}};
  return {"activity", "The last day", {std::move(sums), std::move(drawn)}};
}

act_form url_form_of(const destination_view& view) {
  auto form = act_form_of(view.frame, "change");
  form.inputs = {{input_kind::url,
                  "url",
                  "URL",
                  "Secret and events stay. What waits is sent to the new URL, too.",
                  view.url,
                  {},
                  most_url_bytes,
                  true}};
  form.buttons.push_back({"change", "Change the URL", true});
  form.folded = "Change the URL";
  return form;
}

act_form name_form_of(const destination_view& view) {
  auto form = act_form_of(view.frame, "rename");
  form.inputs = {
      {input_kind::text, "name", "Name", "Shown to your team. Optional.", view.name, {}, most_destination_name}};
  form.buttons.push_back({"rename", "Save the name", true});
  form.folded = "Name it";
  return form;
}

act_form standard_webhooks_form_of(const destination_view& view) {
  if (view.of.standard_webhooks) {
    auto off = act_button(view.frame, "standard-webhooks-off", "Stop signing in the Standard Webhooks form", {});
    off.folded = "Signatures: no longer in the Standard Webhooks form";
    return off;
  }
  auto on = act_button(view.frame, "standard-webhooks-on", "Sign in the Standard Webhooks form as well", {});
  on.folded = "Signatures: also in the Standard Webhooks form, for its libraries";
  return on;
}

act_form disable_form_of(const destination_view& view) {
  auto form = act_form_of(view.frame, "disable");
  form.inputs = {
      {input_kind::text, "reason", "Reason", "For your own records. Optional.", view.reason, {}, most_typed}};
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
  // A disabled destination gets no test event: it would only wait, and look like a failing one.
  if (view.of.status == destination_status::disabled)
    of.blocks.push_back(act_button(view.frame, "enable", "Enable the destination", {}));
  else
    of.blocks.push_back(act_button(view.frame, "test", "Send a test event", {}));
  of.blocks.push_back(events_form_of(view));
  of.blocks.push_back(url_form_of(view));
  of.blocks.push_back(name_form_of(view));
  of.blocks.push_back(standard_webhooks_form_of(view));
  auto rotate = act_button(view.frame, "rotate", "Rotate the secret", {});
  rotate.folded = "Rotate: get a new signing secret, beside which the previous one is valid for a while";
  of.blocks.push_back(std::move(rotate));
  if (view.of.status == destination_status::enabled) of.blocks.push_back(disable_form_of(view));
  auto end = act_button(view.frame, "delete", "Delete the destination", {});
  end.folded = "Delete: stop sending, and drop what waits";
  of.blocks.push_back(std::move(end));
  return of;
}

act_form filter_of_deliveries(const destination_view& view) {
  act_form form;
  form.id = "filter";
  form.asks = true;
  input status{input_kind::choice, "status", "Status", {}, {}, {}};
  status.options.push_back({{}, "All", {}, view.status.empty()});
  for (const auto each : {delivery_status::pending, delivery_status::delivered, delivery_status::failed})
    status.options.push_back(
        {std::string{to_string(each)}, delivery_badge(each).text, {}, view.status == to_string(each)});
  form.inputs = {std::move(status)};
  form.buttons.push_back({{}, "Show", false});
  return form;
}

section deliveries_section(const destination_view& view, const std::string& path) {
  section sent{"deliveries", "Deliveries", {}};
  const bool may_resend = may_act(view.frame) && view.of.status != destination_status::deleted;
  const bool may_test = may_act(view.frame) && view.of.status == destination_status::enabled;
  if (view.of.failed > 0 && may_resend)
    sent.blocks.push_back(act_button(view.frame, "redeliver-failed",
                                     "Resend all " + words_of_count(view.of.failed, most_failed_counted) + " failed",
                                     {}));
  if (!view.deliveries.empty() || !view.status.empty()) sent.blocks.push_back(filter_of_deliveries(view));
  if (!view.deliveries.empty()) {
    sent.blocks.push_back(delivery_table(view.frame, view.deliveries, delivery_context::of_destination));
  } else if (!view.status.empty()) {
    sent.blocks.push_back(empty_state{"No deliveries with this status", {}, {}});
  } else {
    sent.blocks.push_back(empty_state{"Nothing was sent yet",
                                      may_test ? "Send a test event to see that your server takes it."
                                               : "Events appear here as soon as there are some to send.",
                                      {}});
  }
  auto ways = list_pager(member_url(view.frame, path), {{"status", view.status}}, view.older, view.at_newest);
  if (!ways.links.empty()) sent.blocks.push_back(std::move(ways));
  return sent;
}

}  // namespace

response destination_page(const destination_view& view) {
  const auto path = "destinations/" + percent_encoded(view.of.id);
  member_page page;
  page.title = title_of_destination(view.of);
  page.up = member_link(view.frame, "Destinations", "destinations");
  page.state = destination_badge(view.of.condition);
  page.sections.push_back(standing_section(view));
  if (!view.hours.empty()) page.sections.push_back(activity_section(view));
  if (may_act(view.frame) && view.of.status != destination_status::deleted)
    page.sections.push_back(control_section(view));
  page.sections.push_back(deliveries_section(view, path));
  return member_response(view.frame, page);
}

}  // namespace gateway::http
