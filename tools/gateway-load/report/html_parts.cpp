#include "html_parts.hpp"

#include <cmath>

#include "chart.hpp"
#include "format.hpp"

namespace gateway::load::html {

std::string element(std::string_view name, std::string_view classes, std::string_view content) {
  std::string out = "<" + std::string{name};
  if (!classes.empty()) out += " class=\"" + std::string{classes} + '"';
  return out + '>' + std::string{content} + "</" + std::string{name} + '>';
}

double at(const histogram& of, double share) {
  return of.count() == 0 ? nothing : static_cast<double>(of.percentile(share));
}

std::string card_table(const std::string& titles, const std::string& bodies, std::string_view classes) {
  return element("div", "card scroll",
                 element("table", classes, element("thead", "", element("tr", "", titles)) + bodies));
}

std::string colour_of(std::size_t run) { return "c" + std::to_string(run % 6); }
std::string style_of(std::size_t run) { return colour_of(run) + " d" + std::to_string((run + run / 6) % 6); }

std::string name_of(const run_list& runs, std::size_t run) {
  const auto& name = runs[run].name;
  return name.empty() ? "run " + std::to_string(run + 1) : name;
}

std::string swatch(const run_list& runs, std::size_t run) {
  return svg_sample(style_of(run)) + ' ' + escaped(name_of(runs, run));
}

std::string legend(const legend_entries& entries) {
  std::string items;
  for (const auto& [style, text] : entries)
    items += element("li", "", svg_sample(style) + element("span", "", escaped(text)));
  return element("ul", "legend", items);
}

legend_entries run_entries(const run_list& runs) {
  legend_entries entries;
  entries.reserve(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) entries.emplace_back(style_of(i), name_of(runs, i));
  return entries;
}

std::string ratio_of(double value, double first, int better) {
  if (!(first > 0) || std::isnan(value)) return {};
  const double ratio = value / first;
  constexpr double equal = 0.03;  // repeated runs of one build differ by as much
  const bool same = std::fabs(ratio - 1) < equal;
  const char* classes = same ? "ratio" : (ratio > 1) == (better > 0) ? "ratio good" : "ratio bad";
  const char* sign = same ? "≈ " : ratio > 1 ? "▲ " : "▼ ";
  return element("span", classes, sign + ratio_text(value, first));
}

}  // namespace gateway::load::html
