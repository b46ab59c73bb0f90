#include "gateway/domain/authorize_request.hpp"

#include <algorithm>

namespace gateway {

namespace detail {

single_value find_parameter(std::span<const query_parameter> query, std::string_view name) {
  single_value found;
  for (const auto& each : query) {
    if (each.name != name) continue;
    if (found.value) return {std::nullopt, true};
    found.value = each.value;
  }
  return found;
}

bool has_repeated(std::span<const query_parameter> query) {
  std::vector<std::string_view> names;
  names.reserve(query.size());
  for (const auto& each : query) names.push_back(each.name);
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) != names.end();
}

std::string_view or_empty(const single_value& found) { return found.value.value_or(std::string_view{}); }

}  // namespace detail

std::string location_with_code(const authorize_request& asked, std::string_view code) {
  return with_parameters(asked.redirect_uri, {{"code", code}, {"state", asked.state}});
}

std::string location_with_error(const authorize_rejection& why) {
  if (why.state.empty()) return with_parameters(why.redirect_uri, {{"error", to_string(why.error)}});
  return with_parameters(why.redirect_uri, {{"error", to_string(why.error)}, {"state", why.state}});
}

authorize_rejection refused_by_user(const authorize_request& asked) {
  return {authorize_error::access_denied, asked.redirect_uri, asked.state};
}

}  // namespace gateway
