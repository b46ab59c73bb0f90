// What the pages of a merchant have in common: the frame around them, times as their person reads them, and how a
// change is asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include "gateway/actors.hpp"
#include "http/pages/member_frame.hpp"
#include "http/portal/visit.hpp"
#include "http/routes/table.hpp"

namespace gateway::http {

inline constexpr std::uint32_t rows_of_a_page = 50;
/// Beside the field of a reason that is longer than most_typed.
inline constexpr std::string_view reason_too_long = "The reason is too long: at most 200 characters.";

/// Of the page that is visited. After a change that succeeded, it tells so (went_well).
member_frame frame_of(const call& c, member_place at);
/// The frame of a page that belongs to a person, and to no merchant. `form_name`: what its forms' tokens are bound to.
member_frame frame_of(const services& shared, const signed_in& person, member_place at, std::string_view form_name);

/// A time in the person's zone.
shown_time shown(const signed_in& person, time_point at);
inline shown_time shown(const call& c, time_point at) { return shown(c.visit->person, at); }
/// None: empty texts.
shown_time shown(const call& c, std::optional<time_point> at);

/// The form's page again, with what is wrong beside the fields.
response refused_form(response page);
/// Back to the page by GET, which then says what was done. `verb`: the action's.
response went_well(const call& c, std::string_view verb);

/// What a page says once the action of this verb is done; empty for anything else.
std::string words_for_done(std::string_view verb);

/// Of a form whose action is none of the page's.
boost::asio::awaitable<response> unknown_action();

/// What a person does at a merchant's page, as it is noted: who, when, from where. An empty subject: what the change
/// makes.
save_audit note_of(const call& c, std::string_view action, std::string_view subject = {});

/// What came of a change: what it made, or why it was refused in words; or the page to show, because nobody knows.
using changed = std::variant<operator_result, response>;
boost::asio::awaitable<changed> change(call& c, operator_command what, save_audit note);

/// For what no commit of a change can carry: noted by itself, before it is done. False: it could not be.
boost::asio::awaitable<bool> note_alone(call& c, save_audit note);

/// The merchant's keys, people and destinations, as the store has them; or the page to show.
boost::asio::awaitable<std::variant<directory_lookup, response>> entries_of_merchant(call& c);

/// What an opaque cursor says; nothing if it is not one of ours.
std::string make_cursor(std::int64_t number, std::string_view id);
std::optional<std::pair<std::int64_t, std::string>> read_cursor(std::string_view cursor);

}  // namespace gateway::http
