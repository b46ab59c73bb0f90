// What a merchant's pages share: the frame around them, times in their person's zone, and how they request changes.
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
/// Shown beside a reason that is longer than most_typed.
inline constexpr std::string_view reason_too_long = "The reason is too long: at most 200 characters.";

/// The frame of the visited page. After a successful change it says so (redirect_after_success).
member_frame frame_of(const call& c, member_place at);
/// The frame of a page that belongs to a person and to no merchant. `form_name`: what its forms' tokens are bound to.
member_frame frame_of(const services& shared, const signed_in& person, member_place at, std::string_view form_name);

/// A time in the person's zone.
shown_time shown(const signed_in& person, time_point at);
inline shown_time shown(const call& c, time_point at) { return shown(c.visit->person, at); }
/// Empty texts if there is no time.
shown_time shown(const call& c, std::optional<time_point> at);

/// A time in the person's zone, without its seconds; empty texts if there is none.
shown_time shown_minute(const call& c, std::optional<time_point> at);
/// A day in the person's zone; empty texts if there is none.
shown_time shown_day(const call& c, std::optional<time_point> at);

/// The day that a list's filter names, in this zone, or the day `days_later` after it. A text that is none gets its
/// fault.
std::optional<time_point> filter_day(field& typed, std::string_view zone, int days_later = 0);
/// Says that a list's filter names something that does not exist, and so is ignored: `state`, `paid`.
std::string ignored_filter(std::string_view what, std::string_view value);

/// The form's page again, with the faults beside the fields.
response refused_form(response page);
/// Redirects to the page by GET, which then says what was done. `verb`: the action's.
response redirect_after_success(const call& c, std::string_view verb);

/// The page's message after the action of this verb; empty for an unknown verb.
std::string message_after(std::string_view verb);

/// For a form whose action the page does not have.
boost::asio::awaitable<response> unknown_action();

/// The audit entry for a person's action on a merchant's page: who, when, from where. An empty subject stands for what
/// the change creates.
save_audit note_of(const call& c, std::string_view action, std::string_view subject = {});

/// The result of a change: what it made, or why it was refused; or the page to show if its outcome is unknown.
using changed = std::variant<operator_result, response>;
boost::asio::awaitable<changed> change(call& c, operator_command what, save_audit note);

/// Records an action that no commit can carry: separately, before the action. False if recording failed.
boost::asio::awaitable<bool> note_alone(call& c, save_audit note);

/// Whether the actor's reply says that the entity could not be read now, which does not mean that it does not exist.
bool is_unread(const entity_reply& reply) noexcept;

/// The merchant's keys, people and destinations, as the store has them; or the page to show.
boost::asio::awaitable<std::variant<directory_lookup, response>> entries_of_merchant(call& c);

/// Makes and reads an opaque cursor. Reading returns nothing if the gateway did not make it.
std::string make_cursor(std::int64_t number, std::string_view id);
std::optional<std::pair<std::int64_t, std::string>> read_cursor(std::string_view cursor);

}  // namespace gateway::http
