#include "pictures.hpp"

#include <algorithm>
#include <string_view>

#include "report/chart.hpp"
#include "verdict.hpp"

namespace gateway::soak {

namespace {

constexpr double mb = 1024 * 1024, ns_of_ms = 1e6;
constexpr std::size_t most_points = 240;  // a pixel or two each

struct drawing {
  std::string_view name;  ///< of the series, and of the file
  std::string_view title;
  double scale = 1;  ///< samples are multiplied by it
  bool duration = false;  ///< after scaling: nanoseconds, on a logarithmic axis
};

constexpr drawing drawings[] = {
    {"resident", "Resident memory of the gateway, MB", 1 / mb},
    {"database", "Files of the database, MB", 1 / mb},
    {"database_each", "Growth of the database for each operation, bytes"},
    {"log", "Write-ahead log (SQLite), redo log (MariaDB), MB", 1 / mb},
    {"rate", "Requests answered each second"},
    {"p99_ms", "Payments: p99 of each second's answers", ns_of_ms, true},
    {"arrival_p99_ms", "Webhooks: commit to arrival, p99", ns_of_ms, true},
    {"webhook_oldest_s", "Webhooks: age of the oldest pending, s"},
    {"keys_kept", "Idempotency keys kept"},
    {"purge_overdue_s", "Oldest finished key beyond its term, s"},
    {"deliveries_kept", "Deliveries kept"},
    {"events_age_s", "Age of the oldest event in the log, s"},
};

/// Several samples become their median, so that a line can be read.
load::line line_of(const series& of, double scale, std::string style) {
  load::line made;
  made.style = std::move(style);
  const auto each = std::max<std::size_t>(1, (of.size() + most_points - 1) / most_points);
  for (std::size_t begin = 0; begin < of.size(); begin += each) {
    const auto end = std::min(begin + each, of.size());
    std::vector<double> values;
    for (auto i = begin; i < end; ++i) values.push_back(of[i].value * scale);
    made.points.emplace_back(of[(begin + end - 1) / 2].at_s, median_of(std::move(values)));
  }
  return made;
}

load::axis axis_of(const std::vector<load::line>& lines, bool duration) {
  double least = 1e18, most = 0;
  for (const auto& one : lines)
    for (const auto& [x, y] : one.points) {
      if (y > 0) least = std::min(least, y);
      most = std::max(most, y);
    }
  return duration && most > 0 ? load::duration_axis(least, most) : load::count_axis(most * 1.06);
}

}  // namespace

std::vector<picture> pictures_of(const std::vector<store_run>& runs) {
  std::vector<picture> all;
  for (const auto& what : drawings) {
    load::chart made;
    made.label = what.title;
    double lasted = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      lasted = std::max(lasted, runs[i].lasted_s);
      const auto found = runs[i].all.find(std::string{what.name});
      if (found == runs[i].all.end() || found->second.empty()) continue;
      const auto style = "c" + std::to_string(i) + (i > 0 ? " d1" : "");
      made.lines.push_back(line_of(found->second, what.scale, style));
      const auto& [x, y] = made.lines.back().points.back();
      made.marks.push_back({x, y, "c" + std::to_string(i) + " end", runs[i].store});
    }
    if (made.lines.empty()) continue;
    made.x = load::time_axis(lasted);
    made.y = axis_of(made.lines, what.duration);
    all.push_back({std::string{what.name} + ".svg", load::svg_picture(made, what.title)});
  }
  return all;
}

}  // namespace gateway::soak
