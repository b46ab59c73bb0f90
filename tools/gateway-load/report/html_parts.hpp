// The parts that the sections of the HTML report are made of, and the sections with charts.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/result.hpp"

namespace gateway::load::html {

using run_list = std::vector<run_result>;

inline constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::string element(std::string_view name, std::string_view classes, std::string_view content);
/// A table in a card; it scrolls where it is too wide.
std::string card_table(const std::string& titles, const std::string& bodies, std::string_view classes = "");

/// A percentile in nanoseconds; NaN if the histogram is empty.
double at(const histogram& of, double share);

/// The classes for a run's colour, and for its colour and dash. Both differ between neighbours, and the pair repeats
/// only after 36 runs.
std::string colour_of(std::size_t run);
std::string style_of(std::size_t run);
/// The run's name, or its number if it has none.
std::string name_of(const run_list& runs, std::size_t run);
/// A sample of the run's line, and its name.
std::string swatch(const run_list& runs, std::size_t run);

/// The classes of a line, and its meaning.
using legend_entries = std::vector<std::pair<std::string, std::string>>;
std::string legend(const legend_entries& entries);
legend_entries run_entries(const run_list& runs);

/// The ratio to the first value. `better` (1: more, -1: less) decides its colour; a ratio near 1 has none.
std::string ratio_of(double value, double first, int better);

// ---- sections, each with its heading; empty if there is nothing to draw

std::string distribution(const run_list& runs);
std::string over_time(const run_list& runs);
/// The results of a run's subscriptions, month by month.
std::string months(const run_result& run);
/// Rate and latency over the number in which the runs differ.
std::string curves(const run_list& runs);

}  // namespace gateway::load::html
