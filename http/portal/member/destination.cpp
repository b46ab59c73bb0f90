#include <algorithm>
#include <utility>

#include "deliveries.hpp"
#include "destination_changes.hpp"
#include "destination_screen.hpp"
#include "destination_view.hpp"
#include "destinations.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/codec/json_writer.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/as_member.hpp"
#include "http/portal/confirmation.hpp"
#include "http/portal/member_page.hpp"
#include "http/portal/page_forms.hpp"

namespace gateway::http {
namespace {

/// The page's destination, if the merchant has it in this mode; null if not.
const destination* destination_of_page(const call& c) {
  const auto& all = c.visit->who->destinations;
  const auto at = std::ranges::find_if(
      all, [&](const destination& each) { return each.id.value == c.path.id && each.env == c.visit->env; });
  return at == all.end() ? nullptr : &*at;
}

response ask_to_disable(const call& c, const destination& subject, const std::string& reason) {
  confirmation asked{.at = member_place::destinations, .verb = "disable", .object = subject.id.value};
  asked.title = "Disable this destination?";
  asked.consequence = "Nothing is sent there from then on. Its events are kept, and are sent once it is enabled again.";
  asked.label = "Disable the destination";
  asked.back = {"Keep it enabled", page_address(c.here.shared, *c.visit, "destinations/" + subject.id.value)};
  asked.hidden = {{"reason", reason}};
  asked.shown.rows.push_back({"URL", {blocks::code{subject.url}}});
  add_fact(asked.shown, "Reason", reason);
  return confirmation_page(c, asked);
}

boost::asio::awaitable<response> rotate_here(call& c, destination subject) {
  auto changing = change(c, rotate_destination_secret{subject.id}, note_of(c, "rotate destination", c.path.id));
  auto made = co_await std::move(changing);
  if (auto* page = std::get_if<response>(&made)) co_return std::move(*page);
  const auto* secret = std::get_if<rotated_secret>(&std::get<operator_result>(made));
  if (!secret) co_return error_page(page_error::nothing_here);
  destination_secret_view view;
  view.frame = frame_of(c, member_place::destinations);
  view.id = subject.id.value;
  view.url = subject.url;
  view.secret = secret->secret;
  view.rotated = true;
  view.old_until = shown(c, secret->previous_until);
  co_return destination_secret_page(view);
}

std::string test_event_data(const destination& subject) {
  std::string text;
  {
    json_object data{text};
    data.text("destination_id", subject.id.value);
    data.text("message", "A test event, sent from the merchant portal. No payment is behind it.");
  }
  return text;
}

/// Commits an event that belongs to no payment, its only delivery, and the audit entry. The event is delivered and
/// retried like any other.
boost::asio::awaitable<response> send_test_event(call& c, destination subject) {
  const auto now = c.here.shared.clock.now();
  const auto key = payment_key(c.visit->who->id, c.visit->env, payment_id{"test_" + crypto::random_hex(12)});
  timeline_entry event;
  event.kind = timeline_kind::event;
  event.seq = 1;
  event.operation = test_event_type;
  event.status = "published";
  event.occurred_at = now;
  event.event_id = "evt_" + crypto::random_hex(16);
  event.event_data = test_event_data(subject);
  delivery row;
  row.id = c.here.shared.numbers->next(now);
  row.subject = key;
  row.event_seq = event.seq;
  row.to = subject.id;
  row.next_attempt_at = now;
  row.created_at = now;
  unit_of_work unit;
  unit.subject = key;
  unit.inserts = {event, row, note_of(c, "test destination", subject.id.value)};
  auto committing = commit(c.here, std::move(unit));
  const auto outcome = co_await std::move(committing);
  if (!outcome || *outcome != commit_outcome::committed) co_return error_page(page_error::busy);
  event_record resent{event.event_id, key, event.seq, event.operation, now, event.event_data};
  send_to_dispatcher(c.here, fresh_deliveries{{{row, std::move(resent)}}});
  co_return redirect_after_success(c, "test");
}

boost::asio::awaitable<response> test_here(call& c, destination subject) {
  if (subject.status == destination_status::enabled) return send_test_event(c, subject);
  return destination_refused(
      c, {.fault = "The destination is disabled, so nothing is sent there. Enable it, then send a test event."});
}

boost::asio::awaitable<response> choose_events(call& c, destination subject, std::string_view action) {
  const auto chosen = c.visit->sent.all("events");
  auto events = stored_events(chosen);
  if (events) return change_destination(c, set_destination_events{subject.id, *std::move(events)}, action);
  return destination_refused(c, {.events = chosen, .events_fault = "Choose among these events."});
}

boost::asio::awaitable<response> disable_here(call& c, destination subject) {
  const auto reason = c.visit->sent.text("reason");
  const bool fits = count_characters(reason) <= most_typed;
  if (fits && !is_confirmed(c, "disable", subject.id.value)) co_return ask_to_disable(c, subject, reason);
  const disable_destination wanted{subject.id, reason.empty() ? "by the merchant" : reason};
  auto doing = fits ? change_destination(c, wanted, "disable")
                    : destination_refused(c, {.reason = {reason, std::string{reason_too_long}}});
  co_return co_await std::move(doing);
}

/// Not a coroutine that assigns: assigning to a Boost awaitable does not destroy the one that it replaces.
boost::asio::awaitable<response> act_on(call& c, destination subject) {
  const auto action = c.visit->sent.text("action");
  if (action == "events") return choose_events(c, subject, "events");
  if (action == "disable") return disable_here(c, subject);
  if (action == "change") return change_url_here(c, subject);
  if (action == "rename") return rename_here(c, subject);
  if (action == "delete") return delete_here(c, subject);
  if (action == "redeliver-failed") return redeliver_failed_here(c, subject);
  if (action == "enable") return change_destination(c, enable_destination{subject.id}, "enable");
  if (action == "standard-webhooks-on" || action == "standard-webhooks-off")
    return change_destination(c, set_standard_webhooks{subject.id, action == "standard-webhooks-on"},
                              action == "standard-webhooks-on" ? "standard-webhooks-on" : "standard-webhooks-off");
  if (action == "rotate") return rotate_here(c, subject);
  if (action == "test") return test_here(c, subject);
  if (action == "redeliver")
    return redeliver_here(c, [](const call& at, const delivery& row) { return row.to.value == at.path.id; });
  return unknown_action();
}

}  // namespace

boost::asio::awaitable<response> show_destination(call& c) { return destination_screen(c, {}); }

boost::asio::awaitable<response> act_on_destination(call& c) {
  const auto* subject = destination_of_page(c);
  if (!subject) co_return error_page(page_error::nothing_here);
  auto doing = act_on(c, *subject);
  co_return co_await std::move(doing);
}

}  // namespace gateway::http
