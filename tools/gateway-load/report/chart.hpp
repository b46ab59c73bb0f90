// Charts as inline SVG, without a script: axes with round ticks, lines coloured by classes of the page's style sheet,
// and columns that show their numbers under the pointer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::load {

/// Text escaped for HTML, between tags and in a quoted attribute. Invalid and control characters are replaced.
std::string escaped(std::string_view text);

struct tick {
  double value = 0;
  std::string label;  ///< empty: a fine line only
};

struct axis {
  double least = 0, most = 1;
  bool logarithmic = false;
  std::vector<tick> ticks;

  /// The position of a value: 0 at the least, 1 at the most, clamped in between.
  double share(double value) const;
};

/// From 0 to a round number that is not below `most`, in about `wanted` steps.
axis count_axis(double most, int wanted = 5);
/// Nanoseconds, logarithmic, from a round number to a round number.
axis duration_axis(double least, double most);
/// For the sorted numbers that runs differ in, two or more. Each has a tick where there is room for its label. The axis
/// is logarithmic if they span a decade, with 0 at the left end if it is one of them.
axis quantity_axis(const std::vector<double>& values);
/// Seconds of a run.
axis time_axis(double most, int wanted = 7);
/// Percentiles from 0 to 99.99, in log10(1 / (1 - p)).
axis percentile_axis();

struct line {
  std::vector<std::pair<double, double>> points;  ///< a y that is NaN makes a gap
  std::string style;  ///< classes
  bool filled = false;  ///< down to the axis
};

struct mark {
  double x = 0, y = 0;
  std::string style;
  std::string label;  ///< may be empty; above on the left, or below on the right where there is no room
};

/// A part of the x axis, and the text that the pointer shows there.
struct column {
  double from = 0, to = 0;
  std::string text;
};

struct chart {
  std::string label;  ///< for screen readers
  double width = 560, height = 280;
  axis x, y;
  std::vector<line> lines;
  std::vector<mark> marks;
  std::vector<column> columns;
};

/// `style`: classes of the whole.
std::string svg_of(const chart& of, std::string_view style = "");
/// A self-contained picture, for example for documentation: with the page's style sheet, a title above the chart and a
/// background.
std::string svg_picture(const chart& of, std::string_view title);
/// A sample of a line, for a legend.
std::string svg_sample(std::string_view style);
/// A bar that is filled to this share.
std::string svg_bar(double share, std::string_view style);

}  // namespace gateway::load
