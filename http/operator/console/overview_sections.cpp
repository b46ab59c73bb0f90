#include "overview_sections.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "console_pages.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/time.hpp"

namespace gateway::http {
namespace {

using blocks::badge;
using blocks::code;
using blocks::pieces;
using blocks::tone;

std::string rounded(double number, int digits) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

std::string milliseconds(const std::optional<double>& seconds) {
  return seconds ? rounded(*seconds * 1'000, 1) + " ms" : std::string{"—"};
}

badge node_badge(node_status status) {
  const auto how = status == node_status::up ? tone::good : status == node_status::gone ? tone::bad : tone::waiting;
  return {std::string{to_string(status)}, how};
}

badge breaker_badge(int breaker) {
  if (breaker == 0) return {"attempts are made", tone::good};
  if (breaker == 1) return {"paused", tone::bad};
  return {"probing", tone::waiting};
}

blocks::act_form drain_form(const std::string& name, const std::string& csrf) {
  auto form = console_button(csrf, "drain", "Drain " + name, "node " + name, "node", name);
  form.id = "drain-" + name;
  form.folded = "Drain";
  return form;
}

}  // namespace

shown_time console_time(time_point at) {
  auto text = format_seconds(at);
  auto iso = text;
  text.replace(text.find('T'), 1, " ");
  text.replace(text.find('Z'), 1, " UTC");
  return {text, std::move(iso), text};
}

blocks::section nodes_section(const nodes_view& view, const std::string& csrf) {
  blocks::section out{"nodes", "Nodes", {}};
  if (view.own.empty()) {
    out.blocks.push_back(blocks::paragraph{{std::string{"This gateway serves alone."}}});
    return out;
  }
  const auto left = static_cast<double>(view.lease_left.count()) / 1'000;
  out.blocks.push_back(blocks::paragraph{
      {"This is " + view.own + "; its lease lasts " + rounded(left, 1) + " s more, and is renewed every second."}});
  blocks::table table{"Nodes that share the database",
                      {{"Node"}, {"State"}, {"Address"}, {"Payments in memory", true}, {"Last seen"}, {"Actions"}},
                      {}};
  for (const auto& node : view.nodes) {
    pieces state{node_badge(node.status)};
    if (node.asked_to_drain) state.push_back(std::string{"asked to drain"});
    pieces act;
    if (node.status == node_status::up && !node.asked_to_drain) act.push_back(drain_form(node.name, csrf));
    table.rows.push_back({{code{node.name}},
                          std::move(state),
                          {code{node.address}},
                          {std::to_string(node.payments)},
                          {console_time(node.last_seen)},
                          std::move(act)});
  }
  out.blocks.push_back(std::move(table));
  return out;
}

blocks::section load_section(const traffic& now) {
  blocks::section out{"load", "Load of this node", {}};
  double rate = 0, failed = 0, shed = 0;
  for (const auto& route : now.routes) {
    rate += route.per_second;
    failed += route.failed;
  }
  for (const auto& [reason, count] : now.shed) shed += count;
  const auto over = "in " + rounded(now.over.count(), 0) + " s";
  out.blocks.push_back(blocks::figures{{{"Requests", rounded(rate, 1) + "/s", over},
                                        {"Answered 5xx", rounded(failed, 0), over},
                                        {"Writes shed", rounded(shed, 0), over}}});
  blocks::table routes{
      "Routes, the busiest first", {{"Route"}, {"Rate", true}, {"p50", true}, {"p99", true}, {"5xx", true}}, {}};
  for (const auto& route : now.routes)
    routes.rows.push_back({{code{route.route}},
                           {rounded(route.per_second, 1) + "/s"},
                           {milliseconds(route.p50)},
                           {milliseconds(route.p99)},
                           {rounded(route.failed, 0)}});
  if (!routes.rows.empty()) out.blocks.push_back(std::move(routes));
  blocks::facts reasons;
  for (const auto& [reason, count] : now.shed) reasons.rows.push_back({"Shed: " + reason, {rounded(count, 0)}});
  if (!reasons.rows.empty()) out.blocks.push_back(std::move(reasons));
  return out;
}

blocks::section providers_section(const traffic& now) {
  blocks::section out{"providers", "Providers", {}};
  blocks::table table{"Calls to providers by this node", {{"Provider"}, {"Result"}, {"Calls", true}}, {}};
  for (const auto& provider : now.providers)
    for (const auto& [result, count] : provider.results)
      table.rows.push_back({{provider.provider}, {result}, {rounded(count, 0)}});
  if (table.rows.empty())
    out.blocks.push_back(blocks::paragraph{{std::string{"This node has called no provider yet."}}});
  else
    out.blocks.push_back(std::move(table));
  return out;
}

blocks::section unknown_section(const unknown_view& view) {
  blocks::section out{"unknown", "Payments whose outcome is unknown", {}};
  if (view.count == 0) {
    out.blocks.push_back(blocks::paragraph{{std::string{"There are none."}}});
    return out;
  }
  auto count = std::to_string(view.count) + (view.more ? " and more" : "");
  out.blocks.push_back(blocks::paragraph{{count + ", the oldest first. The gateway asks the provider until it says "
                                                  "what happened, and charges no customer twice."}});
  blocks::table table{
      "The oldest of them", {{"Payment"}, {"Merchant"}, {"Mode"}, {"Operation"}, {"Since"}, {"Asked", true}}, {}};
  for (const auto& each : view.oldest) {
    if (!each->open) continue;
    const auto& merchant = each->key.merchant.value;
    table.rows.push_back({{console_link(each->key.id, merchant + " " + each->key.id)},
                          {console_link(merchant)},
                          {std::string{to_string(each->key.env)}},
                          {std::string{to_string(each->open->what)}},
                          {console_time(each->open->begun_at)},
                          {std::to_string(each->open->asked)}});
  }
  out.blocks.push_back(std::move(table));
  return out;
}

blocks::section destinations_section(const std::vector<destination_in_trouble>& view, std::size_t left_out,
                                     const std::string& csrf) {
  blocks::section out{"destinations", "Destinations in trouble", {}};
  if (view.empty()) {
    out.blocks.push_back(blocks::paragraph{{std::string{"There are none."}}});
    return out;
  }
  blocks::table table{"Where deliveries wait",
                      {{"Destination"}, {"Owner"}, {"State"}, {"Waiting", true}, {"Next attempt"}, {"Actions"}},
                      {}};
  for (const auto& each : view) {
    pieces state{each.disabled ? badge{"disabled", tone::bad} : breaker_badge(each.breaker)};
    if (!each.disabled_reason.empty()) state.push_back(each.disabled_reason);
    pieces act;
    if (each.disabled)
      act.push_back(console_button(csrf, "enable", "Enable", each.id.value, "destination", each.id.value));
    else
      act.push_back(console_button(csrf, "disable", "Disable", each.id.value, "destination", each.id.value));
    pieces next;
    if (each.disabled)
      next.push_back("Once it is enabled");
    else if (each.next_attempt_at)
      next.push_back(console_time(*each.next_attempt_at));
    pieces which{console_link(each.id.value)};
    if (!each.url.empty()) which.push_back(code{each.url});
    table.rows.push_back({std::move(which),
                          {console_link(each.owner)},
                          std::move(state),
                          {std::to_string(each.pending)},
                          std::move(next),
                          std::move(act)});
  }
  out.blocks.push_back(std::move(table));
  if (left_out > 0)
    out.blocks.push_back(blocks::paragraph{{"And " + std::to_string(left_out) + " more, for which less waits."}});
  return out;
}

blocks::section failed_deliveries_section(const std::vector<delivery_job>& jobs, const std::string& csrf) {
  blocks::section out{"failed", "Failed deliveries, newest first", {}};
  if (jobs.empty()) {
    out.blocks.push_back(blocks::paragraph{{std::string{"There are none."}}});
    return out;
  }
  blocks::table table{
      "Deliveries", {{"Delivery"}, {"Event"}, {"Destination"}, {"Last attempt"}, {"Attempts", true}, {"Actions"}}, {}};
  for (const auto& job : jobs) {
    const auto id = std::to_string(job.row.id);
    pieces last;
    if (job.row.last) {
      last.push_back(std::string{to_string(job.row.last->result)});
      last.push_back(console_time(job.row.last->at));
    }
    table.rows.push_back({{console_link(id)},
                          {job.event.type},
                          {console_link(job.row.to.value)},
                          std::move(last),
                          {std::to_string(job.row.attempts)},
                          {console_button(csrf, "redeliver", "Resend", "delivery " + id, "delivery", id)}});
  }
  out.blocks.push_back(std::move(table));
  return out;
}

}  // namespace gateway::http
