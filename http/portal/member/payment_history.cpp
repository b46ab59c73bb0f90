#include "payment_history.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/shown_money.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/codec/encode_payment.hpp"
#include "http/portal/member_page.hpp"
#include "payment_facts.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_acts_named = 10;
/// An action is in the audit log before its outcome is in the timeline. This many other entries of the merchant may
/// lie between them.
constexpr std::uint32_t entries_between = 20;

bool is_act_in_portal(const timeline_entry& entry) {
  return entry.kind == timeline_kind::attempt && entry.by == entry_origin::portal;
}

bool is_approved(const timeline_entry& entry) {
  return entry.status == to_string(provider_status::approved) || entry.status == "succeeded";
}
bool is_declined(const timeline_entry& entry) {
  return entry.status == to_string(provider_status::declined) || entry.status == "failed";
}

blocks::tone tone_of_entry(const timeline_entry& entry) {
  if (entry.kind == timeline_kind::event) return blocks::tone::neutral;
  if (const auto dispute = parse_dispute_status(entry.status)) return dispute_badge(*dispute).how;
  if (is_approved(entry)) return blocks::tone::good;
  return is_declined(entry) ? blocks::tone::bad : blocks::tone::waiting;
}

/// The refund that this attempt made. Both have the same time, because they were stored together.
const refund* refund_made_by(const payment& subject, const timeline_entry& entry) {
  if (entry.operation != to_string(operation::refund)) return nullptr;
  const auto at = std::ranges::find(subject.records.refunds, entry.occurred_at, &refund::created_at);
  return at == subject.records.refunds.end() ? nullptr : &*at;
}

std::optional<std::int64_t> number_in(const boost::json::value& data, std::string_view name) {
  const auto* object = data.if_object();
  const auto* member = object ? object->if_contains(name) : nullptr;
  const auto* number = member ? member->if_int64() : nullptr;
  return number ? std::optional{*number} : std::nullopt;
}

/// The amount that an event reports. The payment's amount in its data is not always the amount moved.
std::string amount_of_event(const payment& subject, const timeline_entry& entry) {
  boost::system::error_code wrong;
  const auto data = boost::json::parse(entry.event_data, wrong);
  if (wrong) return {};
  const auto shown_amount = [&](std::int64_t minor) { return amount_text({minor, subject.amount.unit}); };
  const auto type = parse_event_type(entry.operation);
  if (type == event_type::payment_refunded || type == event_type::payment_partially_refunded) {
    const auto total = number_in(data, "refunded_amount");
    return total ? shown_amount(*total) + " refunded in all" : std::string{};
  }
  const auto captured = type == event_type::payment_captured ? number_in(data, "captured_amount") : std::nullopt;
  const auto minor = captured ? captured : number_in(data, "amount");
  return minor ? shown_amount(*minor) : std::string{};
}

std::string amount_of_attempt(const payment& subject, const timeline_entry& entry) {
  const auto shown_amount = [&](std::int64_t minor) { return amount_text({minor, subject.amount.unit}); };
  if (const auto* made = refund_made_by(subject, entry)) return shown_amount(made->amount);
  if (entry.operation == to_string(operation::capture) && is_approved(entry) && subject.captured > 0)
    return shown_amount(subject.captured);
  const bool of_all =
      entry.operation == "authorize" || entry.operation == "charge" || entry.operation == "hosted_session";
  return of_all ? shown_amount(subject.amount.minor) : std::string{};
}

/// The person who took the last action of this kind at or before `until`.
std::string person_who(const portal_acts& acts, std::string_view action, time_point until) {
  const portal_act* last = nullptr;
  for (const auto& each : acts)
    if (each.action == action && each.at <= until && (!last || each.at > last->at)) last = &each;
  return last ? last->person : std::string{};
}

std::string words_of_author(entry_origin by, const portal_acts& acts, std::string_view action, time_point at) {
  if (by == entry_origin::portal)
    if (const auto person = person_who(acts, action, at); !person.empty()) return "by " + person + " on the portal";
  return std::string{words_of_origin(by)};
}

struct noted_act {
  time_point at{};
  std::string action;
  user_id user;
};

boost::asio::awaitable<std::optional<noted_act>> find_act(call& c, entity_key of, timeline_entry entry) {
  find_audit query;
  query.merchant = of.merchant;
  query.before = entry.occurred_at + duration_ms{1};
  query.limit = entries_between;
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return std::nullopt;
  const auto at = std::ranges::find_if(found->entries, [&](const save_audit& each) {
    return each.action == entry.operation && each.subject == of.id && each.env == of.env;
  });
  if (at == found->entries.end()) co_return std::nullopt;
  co_return noted_act{at->at, at->action, at->user};
}

}  // namespace

boost::asio::awaitable<portal_acts> read_portal_acts(call& c, entity_key subject, timeline_ptr of) {
  std::vector<noted_act> noted;
  std::size_t looked_up = 0;
  for (const auto& entry : of->entries | std::views::reverse) {
    if (!is_act_in_portal(entry)) continue;
    if (++looked_up > most_acts_named) break;
    auto finding = find_act(c, subject, entry);
    auto found = co_await std::move(finding);
    if (found) noted.push_back(*std::move(found));
  }
  if (noted.empty()) co_return portal_acts{};
  auto reading = entries_of_merchant(c);
  const auto entries = co_await std::move(reading);
  const auto* rows = std::get_if<directory_lookup>(&entries);
  if (!rows) co_return portal_acts{};
  portal_acts acts;
  for (auto& each : noted) {
    const auto user = std::ranges::find(rows->users, each.user, &stored_user::id);
    if (user != rows->users.end()) acts.push_back({each.at, std::move(each.action), user->email});
  }
  co_return acts;
}

std::vector<payment_event> events_of(const call& c, const payment& subject, const timeline_view& of,
                                     const portal_acts& acts) {
  std::vector<payment_event> events;
  events.reserve(of.entries.size());
  for (const auto& entry : of.entries) {
    const bool is_event = entry.kind == timeline_kind::event;
    payment_event event;
    event.at = shown(c, entry.occurred_at);
    event.what = entry.operation;
    event.status = entry.status;
    event.how = tone_of_entry(entry);
    event.origin = words_of_author(entry.by, acts, entry.operation, entry.occurred_at);
    event.amount = is_event ? amount_of_event(subject, entry) : amount_of_attempt(subject, entry);
    if (const auto* made = is_event ? nullptr : refund_made_by(subject, entry)) event.reason = made->reason;
    const bool ends =
        entry.operation == to_string(operation::void_payment) || entry.operation == to_string(operation::cancel);
    if (!is_event && ends && is_approved(entry)) event.reason = entry.message;
    if (!of.hides_provider) {
      event.error_code = entry.error_code;
      event.message = entry.message;
    }
    if (event.message == event.reason) event.message.clear();
    events.push_back(std::move(event));
  }
  return events;
}

std::vector<refund_row> refund_rows(const call& c, const payment& subject, const portal_acts& acts) {
  std::vector<refund_row> rows;
  rows.reserve(subject.records.refunds.size());
  for (const auto& each : subject.records.refunds)
    rows.push_back({each.id, amount_text({each.amount, subject.amount.unit}), each.status, each.reason,
                    words_of_author(each.by, acts, to_string(operation::refund), each.created_at),
                    shown(c, each.created_at), subject.hides_provider ? std::string{} : each.failure_code});
  std::ranges::reverse(rows);
  return rows;
}

last_decline decline_of(const payment& subject, const timeline_view& of) {
  const auto newest_first = of.entries | std::views::reverse;
  const auto last = std::ranges::find(newest_first, timeline_kind::attempt, &timeline_entry::kind);
  if (last == newest_first.end() || !is_declined(*last)) return {};
  last_decline made{last->operation, last->error_code, last->message};
  if (!of.hides_provider) return made;
  made.code = made.message = {};
  if (!subject.error) return made;
  const auto error = neutral_error(*subject.error);
  made.code = error.code;
  made.message = error.message;
  return made;
}

}  // namespace gateway::http
