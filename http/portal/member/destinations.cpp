#include "destinations.hpp"

#include <algorithm>
#include <utility>

#include "destinations_view.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_url_bytes = 2'048;

boost::asio::awaitable<response> destinations_screen(call& c, add_destination_form add) {
  destinations_view view;
  view.frame = frame_of(c, member_place::destinations);
  for (const auto& each : c.visit->who->destinations)
    if (each.env == c.visit->env) view.rows.push_back(destination_row_of(each));
  for (auto& row : view.rows) {
    auto counting = count_failed(c, destination_id{row.id});
    const auto failed = co_await std::move(counting);
    if (!failed) co_return error_page(page_error::busy);
    row.failed = *failed;
  }
  view.add = std::move(add);
  co_return destinations_page(view);
}

boost::asio::awaitable<response> add_refused(call& c, add_destination_form add) {
  auto showing = destinations_screen(c, std::move(add));
  auto page = co_await std::move(showing);
  co_return refused_form(std::move(page));
}

bool has_url(const call& c, std::string_view url) {
  return std::ranges::any_of(c.visit->who->destinations,
                             [&](const destination& each) { return each.env == c.visit->env && each.url == url; });
}

boost::asio::awaitable<response> add_here(call& c) {
  add_destination_form typed{{c.visit->sent.text("url"), {}}, c.visit->sent.all("events"), {}};
  const auto events = stored_events(typed.events);
  if (!events) typed.events_fault = "Choose among these events.";
  if (typed.url.value.empty() || typed.url.value.size() > most_url_bytes)
    typed.url.fault = "Enter the endpoint's URL.";
  else if (has_url(c, typed.url.value))
    typed.url.fault = "There is a destination with this URL already.";
  if (typed.url.fault.empty()) {
    auto checking = check_outbound(c.here, typed.url.value, c.visit->who->id.value);
    const auto verdict = co_await std::move(checking);
    if (!verdict) co_return error_page(page_error::busy);
    if (verdict->fault) typed.url.fault = "This URL cannot be used: " + *verdict->fault + '.';
  }
  if (!events || !typed.url.fault.empty()) {
    auto refusing = add_refused(c, std::move(typed));
    co_return co_await std::move(refusing);
  }
  set_destination wanted{destination_kind::merchant, c.visit->who->id.value, c.visit->env, typed.url.value, *events};
  auto changing = change(c, std::move(wanted), note_of(c, "add destination"));
  auto made = co_await std::move(changing);
  if (auto* page = std::get_if<response>(&made)) co_return std::move(*page);
  const auto* secret = std::get_if<destination_secret>(&std::get<operator_result>(made));
  if (!secret) {
    typed.url.fault = "There are as many destinations as a merchant may have. Change one of them.";
    auto refusing = add_refused(c, std::move(typed));
    co_return co_await std::move(refusing);
  }
  destination_secret_view view;
  view.frame = frame_of(c, member_place::destinations);
  view.id = secret->id.value;
  view.url = typed.url.value;
  view.secret = secret->secret;
  co_return destination_secret_page(view);
}

}  // namespace

destination_row destination_row_of(const destination& each) {
  return {each.id.value, each.url, each.events, each.status, each.disabled_reason, 0};
}

std::optional<std::vector<std::string>> stored_events(const std::vector<std::string>& written) {
  std::vector<std::string> events;
  for (const auto& each : written) {
    const auto type = stored_event_type(each);
    if (!type) return std::nullopt;
    if (std::ranges::find(events, *type) == events.end()) events.emplace_back(*type);
  }
  return events;
}

boost::asio::awaitable<std::optional<std::uint64_t>> count_failed(call& c, destination_id to) {
  count_deliveries query{std::move(to), delivery_status::failed, most_failed_counted};
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  co_return found ? std::optional{found->count} : std::nullopt;
}

boost::asio::awaitable<response> show_destinations(call& c) { return destinations_screen(c, {}); }

boost::asio::awaitable<response> act_on_destinations(call& c) {
  if (c.visit->sent.text("action") == "add") return add_here(c);
  return unknown_action();
}

}  // namespace gateway::http
