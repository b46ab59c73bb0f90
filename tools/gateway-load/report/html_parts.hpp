// What the sections of the HTML report are put together from, and the sections that are drawn.
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

/// In nanoseconds; nothing if it counts none.
double at(const histogram& of, double share);

/// Colour and dash of a run: both differ between neighbours, and the pair repeats late.
std::string colour_of(std::size_t run);
std::string style_of(std::size_t run);
/// What it was called, else its number.
std::string name_of(const run_list& runs, std::size_t run);
/// A sample of its line, and its name.
std::string swatch(const run_list& runs, std::size_t run);

/// Classes of a line, and what it stands for.
using legend_entries = std::vector<std::pair<std::string, std::string>>;
std::string legend(const legend_entries& entries);
legend_entries run_entries(const run_list& runs);

/// The ratio to the first; better (1: more, -1: less) and worse by sign and colour, nothing for what is as good as
/// equal.
std::string ratio_of(double value, double first, int better);

// ---- sections, each with its heading; empty if there is nothing to draw

std::string distribution(const run_list& runs);
std::string over_time(const run_list& runs);
/// How rate and latency change with what the runs differ in.
std::string curves(const run_list& runs);

}  // namespace gateway::load::html
