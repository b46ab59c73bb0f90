// The figures of the overview, from a merchant's totals by day.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/daily_total.hpp"
#include "overview_view.hpp"

namespace gateway::http {

/// The days that end with `today`.
struct overview_period {
  std::chrono::sys_days today{};
  int days = 14;

  std::chrono::sys_days first() const { return today - std::chrono::days{days - 1}; }
  /// The first of as many days before.
  std::chrono::sys_days before() const { return first() - std::chrono::days{days}; }
};

/// `totals`: of the period and of the days before it. `currency`: the wished one; if nothing was taken in it, the one
/// with most payments.
void tell_totals(overview_view& view, const std::vector<daily_total>& totals, const overview_period& period,
                 std::string_view currency);

}  // namespace gateway::http
