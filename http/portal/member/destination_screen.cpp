#include "destination_screen.hpp"

#include <utility>

#include "deliveries.hpp"
#include "destination_view.hpp"
#include "destinations.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"
#include "http/portal/page_forms.hpp"

namespace gateway::http {
namespace {

constexpr std::int64_t hours_drawn = 24;
constexpr std::int64_t hours_between_names = 4;

/// `14:00` from `28 Nov 2026, 14:00:00`.
std::string clock_time_of(const std::string& shown) {
  constexpr std::size_t with_seconds = 8, without = 5;
  return shown.size() < with_seconds ? std::string{} : shown.substr(shown.size() - with_seconds, without);
}

std::vector<hour_of_attempts> hours_of(const call& c, const destination_health& health) {
  const auto last = hour_of(c.here.shared.clock.now());
  std::vector<hour_of_attempts> all;
  for (auto hour = last - hours_drawn + 1; hour <= last; ++hour) {
    hour_of_attempts one;
    one.name = shown(c, time_point{std::chrono::hours{hour}}).text;
    if ((last - hour) % hours_between_names == 0) one.short_name = clock_time_of(one.name);
    for (const auto& each : health.hours)
      if (each.hour == hour) one.delivered = each.attempts - each.failures, one.failed = each.failures;
    all.push_back(std::move(one));
  }
  return all;
}

void tell_health(const call& c, destination_view& view, const destination& subject, const destination_health& health) {
  const auto now = c.here.shared.clock.now();
  view.of = destination_row_of(c, subject, health);
  view.last_success = shown(c, health.last_success_at);
  if (subject.status == destination_status::enabled) {
    view.failing_since = shown(c, failing_since(health, subject));
    if (view.of.condition == destination_condition::paused) view.paused_until = shown(c, health.paused_until);
  }
  if (last_day(health, now).attempts > 0) view.hours = hours_of(c, health);
}

/// Sets the fields of the forms, as typed or as stored.
void fill_forms(const call& c, destination_view& view, const destination& subject, destination_slips slips) {
  view.events = slips.events.value_or(subject.events);
  view.events_fault = std::move(slips.events_fault);
  view.reason = std::move(slips.reason);
  view.url = slips.url.value_or(field{subject.url, {}});
  view.name = slips.name.value_or(field{subject.name, {}});
  view.created_at = shown(c, subject.created_at);
  const auto published = c.here.shared.merchants.find_destination(subject.id);
  if (published && c.here.shared.clock.now() < published->previous_until)
    view.old_secret_until = shown(c, published->previous_until);
}

}  // namespace

boost::asio::awaitable<response> destination_screen(call& c, destination_slips slips) {
  const auto subject = own_destination(c, destination_id{std::string{c.path.id}});
  if (!subject) co_return error_page(page_error::nothing_here);
  find_deliveries query;
  query.to = subject->id;
  query.owner = c.visit->who->id;
  query.limit = rows_of_a_page + 1;
  const auto parameters = query_of(c.in);
  const auto cursor = read_cursor(parameter(parameters, "cursor"));
  if (cursor) query.before = cursor->first;
  const auto wanted_status = parameter(parameters, "status");
  query.status = parse_delivery_status(wanted_status);
  const auto status = query.status;
  auto asking = ask(c.here, std::move(query));
  auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  auto counting = count_failed(c, subject->id);
  const auto failed = co_await std::move(counting);
  if (!failed) co_return error_page(page_error::busy);
  auto looking = read_waiting(c, subject->id);
  const auto waiting = co_await std::move(looking);
  if (!waiting) co_return error_page(page_error::busy);
  auto reading = read_health(c, subject->id);
  const auto health = co_await std::move(reading);
  if (!health) co_return error_page(page_error::busy);

  destination_view view;
  view.frame = frame_of(c, member_place::destinations);
  view.frame.fault = std::move(slips.fault);
  if (!status && !wanted_status.empty()) view.frame.fault = ignored_filter("status", wanted_status);
  tell_health(c, view, *subject, health_of(*health, *subject));
  view.of.failed = *failed;
  tell_waiting(c, view.of, *waiting);
  fill_forms(c, view, *subject, std::move(slips));
  view.at_newest = !cursor;
  if (status) view.status = to_string(*status);
  if (found->jobs.size() > rows_of_a_page) {
    found->jobs.pop_back();
    view.older = make_cursor(found->jobs.back().row.id, {});
  }
  view.deliveries = delivery_rows(c, found->jobs, *health);
  co_return destination_page(view);
}

boost::asio::awaitable<response> destination_refused(call& c, destination_slips slips) {
  auto showing = destination_screen(c, std::move(slips));
  auto page = co_await std::move(showing);
  co_return refused_form(std::move(page));
}

boost::asio::awaitable<response> change_destination(call& c, operator_command wanted, std::string_view verb) {
  auto changing = change(c, std::move(wanted), note_of(c, std::string{verb} + " destination", c.path.id));
  auto made = co_await std::move(changing);
  if (auto* page = std::get_if<response>(&made)) co_return std::move(*page);
  if (std::holds_alternative<operator_problem>(std::get<operator_result>(made)))
    co_return error_page(page_error::nothing_here);
  co_return redirect_after_success(c, verb);
}

}  // namespace gateway::http
