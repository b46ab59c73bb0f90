// What several runs tell together: how rate and latency change with one number that they differ in, such as their
// connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/result.hpp"

namespace gateway::load {

/// All runs at one place of a curve, as if they were one.
struct curve_point {
  double x = 0;
  std::size_t runs = 0;
  double seconds = 0;
  histogram latency;
  std::uint64_t failed = 0;

  double rate() const { return seconds > 0 ? static_cast<double>(latency.count()) / seconds : 0; }
};

struct curve {
  std::string name;  ///< what its runs have and those of its neighbours have not; empty if it has none
  std::vector<curve_point> points;  ///< two or more, by x
};

struct curve_family {
  std::string over;  ///< "connections", "merchants", or a label
  std::vector<curve> curves;
};

/// Runs that differ in one number, and in nothing else that was asked for, make a curve. Nothing if there are none.
std::vector<curve_family> curves_of(const std::vector<run_result>& runs);

}  // namespace gateway::load
