#include "destinations_view.hpp"

#include <algorithm>
#include <utility>

#include "gateway/domain/url.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

act_form add_form_of(const destinations_view& view) {
  auto form = act_form_of(view.frame, {});
  form.inputs = {{input_kind::url,
                  "url",
                  "URL",
                  "Where the events are posted to, over https.",
                  view.add.url,
                  {},
                  most_url_bytes,
                  true},
                 event_boxes(view.add.events, view.add.events_fault)};
  form.buttons.push_back({"add", "Add the destination", true});
  return form;
}

table destination_table(const destinations_view& view) {
  table list{"Destinations", {{"Destination"}, {"State"}, {"Events"}, {"Not taken", true}}, {}};
  for (const auto& row : view.rows)
    list.rows.push_back({{member_link(view.frame, row.url, "destinations/" + percent_encoded(row.id)), code{row.id}},
                         {destination_badge(row.status), row.disabled_reason},
                         {event_list(row.events)},
                         {std::to_string(row.failed)}});
  return list;
}

}  // namespace

badge destination_badge(destination_status status) {
  return status == destination_status::enabled ? badge{"Enabled", tone::good} : badge{"Disabled", tone::bad};
}

std::string event_list(const std::vector<std::string>& events) {
  if (events.empty()) return "All but those that must be asked for";
  std::string text;
  for (const auto& each : events) text.append(text.empty() ? "" : ", ").append(each);
  return text;
}

input event_boxes(const std::vector<std::string>& chosen, std::string fault) {
  input boxes{input_kind::checks,     "events", "Events", "None checked: all but those that must be asked for.",
              {{}, std::move(fault)}, {}};
  for (const auto& type : event_catalogue)
    boxes.options.push_back({std::string{type.name}, std::string{type.name},
                             type.on_request ? "Sent only if it is checked" : std::string{},
                             std::ranges::find(chosen, type.name) != chosen.end()});
  return boxes;
}

response destinations_page(const destinations_view& view) {
  member_page page;
  page.title = "Destinations";
  section list{"destinations", "Where your events go", {}};
  if (view.rows.empty()) {
    list.blocks.push_back(empty_state{
        "No destinations yet",
        may_act(view.frame) ? "A destination receives an event for each payment that is captured, refunded or failed. "
                              "Add the URL of yours below."
                            : "A destination receives an event for each payment that is captured, refunded or failed. "
                              "An owner can add one.",
        {}});
  } else {
    list.blocks.push_back(destination_table(view));
  }
  page.sections.push_back(std::move(list));
  if (may_act(view.frame)) page.sections.push_back({"add", "Add a destination", {add_form_of(view)}});
  return member_response(view.frame, page);
}

response destination_secret_page(const destination_secret_view& view) {
  member_page page;
  page.title = view.rotated ? "The secret is rotated" : "The destination is added";
  page.up = member_link(view.frame, "Destinations", "destinations");
  facts shown;
  shown.rows.push_back({"Destination", {code{view.id}, view.url}});
  add_fact(shown, "The old secret is good until", view.old_until);
  page.sections.push_back(
      {"secret",
       {},
       {callout{
            tone::waiting, "Copy the secret now",
            "It is shown this once. With it your server tells our events from forged ones. If it is lost, rotate it."},
        secret{"Signing secret", {view.secret}}, std::move(shown),
        pager{"Further", {member_link(view.frame, "I have copied it", "destinations/" + percent_encoded(view.id))}}}});
  return member_response(view.frame, page);
}

}  // namespace gateway::http
