// Curves over several runs: how rate and latency change with the one number that the runs differ in, such as
// connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/result.hpp"

namespace gateway::load {

/// All runs at one position of a curve, summed up.
struct curve_point {
  double x = 0;
  std::size_t runs = 0;
  double seconds = 0;
  histogram latency;
  std::uint64_t failed = 0;

  double rate() const { return seconds > 0 ? static_cast<double>(latency.count()) / seconds : 0; }
};

struct curve {
  std::string name;  ///< how its runs differ from those of other curves; empty if there is only one curve
  std::vector<curve_point> points;  ///< two or more, by x
};

struct curve_family {
  std::string over;  ///< "connections", "merchants", or a label
  std::vector<curve> curves;
};

/// Runs whose options differ in one number and in nothing else make a curve. Empty if there are none.
std::vector<curve_family> curves_of(const std::vector<run_result>& runs);

}  // namespace gateway::load
