// Charts: SVG bars whose widths are percentages of the chart's, and the same values as a table.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "block_parts.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

constexpr double ground = 150;   ///< the bars' baseline, as drawn by the template
constexpr double tallest = 130;  ///< height up to the top line

/// With one decimal, independent of the process's locale.
std::string decimal_text(double value) {
  const auto tenths = std::llround(value * 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

double largest_in(const chart& what) {
  double largest = 0;
  for (const auto& group : what.groups)
    for (const auto& value : group.values) largest = std::max(largest, value.size);
  return largest;
}

/// The whole height above a group's name is one link, because bars may be only 2 px high.
void show_ways(TemplateDictionary& part, const chart& what, double width) {
  for (std::size_t g = 0; g < what.groups.size(); ++g) {
    if (what.groups[g].url.empty()) continue;
    auto& item = *part.AddSectionDictionary("WAY");
    set(item, "URL", what.groups[g].url);
    set(item, "NAME", what.groups[g].name);
    set(item, "X", decimal_text(width * static_cast<double>(g)));
    set(item, "WIDTH", decimal_text(width));
  }
}

bool has_ways(const chart& what) {
  return std::ranges::any_of(what.groups, [](const chart_group& each) { return !each.url.empty(); });
}

void show_bars(TemplateDictionary& part, const chart& what, double width, double largest) {
  for (std::size_t g = 0; g < what.groups.size(); ++g) {
    const auto& group = what.groups[g];
    const double left = width * static_cast<double>(g);
    const double bar = width * 0.8 / static_cast<double>(what.series.size());
    for (std::size_t s = 0; s < group.values.size() && s < what.series.size(); ++s) {
      if (group.values[s].size <= 0) continue;
      // A non-zero bar is at least 2 px high.
      const double height = std::max(2.0, tallest * group.values[s].size / largest);
      auto& item = *part.AddSectionDictionary("BAR");
      set(item, "STYLE", what.series[s].style);
      set(item, "X", decimal_text(left + width * 0.1 + bar * static_cast<double>(s)));
      set(item, "Y", decimal_text(ground - height));
      set(item, "WIDTH", decimal_text(bar));
      set(item, "HEIGHT", decimal_text(height));
    }
    if (group.short_name.empty()) continue;
    auto& name = *part.AddSectionDictionary("NAME");
    set(name, "X", decimal_text(left + width / 2));
    set(name, "TEXT", group.short_name);
  }
}

table table_of(const chart& what) {
  table same;
  same.caption = what.title;
  same.columns.push_back({"When"});
  for (const auto& series : what.series) same.columns.push_back({series.name, true});
  for (const auto& group : what.groups) {
    std::vector<pieces> row;
    if (group.url.empty())
      row.push_back({group.name});
    else
      row.push_back({link{group.name, group.url}});
    for (const auto& value : group.values) row.push_back({value.text});
    same.rows.push_back(std::move(row));
  }
  return same;
}

}  // namespace

void show_chart(TemplateDictionary& part, const chart& what) {
  set(part, "TITLE", what.title);
  set(part, "MOST", what.most);
  for (const auto& series : what.series) {
    auto& item = *part.AddSectionDictionary("SERIES");
    set(item, "NAME", series.name);
    set(item, "STYLE", series.style);
  }
  const double largest = largest_in(what);
  part.ShowSection(has_ways(what) ? "LINKED" : "ALONE");
  const double width = what.groups.empty() ? 0 : 100.0 / static_cast<double>(what.groups.size());
  if (largest > 0) show_bars(part, what, width, largest);
  show_ways(part, what, width);
  show_table(include_part(part, "TABLE", "part_table"), table_of(what));
}

}  // namespace gateway::http
