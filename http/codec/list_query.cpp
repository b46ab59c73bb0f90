#include "list_query.hpp"

#include <algorithm>
#include <utility>

#include <simdjson.h>

#include "body_fields.hpp"
#include "gateway/domain/customer.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"

namespace gateway::http {
namespace {

/// The name of a client's parameter for a message: percent-encoded, and cut if it is long.
std::string shown_name(std::string_view name) {
  constexpr std::size_t most_shown = 64;
  auto text = percent_encoded(name.substr(0, most_shown));
  return name.size() > most_shown ? text.append("…") : text;
}

}  // namespace

rejection malformed_parameter(std::string_view name, std::string_view must) {
  return {error_code::invalid_request, std::string{name}.append(": ").append(must)};
}

std::optional<time_point> parse_listed_time(std::string_view text) noexcept {
  constexpr std::string_view seconds = "2026-11-20T09:30:00", millis = "2026-11-20T09:30:00.125Z";
  if (text.size() != millis.size()) return parse_seconds(text);
  const auto digits = text.substr(seconds.size() + 1, 3);
  const auto fraction = parse_whole(digits, 0, 999);
  if (text[seconds.size()] != '.' || !text.ends_with('Z') || !fraction) return std::nullopt;
  const auto whole = parse_seconds(std::string{text.substr(0, seconds.size())}.append(1, 'Z'));
  if (!whole) return std::nullopt;
  return *whole + std::chrono::milliseconds{*fraction};
}

decoded<list_query> list_query::read(std::string_view query, std::span<const std::string_view> filters) {
  auto pairs = read_query(query);
  if (!pairs) return malformed_parameter("query", "has too many parameters, or is too long");
  list_query out;
  for (auto& each : *pairs) {
    // Authorization has read it for a platform; a merchant's request does not need it.
    if (each.name == environment_parameter) continue;
    if (each.name != limit_parameter && each.name != after_parameter &&
        std::ranges::find(filters, each.name) == filters.end())
      return malformed_parameter(shown_name(each.name), "this list has no such parameter");
    if (!out.value(each.name).empty()) return malformed_parameter(each.name, "must stand once");
    if (each.value.empty()) return malformed_parameter(each.name, "must not be empty");
    out.pairs_.push_back(std::move(each));
  }
  if (const auto text = out.value(limit_parameter); !text.empty()) {
    const auto limit = parse_whole(text, 1, most_listed);
    if (!limit) return malformed_parameter(limit_parameter, "must be a whole number from 1 to 100");
    out.limit_ = static_cast<std::uint32_t>(*limit);
  }
  return out;
}

decoded<std::string> list_query::customer_ref() const {
  const auto ref = value(customer_parameter);
  if (ref.empty()) return std::string{};
  if (!simdjson::validate_utf8(ref.data(), ref.size()))
    return malformed_parameter(customer_parameter, "must be valid UTF-8");
  if (!is_customer_ref(ref))
    return malformed_parameter(customer_parameter, "must have 1 to 128 characters, none of them a control character");
  return std::string{ref};
}

std::string_view list_query::value(std::string_view name) const noexcept {
  const auto at = std::ranges::find(pairs_, name, &query_parameter::name);
  return at == pairs_.end() ? std::string_view{} : std::string_view{at->value};
}

}  // namespace gateway::http
