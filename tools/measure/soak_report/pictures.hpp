// The series of one or two stores as pictures, drawn by gateway-load's charts.
#pragma once

#include <string>
#include <vector>

#include "samples.hpp"

namespace gateway::soak {

struct picture {
  std::string file;  ///< "resident.svg"
  std::string svg;
};

/// One for each series that a store has sampled, with a line for each store.
std::vector<picture> pictures_of(const std::vector<store_run>& runs);

}  // namespace gateway::soak
