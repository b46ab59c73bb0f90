// What a merchant's pages share: the frame, times in the person's zone, and changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include "gateway/messages/actors.hpp"
#include "http/call/call.hpp"
#include "member_frame.hpp"
#include "visit.hpp"

namespace gateway::http {

inline constexpr std::uint32_t rows_of_a_page = 50;
/// Shown beside a reason longer than most_typed.
inline constexpr std::string_view reason_too_long = "The reason is too long: at most 200 characters.";

/// The frame of the visited page, with the message of redirect_after_success().
member_frame frame_of(const call& c, member_place at);
/// The frame of a page that belongs to no merchant. The CSRF tokens of its forms are bound to `form_name`.
member_frame frame_of(const services& shared, const signed_in& person, member_place at, std::string_view form_name);

/// A time in the person's zone.
shown_time shown(const signed_in& person, time_point at);
inline shown_time shown(const call& c, time_point at) { return shown(c.visit->person, at); }
/// As above; the texts are empty if there is no time.
shown_time shown(const call& c, std::optional<time_point> at);

/// A time in the person's zone, without its seconds; empty texts if there is none.
shown_time shown_minute(const call& c, std::optional<time_point> at);
/// A day in the person's zone; empty texts if there is none.
shown_time shown_day(const call& c, std::optional<time_point> at);

/// The day that a list's filter names, in this zone, or the day `days_later` after it. Sets the field's fault if the
/// text is not a day.
std::optional<time_point> filter_day(field& typed, std::string_view zone, int days_later = 0);
/// Says that a list's filter has an unknown value and is ignored. `what`: `state`; `value`: `paid`.
std::string ignored_filter(std::string_view what, std::string_view value);

/// The form's page again, with faults beside the fields.
response refused_form(response page);
/// Redirects to the page, which then shows message_after() for this verb.
response redirect_after_success(const call& c, std::string_view verb);

/// The page's message after the action of this verb; empty for an unknown verb.
std::string message_after(std::string_view verb);

/// The answer to a form whose action the page does not have.
boost::asio::awaitable<response> unknown_action();

/// The audit entry of a person's action on a merchant's page: who, when, from where. If the subject is empty, the
/// directory enters the id of what the change creates.
save_audit note_of(const call& c, std::string_view action, std::string_view subject = {});

/// The result of a change: what it made, why it was refused, or the page to show if its outcome is unknown.
using changed = std::variant<operator_result, response>;
boost::asio::awaitable<changed> change(call& c, operator_command what, save_audit note);

/// Commits the audit entry of an action that has no commit of its own, before the action. False if this failed.
boost::asio::awaitable<bool> note_alone(call& c, save_audit note);

/// Whether the actor could not read the entity now, which does not mean that it does not exist.
bool is_unread(const entity_reply& reply) noexcept;

/// The merchant's stored keys, people and destinations, or the page to show.
boost::asio::awaitable<std::variant<directory_lookup, response>> entries_of_merchant(call& c);

/// Makes and reads an opaque cursor. read_cursor() returns nullopt if the text is not a cursor.
std::string make_cursor(std::int64_t number, std::string_view id);
std::optional<std::pair<std::int64_t, std::string>> read_cursor(std::string_view cursor);

}  // namespace gateway::http
