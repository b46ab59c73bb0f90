// The query of a list: its filters, and the parameters that every list has. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoded.hpp"
#include "gateway/domain/time.hpp"
#include "query.hpp"

namespace gateway::http {

inline constexpr std::uint32_t most_listed = 100, usually_listed = 20;

class list_query {
 public:
  /// `filters`: the parameters that the list has besides `limit`, `after` and `environment`, which authorization reads.
  /// A parameter that the list does not have, that is repeated, or whose value is empty is rejected under its name.
  static decoded<list_query> read(std::string_view query, std::span<const std::string_view> filters);

  std::uint32_t limit() const noexcept { return limit_; }
  /// Where to continue, as the client sent it; empty: at the beginning.
  std::string_view after() const noexcept { return value(after_parameter); }
  /// Empty if the query does not have it: a value is never empty.
  std::string_view value(std::string_view name) const noexcept;
  /// The value of `customer_ref`, empty if the query does not have it.
  decoded<std::string> customer_ref() const;

  static constexpr std::string_view limit_parameter = "limit", after_parameter = "after",
                                    customer_parameter = "customer_ref";

 private:
  std::vector<query_parameter> pairs_;
  std::uint32_t limit_ = usually_listed;
};

/// A time in one of the two forms that the interface writes: `2026-11-20T09:30:00Z`, `2026-11-20T09:30:00.125Z`.
std::optional<time_point> parse_listed_time(std::string_view text) noexcept;

/// 400 for a parameter: its name, and what its value must be.
rejection malformed_parameter(std::string_view name, std::string_view must);

}  // namespace gateway::http
