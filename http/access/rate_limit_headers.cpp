#include "rate_limit_headers.hpp"

#include <algorithm>

namespace gateway::http {

namespace {

std::uint32_t seconds_for(std::uint32_t requests, const rate_rule& rule) noexcept {
  return std::max<std::uint32_t>(1, (requests + rule.per_second - 1) / rule.per_second);
}

void add_item(std::string& list, std::string_view name, std::string_view amount, std::uint32_t requests,
              std::string_view time, std::uint32_t seconds) {
  if (!list.empty()) list += ", ";
  list.append(1, '"').append(name).append(1, '"');
  list.append(1, ';').append(amount).append(1, '=').append(std::to_string(requests));
  list.append(1, ';').append(time).append(1, '=').append(std::to_string(seconds));
}

std::string room_for(std::span<const rate_standing> standings) {
  std::string list;
  list.reserve(32 * (standings.size() + 1));  // the address's standing is appended to the signer's
  return list;
}

void add_to_field(response& out, std::string_view name, std::string text) {
  const auto at = std::ranges::find(out.headers, name, [](const auto& header) { return header.first; });
  if (at == out.headers.end())
    out.headers.emplace_back(name, std::move(text));
  else
    at->second.append(", ").append(text);
}

}  // namespace

std::string rate_policy_text(std::span<const rate_standing> standings) {
  auto list = room_for(standings);
  for (const auto& one : standings)
    add_item(list, one.name, "q", one.rule.burst, "w", seconds_for(one.rule.burst, one.rule));
  return list;
}

std::string rate_left_text(std::span<const rate_standing> standings) {
  auto list = room_for(standings);
  for (const auto& one : standings) add_item(list, one.name, "r", one.left, "t", seconds_for(one.left, one.rule));
  return list;
}

void add_rate_limits(response& out, std::span<const rate_standing> standings) {
  if (standings.empty()) return;
  add_to_field(out, "RateLimit-Policy", rate_policy_text(standings));
  add_to_field(out, "RateLimit", rate_left_text(standings));
}

}  // namespace gateway::http
