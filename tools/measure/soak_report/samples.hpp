// The samples of tools/soak on one store, as series over time.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace gateway::soak {

struct sample {
  double at_s = 0;  ///< since the begin of the load
  double value = 0;
};
using series = std::vector<sample>;  ///< in the order of time
using series_by_name = std::map<std::string, series>;

struct store_run {
  std::string store;       ///< its name in the pictures
  double lasted_s = 0;
  series_by_name all;
  std::uint64_t payments = 0, keys = 0, events = 0;  ///< that gateway-load has verified
};

/// A header of names, the first of which is at_s, and a row of numbers for each sample; an empty field is no sample.
/// Throws std::runtime_error that names the line.
series_by_name read_samples(std::istream& from);

/// How much `of` grows for each unit by which `by` grows, at each sample over the `window_s` before it.
series growth_each(const series& of, const series& by, double window_s);

/// Reads a folder that tools/soak wrote: samples.csv, and sections.csv with the begin and the name of each of
/// gateway-load's result files.
store_run read_store_run(const std::string& store, const std::filesystem::path& folder);

}  // namespace gateway::soak
