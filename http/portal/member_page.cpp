#include "member_page.hpp"

#include <array>
#include <limits>
#include <utility>

#include "account_audit.hpp"
#include "as_member.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/domain/text.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "http/html/shown_time.hpp"
#include "page_forms.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view done_parameter = "done";

struct done_words {
  std::string_view verb;
  std::string_view words;
};
constexpr auto words_of_done = std::to_array<done_words>({
    {"revoke", "Revoked. It no longer works anywhere."},
    {"capture", "The payment was captured."},
    {"refund", "The refund was made."},
    {"refund-pending", "The provider has accepted the refund, and will make it later. Its status is below."},
    {"void", "The payment was voided."},
    {"cancel", "The payment was cancelled. Its customer can no longer pay."},
    {"cancel-subscription", "The subscription was cancelled. Nothing more is billed."},
    {"disable", "Disabled. What happens from now on is kept, and sent once it is enabled."},
    {"enable", "Enabled. What was kept is on its way."},
    {"events", "The events were changed."},
    {"test", "A test event is on its way. Look below for what came of it."},
    {"redeliver", "It is on its way."},
    {"redeliver-failed", "Everything that had failed is on its way again."},
    {"change", "The URL was changed. Everything is sent there from now on, also what waited."},
    {"rename", "The name was changed."},
    {"standard-webhooks-on", "Webhooks are signed in the Standard Webhooks form as well from now on."},
    {"standard-webhooks-off", "Webhooks are no longer signed in the Standard Webhooks form."},
    {"delete", "Deleted. Nothing is sent there any more, and what waited for it is dropped."},
    {"connect", "The connection stands."},
    {"role", "The role was changed. It holds at once."},
    {"save-branding", "Saved. Your customers see it from now on."},
    {"remove-logo", "The logo was removed."},
    {"remove", "Removed. That person no longer sees this merchant."},
    {"set-password", "Your password was changed. You are signed out everywhere else."},
    {"set-zone", "Times are shown in your time zone from now on."},
    {"accept", "You belong to the merchant's team now."},
    {"second-factor-off", "The second factor is off. Your password alone signs you in."},
    {"end-session", "That session has ended."},
    {"end-other-sessions", "You are signed out everywhere else."},
});

}  // namespace

std::string message_after(std::string_view verb) {
  for (const auto& each : words_of_done)
    if (each.verb == verb) return std::string{each.words};
  return {};
}

member_frame frame_of(const services& shared, const signed_in& person, member_place at, std::string_view form_name) {
  member_frame frame;
  frame.portal = shared.portal_url;
  frame.documents = shared.base_url + "/docs";
  frame.at = at;
  frame.user = shown_user(shared, person);
  for (const auto& each : person.who.of) frame.merchants.push_back({each.merchant.value, each.merchant_name});
  frame.csrf = csrf_of(shared, person, form_name);
  frame.zone = person.who.time_zone.empty() ? "UTC" : person.who.time_zone;
  return frame;
}

member_frame frame_of(const call& c, member_place at) {
  const auto& visit = *c.visit;
  auto frame = frame_of(c.here.shared, visit.person, at, {});
  frame.csrf = csrf_for(c.here.shared, visit);
  frame.merchant_id = visit.who->id.value;
  frame.merchant = visit.who->name;
  frame.env = visit.env;
  frame.role = visit.role;
  if (c.in.method == "GET") frame.notice = message_after(parameter(query_of(c.in), done_parameter));
  return frame;
}

shown_time shown(const signed_in& person, time_point at) { return show_time(at, person.who.time_zone); }

shown_time shown(const call& c, std::optional<time_point> at) { return show_time(at, c.visit->person.who.time_zone); }

shown_time shown_minute(const call& c, std::optional<time_point> at) {
  return show_minute(at, c.visit->person.who.time_zone);
}

shown_time shown_day(const call& c, std::optional<time_point> at) {
  return show_day(at, c.visit->person.who.time_zone);
}

std::optional<time_point> filter_day(field& typed, std::string_view zone, int days_later) {
  if (typed.value.empty()) return std::nullopt;
  auto day = read_day(typed.value, zone, days_later);
  if (!day) typed.fault = "Write a day as 2026-11-24.";
  return day;
}

std::string ignored_filter(std::string_view what, std::string_view value) {
  std::string text{"There is no "};
  text.append(what).append(" “").append(value.substr(0, most_typed)).append("”. All are shown.");
  return text;
}

boost::asio::awaitable<response> unknown_action() { co_return error_page(page_error::malformed_form); }

response refused_form(response page) { return with_status(page_error::refused_form, std::move(page)); }

response redirect_after_success(const call& c, std::string_view verb) {
  auto local = std::string{c.in.path};
  local.append(1, '?').append(done_parameter).append(1, '=').append(verb);
  return redirect_to(public_url(c.here.shared, local));
}

save_audit note_of(const call& c, std::string_view action, std::string_view subject) {
  constexpr std::size_t most_subject = 128;
  auto note = note_of(c, c.visit->person.who.user, action, std::string{subject.substr(0, most_subject)});
  note.merchant = c.visit->who->id;
  note.env = c.visit->env;
  return note;
}

boost::asio::awaitable<changed> change(call& c, operator_command what, save_audit note) {
  noted_command wanted{std::move(what), std::move(note)};
  auto asking = ask(c.here, std::move(wanted));
  auto reply = co_await std::move(asking);
  if (!reply) co_return error_page(page_error::busy);
  co_return std::move(*reply);
}

boost::asio::awaitable<bool> note_alone(call& c, save_audit note) {
  unit_of_work unit;
  unit.inserts.push_back(std::move(note));
  auto noting = commit(c.here, std::move(unit));
  const auto outcome = co_await std::move(noting);
  co_return outcome && *outcome == commit_outcome::committed;
}

bool is_unread(const entity_reply& reply) noexcept {
  const auto* why = std::get_if<problem>(&reply.what);
  return why && *why != problem::payment_not_found;
}

boost::asio::awaitable<std::variant<directory_lookup, response>> entries_of_merchant(call& c) {
  find_directory query;
  query.of.push_back({directory_name::kind::merchant, c.visit->who->id.value});
  auto asking = ask(c.here, std::move(query));
  auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  co_return std::move(*found);
}

std::string make_cursor(std::int64_t number, std::string_view id) {
  return crypto::base64url(std::to_string(number).append(1, '.').append(id));
}

std::optional<std::pair<std::int64_t, std::string>> read_cursor(std::string_view cursor) {
  constexpr std::size_t most_cursor = 256;
  if (cursor.size() > most_cursor) return std::nullopt;
  const auto text = crypto::from_base64url(cursor);
  if (!text) return std::nullopt;
  const auto dot = text->find('.');
  const auto number = parse_whole(std::string_view{*text}.substr(0, dot), 0, std::numeric_limits<std::int64_t>::max());
  if (dot == text->npos || !number) return std::nullopt;
  return std::pair{*number, text->substr(dot + 1)};
}

}  // namespace gateway::http
