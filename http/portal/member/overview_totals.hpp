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
  /// The first day of the previous period, which is as long.
  std::chrono::sys_days before() const { return first() - std::chrono::days{days}; }
};

/// Sets the view's totals. `totals` covers the period and the previous one. `currency` is the requested one; if it has
/// no payments, the one with the most payments is shown.
void fill_totals(overview_view& view, const std::vector<daily_total>& totals, const overview_period& period,
                 std::string_view currency);

}  // namespace gateway::http
