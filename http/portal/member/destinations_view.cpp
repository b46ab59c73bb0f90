#include "destinations_view.hpp"

#include <algorithm>
#include <utility>

#include "destinations.hpp"
#include "gateway/domain/url.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

input standard_webhooks_box(bool checked) {
  input box{input_kind::checks, "standard_webhooks", "Signature", "Leave it unchecked if you are not sure.", {}, {}};
  box.options.push_back({"on", "Standard Webhooks", "Sign in this form as well, for its libraries", checked});
  return box;
}

act_form add_form_of(const destinations_view& view) {
  auto form = act_form_of(view.frame, {});
  form.inputs = {
      {input_kind::url,
       "url",
       "URL",
       "Where the events are posted to, over https.",
       view.add.url,
       {},
       most_url_bytes,
       true},
      {input_kind::text, "name", "Name", "Shown to your team. Optional.", view.add.name, {}, most_destination_name},
      event_boxes(view.add.events, view.add.events_fault),
      standard_webhooks_box(view.add.standard_webhooks)};
  form.buttons.push_back({"add", "Add the destination", true});
  return form;
}

pieces name_pieces(const member_frame& frame, const destination_row& row) {
  const auto path = "destinations/" + percent_encoded(row.id);
  if (row.name.empty()) return {member_link(frame, row.url, path), code{row.id}};
  return {member_link(frame, row.name, path), row.url, code{row.id}};
}

std::string words_of_day(const destination_row& row) {
  if (row.attempts == 0) return "No attempts";
  return std::to_string(row.attempts) + (row.attempts == 1 ? " attempt, " : " attempts, ") +
         std::to_string(row.failures) + " failed";
}

table destination_table(const destinations_view& view) {
  table list{"Destinations", {{"Destination"}, {"State"}, {"Events"}, {"Last day"}, {"Waiting"}, {"Failed", true}}, {}};
  for (const auto& row : view.rows)
    list.rows.push_back({name_pieces(view.frame, row),
                         {destination_badge(row.condition), row.disabled_reason},
                         {event_list(row.events)},
                         {words_of_day(row)},
                         {row.waiting.empty() ? "None" : row.waiting},
                         {words_of_count(row.failed, most_failed_counted)}});
  return list;
}

}  // namespace

badge destination_badge(destination_condition condition) {
  switch (condition) {
    case destination_condition::healthy: return {"Healthy", tone::good};
    case destination_condition::failing: return {"Failing", tone::bad};
    case destination_condition::paused: return {"Paused", tone::waiting};
    case destination_condition::disabled: return {"Disabled", tone::bad};
    case destination_condition::deleted: return {"Deleted", tone::neutral};
  }
  return {};
}

std::string words_of_age(duration_ms age) {
  using namespace std::chrono_literals;
  const auto counted = [](std::int64_t count, std::string unit) {
    return std::to_string(count) + ' ' + unit + (count == 1 ? "" : "s");
  };
  if (age >= 24h) return counted(age / 24h, "day");
  if (age >= 1h) return counted(age / 1h, "hour");
  if (age >= 1min) return counted(age / 1min, "minute");
  return "less than a minute";
}

std::string words_of_count(std::uint64_t count, std::uint64_t most) {
  return count < most ? std::to_string(count) : std::to_string(most) + " or more";
}

std::string event_list(const std::vector<std::string>& events) {
  if (events.empty()) return "The default events";
  std::string text;
  for (const auto& each : events) text.append(text.empty() ? "" : ", ").append(each);
  return text;
}

input event_boxes(const std::vector<std::string>& chosen, std::string fault) {
  input boxes{input_kind::checks,     "events", "Events", "With none checked, the default events are sent.",
              {{}, std::move(fault)}, {}};
  for (const auto& type : event_catalogue)
    boxes.options.push_back({std::string{type.name}, std::string{type.name},
                             type.on_request ? "Sent only if checked" : std::string{},
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
  add_fact(shown, "The previous secret is valid until", view.old_until);
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
