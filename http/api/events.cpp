#include "events.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "gateway/domain/text.hpp"
#include "http/call/ask.hpp"
#include "http/call/event_followers.hpp"
#include "http/call/reply.hpp"
#include "http/codec/body_fields.hpp"
#include "http/codec/encode_event.hpp"
#include "http/codec/encode_list.hpp"
#include "http/errors.hpp"
#include "lists.hpp"

namespace gateway::http {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;
using found_events = caf::expected<logged_events_lookup>;

constexpr std::int64_t longest_wait = 30;  // seconds
constexpr std::string_view from_now_on = "end";
/// How long an answer waits for commits that are under way on this node and on others.
constexpr auto longest_completion = 1s;
/// How long one request searches while no event matches.
constexpr auto longest_search = 2s;

/// What a request asks for.
struct event_query {
  find_logged_events wanted;
  std::chrono::seconds wait{0};
  bool from_now_on = false;
  bool matches_none = false;  ///< the caller receives none of the types
};

destination_kind reader_of(const call& c) noexcept {
  return c.allowed.by_platform ? destination_kind::platform : destination_kind::merchant;
}

cursor_scope event_cursors(const call& c) { return cursors_of_platform(c, "events"); }

/// The cursor holds the position and the earliest time of the events, which applies to the following pages too.
std::string cursor_at(const call& c, std::int64_t position, const std::optional<time_point>& from) {
  const timed_position at{from.value_or(from_unix_ms(0)), std::to_string(position)};
  return make_cursor(c.here.shared.cursor_key, event_cursors(c), at);
}

using query_fault = std::optional<rejection>;

query_fault read_position(const call& c, const list_query& query, event_query& into) {
  into.from_now_on = query.after() == from_now_on;
  if (into.from_now_on) return std::nullopt;
  auto after = position_after(c, event_cursors(c), query);
  if (auto* wrong = std::get_if<rejection>(&after)) return std::move(*wrong);
  const auto& position = std::get<std::optional<timed_position>>(after);
  if (!position) return std::nullopt;
  into.wanted.after = parse_whole(position->id, 0, std::numeric_limits<std::int64_t>::max()).value_or(0);
  if (to_unix_ms(position->at) != 0) into.wanted.from = position->at;
  return std::nullopt;
}

/// A type that only another kind of reader receives is accepted, and matches nothing.
query_fault read_types(const call& c, std::string_view text, event_query& into) {
  const auto reader = reader_of(c);
  auto& types = into.wanted.types;
  into.matches_none = !text.empty();
  for (bool more = !text.empty(); more;) {
    const auto comma = text.find(',');
    const auto name = text.substr(0, comma);
    const auto stored = stored_event_type(name);
    const auto type = stored ? parse_event_type(*stored) : std::nullopt;
    if (!type && name != test_event_type)
      return malformed_parameter("types", "must be the name of an event's type, or several with a comma between two");
    if (type && type_for(reader, *stored) == name) {
      into.matches_none = false;
      if (std::ranges::find(types, *type) == types.end()) types.push_back(*type);
    }
    more = comma != text.npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return std::nullopt;
}

decoded<event_query> decode_event_query(const call& c) {
  auto read = list_query::read(c.in.query, event_filters);
  if (auto* wrong = std::get_if<rejection>(&read)) return std::move(*wrong);
  const auto& query = std::get<list_query>(read);
  event_query out;
  auto& wanted = out.wanted;
  wanted.env = c.allowed.env;
  wanted.merchant = c.allowed.merchant;
  wanted.platform = platform_id{c.allowed.principal};
  wanted.limit = query.limit();
  if (auto wrong = read_types(c, query.value("types"), out)) return *std::move(wrong);
  if (const auto text = query.value("wait"); !text.empty()) {
    const auto wait = parse_whole(text, 0, longest_wait);
    if (!wait) return malformed_parameter("wait", "must be a whole number of seconds from 0 to 30");
    out.wait = std::chrono::seconds{*wait};
  }
  if (const auto text = query.value("from"); !text.empty()) {
    if (!query.after().empty()) return malformed_parameter("from", "must not stand beside after");
    wanted.from = parse_listed_time(text);
    if (!wanted.from) return malformed_parameter("from", "must be a time in UTC, such as 2026-11-20T09:30:00Z");
  }
  if (auto wrong = read_position(c, query, out)) return *std::move(wrong);
  return out;
}

boost::asio::awaitable<void> pause_log(steady::duration length) {
  const auto executor = co_await boost::asio::this_coro::executor;
  boost::asio::steady_timer timer{executor, length};
  auto waiting = timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  co_await std::move(waiting);
}

/// The events after the position, including all that were committed before the request.
boost::asio::awaitable<found_events> read_complete(call& c, find_logged_events wanted) {
  wanted.complete_to = 0;
  const auto until = steady::now() + longest_completion;
  for (;;) {
    auto op = ask(c.here, wanted);
    auto found = co_await std::move(op);
    const bool is_full = found && (found->events.size() == wanted.limit || found->more || found->expired);
    if (!found || is_full || found->complete >= found->complete_to || steady::now() >= until) co_return found;
    wanted.complete_to = found->complete_to;
    auto pausing = pause_log(5ms);
    co_await std::move(pausing);
  }
}

/// Reads on while no event matches.
boost::asio::awaitable<found_events> search_log(call& c, find_logged_events& wanted) {
  const auto until = steady::now() + longest_search;
  for (;;) {
    auto op = read_complete(c, wanted);
    auto found = co_await std::move(op);
    if (!found) co_return found;
    if (found->expired) co_return found;
    wanted.after = found->read_to;
    if (!found->events.empty() || !found->more || steady::now() >= until) co_return found;
  }
}

/// Moves the position to the end of what was committed before the request.
boost::asio::awaitable<std::optional<caf::error>> go_to_end(call& c, find_logged_events& wanted) {
  auto end = wanted;
  end.after = std::numeric_limits<std::int64_t>::max();
  auto op = read_complete(c, end);
  const auto found = co_await std::move(op);
  if (!found) co_return found.error();
  wanted.after = std::max<std::int64_t>(0, found->complete - 1);
  co_return std::nullopt;
}

void append_logged(std::string& out, const logged_event& each, destination_kind reader) {
  static const auto encoder = make_event_encoder();
  out += encoder->envelope(each.event, reader, each.merchants_entity, each.partial);
}

}  // namespace

boost::asio::awaitable<response> read_event_log(call& c) {
  auto decoded_query = decode_event_query(c);
  if (const auto* wrong = std::get_if<rejection>(&decoded_query)) co_return error_response(*wrong);
  auto& query = std::get<event_query>(decoded_query);
  const auto until = steady::now() + query.wait;
  if (query.from_now_on) {
    auto going = go_to_end(c, query.wanted);
    const auto failed = co_await std::move(going);
    if (failed) co_return error_response(code_of(*failed));
  }
  const auto& shared = c.here.shared;
  for (;;) {
    auto searching = search_log(c, query.wanted);
    auto found = co_await std::move(searching);
    if (!found) co_return error_response(code_of(found.error()));
    if (found->expired) co_return error_response(error_code::cursor_expired);
    if (query.matches_none) found->events.clear();
    const bool ends = !found->events.empty() || found->more || steady::now() >= until || shared.draining.load();
    if (ends) {
      const auto next = cursor_at(c, found->read_to, query.wanted.from);
      const auto append = [&](std::string& out, const logged_event& each) { append_logged(out, each, reader_of(c)); };
      co_return answer_with(encode_list("events", found->events, next, append));
    }
    auto waiting = followers_of(c.here).wait(query.wanted, until);
    co_await std::move(waiting);
  }
}

boost::asio::awaitable<response> show_logged_event(call& c) {
  constexpr std::size_t longest = 255;
  find_logged_events wanted{c.allowed.env, c.allowed.merchant, platform_id{c.allowed.principal}};
  wanted.id = c.path.id;
  wanted.limit = 1;
  if (wanted.id.size() > longest || !std::ranges::all_of(wanted.id, is_id_character))
    co_return error_response(error_code::event_not_found);
  auto op = ask(c.here, std::move(wanted));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  if (found->events.empty()) co_return error_response(error_code::event_not_found);
  std::string body;
  append_logged(body, found->events.front(), reader_of(c));
  co_return answer_with(std::move(body));
}

}  // namespace gateway::http
