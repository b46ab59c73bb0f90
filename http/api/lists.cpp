#include "lists.hpp"

#include <utility>

#include "http/call/call.hpp"
#include "http/call/services.hpp"

namespace gateway::http {

cursor_scope cursors_of_merchant(const call& c, std::string_view list) noexcept {
  return {list, c.allowed.merchant, c.allowed.env};
}

cursor_scope cursors_of_platform(const call& c, std::string_view list) noexcept {
  return {list, c.allowed.merchant, c.allowed.env, c.allowed.principal};
}

decoded<std::optional<timed_position>> position_after(const call& c, const cursor_scope& of, const list_query& query) {
  if (query.after().empty()) return std::optional<timed_position>{};
  auto after = read_timed_cursor(c.here.shared.cursor_key, of, query.after());
  if (!after) return malformed_parameter(list_query::after_parameter, "must be the next of a page of this list");
  return after;
}

}  // namespace gateway::http
