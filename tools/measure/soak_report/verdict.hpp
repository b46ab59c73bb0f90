// Whether a series grows: by its slope over the last two thirds of a run, against a tolerance that is stated for each.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "samples.hpp"

namespace gateway::soak {

enum class unit : unsigned char { count, bytes, milliseconds, seconds };

/// How much a series may grow in a third of the run: this share of its median in the second third, or this much,
/// whichever is more.
struct expectation {
  std::string_view name;   ///< of the series
  std::string_view title;
  unit in = unit::count;
  double share = 0;
  double least = 0;  ///< in the unit of the samples
};

/// All series that are judged, in the order of the table. A series that a store does not have is left out.
const std::vector<expectation>& expectations();

/// The median of the slopes between all pairs of samples, for each second: a few wild samples do not change it.
double slope_of(const series& of);
double median_of(std::vector<double> values);

struct verdict {
  expectation of;
  std::array<std::optional<double>, 10> tenths;  ///< medians; none: no sample in that tenth
  double second_third = 0, last_third = 0;  ///< medians
  double growth = 0;   ///< in a third, by the slope over the last two thirds
  double allowed = 0;
  bool judged = false; ///< there are enough samples: three in each of the two thirds
  bool grows = false;
};

verdict judge(const expectation& of, const series& samples, double lasted_s);
/// In the order of expectations(). Throws std::runtime_error if resident memory or latencies were not sampled, since a
/// run without them shows nothing.
std::vector<verdict> judge_all(const store_run& run);

std::string text_of(double value, unit in);
/// A table for a terminal: a row for each series.
std::string table_of(const store_run& run, const std::vector<verdict>& all);

}  // namespace gateway::soak
