#include "destinations.hpp"

#include <algorithm>
#include <utility>

#include "destinations_view.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"

namespace gateway::http {
namespace {

boost::asio::awaitable<response> destinations_screen(call& c, add_destination_form add) {
  destinations_view view;
  view.frame = frame_of(c, member_place::destinations);
  auto reading = read_health(c);
  const auto health = co_await std::move(reading);
  if (!health) co_return error_page(page_error::busy);
  for (const auto& each : c.visit->who->destinations)
    if (each.env == c.visit->env) view.rows.push_back(destination_row_of(c, each, health_of(*health, each)));
  for (auto& row : view.rows) {
    auto looking = read_waiting(c, destination_id{row.id});
    const auto waiting = co_await std::move(looking);
    if (!waiting) co_return error_page(page_error::busy);
    tell_waiting(c, row, *waiting);
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

bool has_url(const call& c, std::string_view url, const destination_id& except) {
  return std::ranges::any_of(c.visit->who->destinations, [&](const destination& each) {
    return each.env == c.visit->env && each.url == url && each.id != except;
  });
}

boost::asio::awaitable<response> add_here(call& c) {
  add_destination_form typed{{c.visit->sent.text("url"), {}}, c.visit->sent.all("events"), {}};
  typed.name.value = c.visit->sent.text("name");
  typed.standard_webhooks = c.visit->sent.text("standard_webhooks") == "on";
  const auto events = stored_events(typed.events);
  if (!events) typed.events_fault = "Choose among these events.";
  if (count_characters(typed.name.value) > most_destination_name) typed.name.fault = std::string{name_too_long};
  auto checking = fault_of_url(c, typed.url.value);
  auto fault = co_await std::move(checking);
  if (!fault) co_return error_page(page_error::busy);
  typed.url.fault = *std::move(fault);
  if (!events || !typed.url.fault.empty() || !typed.name.fault.empty()) {
    auto refusing = add_refused(c, std::move(typed));
    co_return co_await std::move(refusing);
  }
  set_destination wanted{destination_kind::merchant, c.visit->who->id.value, c.visit->env, typed.url.value, *events,
                         typed.name.value,           typed.standard_webhooks};
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

std::optional<destination> own_destination(const call& c, const destination_id& id) {
  const auto& all = c.visit->who->destinations;
  const auto at = std::ranges::find(all, id, &destination::id);
  if (at != all.end()) return at->env == c.visit->env ? std::optional{*at} : std::nullopt;
  // A merchant's list omits deleted destinations.
  const auto published = c.here.shared.merchants.find_destination(id);
  const bool own = published && published->what.kind == destination_kind::merchant &&
                   published->what.owner == c.visit->who->id.value && published->what.env == c.visit->env;
  return own ? std::optional{published->what} : std::nullopt;
}

boost::asio::awaitable<std::optional<std::vector<destination_health>>> read_health(call& c, destination_id only) {
  find_destination_health query{c.visit->who->id.value, std::move(only)};
  auto asking = ask(c.here, std::move(query));
  auto found = co_await std::move(asking);
  if (!found) co_return std::nullopt;
  co_return std::move(found->of);
}

destination_health health_of(const std::vector<destination_health>& all, const destination& what) {
  const auto at = std::ranges::find(all, what.id, &destination_health::id);
  return at == all.end() ? destination_health{} : *at;
}

destination_row destination_row_of(const call& c, const destination& each, const destination_health& health) {
  const auto now = c.here.shared.clock.now();
  destination_row row;
  row.id = each.id.value;
  row.url = each.url;
  row.events = each.events;
  row.status = each.status;
  row.disabled_reason = each.disabled_reason;
  row.name = each.name;
  row.standard_webhooks = each.standard_webhooks;
  row.condition = condition_of(health, each, now);
  const auto day = last_day(health, now);
  row.attempts = day.attempts;
  row.failures = day.failures;
  return row;
}

boost::asio::awaitable<std::optional<std::string>> fault_of_url(call& c, std::string url, destination_id except) {
  if (url.empty() || url.size() > most_url_bytes) co_return "Enter the endpoint's URL.";
  if (has_url(c, url, except)) co_return std::string{url_is_taken};
  auto checking = check_outbound(c.here, std::move(url), c.visit->who->id.value);
  const auto verdict = co_await std::move(checking);
  if (!verdict) co_return std::nullopt;
  co_return verdict->fault ? "This URL cannot be used: " + *verdict->fault + '.' : std::string{};
}

boost::asio::awaitable<std::optional<waiting_deliveries>> read_waiting(call& c, destination_id to) {
  find_waiting_deliveries query{std::move(to), most_waiting_counted};
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  co_return found ? std::optional{*found} : std::nullopt;
}

void tell_waiting(const call& c, destination_row& row, const waiting_deliveries& found) {
  if (found.count == 0) return;
  const auto age = c.here.shared.clock.now() - delivery_numbers::drawn_at(found.oldest_number);
  row.waiting = words_of_count(found.count, most_waiting_counted) +
                (found.count == 1 ? " event, " : " events, the oldest ") + "for " + words_of_age(age);
}

std::optional<std::vector<std::string>> stored_events(const std::vector<std::string>& written) {
  std::vector<std::string> events;
  for (const auto& each : written)
    for (std::string_view rest = each; !rest.empty();) {
      const auto type = stored_event_type(trimmed(cut_before(rest, ','), " \t\r\n"));
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
