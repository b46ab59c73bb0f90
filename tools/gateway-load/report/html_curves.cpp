// The section of curves: rate and latency over the number that runs differ in, as charts and as a table.
#include <algorithm>
#include <cmath>
#include <set>

#include "chart.hpp"
#include "curves.hpp"
#include "format.hpp"
#include "html_parts.hpp"

namespace gateway::load::html {

namespace {

constexpr double headroom = 1.06;

/// One value of a point, and how it is shown.
struct quantity {
  const char* name;
  int better;
  double (*of)(const curve_point&);
  std::string (*text)(double);
};

std::string rate_text(double value) { return number_text(value) + "/s"; }

constexpr quantity rate{"Rate", 1, [](const curve_point& p) { return p.rate(); }, rate_text};
constexpr quantity p50{"p50", -1, [](const curve_point& p) { return at(p.latency, 0.5); }, duration_text};
constexpr quantity p99{"p99", -1, [](const curve_point& p) { return at(p.latency, 0.99); }, duration_text};

std::vector<double> positions_of(const curve_family& family) {
  std::set<double> positions;
  for (const auto& one : family.curves)
    for (const auto& point : one.points) positions.insert(point.x);
  return {positions.begin(), positions.end()};
}

class curve_section {
 public:
  explicit curve_section(const curve_family& family)
      : family_{family}, positions_{positions_of(family)}, x_{quantity_axis(positions_)} {}

  std::string shown() const {
    auto hint = "Runs that differ in " + family_.over + " alone.";
    if (x_.logarithmic) hint += " The axis below is logarithmic";
    if (x_.logarithmic) hint += positions_.front() == 0 ? ", but for the 0 at its left end." : ".";
    legend_entries names;
    if (!alone())
      for (std::size_t i = 0; i < family_.curves.size(); ++i) names.emplace_back(style_of(i), family_.curves[i].name);
    return element("h2", "", "By " + escaped(family_.over)) + element("p", "hint", escaped(hint)) +
           (alone() ? "" : legend(names)) +
           element("div", "grid", element("figure", "card", rates()) + element("figure", "card", latencies())) +
           table();
  }

 private:
  bool alone() const { return family_.curves.size() == 1; }
  std::string over() const { return " by " + family_.over; }

  double most(const quantity& what) const {
    double found = 0;
    for (const auto& one : family_.curves)
      for (const auto& point : one.points) found = std::fmax(found, what.of(point));
    return found;
  }
  double least(const quantity& what) const {
    double found = std::numeric_limits<double>::max();
    for (const auto& one : family_.curves)
      for (const auto& point : one.points) found = std::fmin(found, what.of(point));
    return found;
  }

  /// The boundary between two neighbouring points' columns.
  double between(double left, double right) const {
    return x_.logarithmic ? std::sqrt(std::max(left, x_.least) * right) : (left + right) / 2;
  }

  std::vector<column> columns(const std::vector<quantity>& quantities) const {
    std::vector<column> all;
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      column made{i == 0 ? x_.least : between(positions_[i - 1], positions_[i]),
                  i + 1 == positions_.size() ? x_.most : between(positions_[i], positions_[i + 1]),
                  quantity_text(positions_[i]) + ' ' + family_.over};
      for (const auto& one : family_.curves) {
        const auto point = std::ranges::find(one.points, positions_[i], &curve_point::x);
        if (point == one.points.end()) continue;
        made.text += '\n' + (alone() ? "" : one.name + ": ");
        for (const auto& what : quantities)
          made.text += std::string{&what == quantities.data() ? "" : ", "} + what.name + ' ' + text_of(what, *point);
      }
      all.push_back(std::move(made));
    }
    return all;
  }

  static std::string text_of(const quantity& what, const curve_point& point) {
    const double value = what.of(point);
    return std::isnan(value) ? "–" : what.text(value);
  }

  void draw(chart& into, const quantity& what, std::size_t number, const std::string& style) const {
    line path{{}, style, false};
    for (const auto& point : family_.curves[number].points) {
      const double value = what.of(point);
      path.points.emplace_back(point.x, value);
      if (!std::isnan(value)) into.marks.push_back({point.x, value, colour_of(number), ""});
    }
    into.lines.push_back(std::move(path));
  }

  chart begun(const std::string& label, axis y, const std::vector<quantity>& quantities) const {
    chart made;
    made.label = label + over();
    made.x = x_;
    made.y = std::move(y);
    made.columns = columns(quantities);
    return made;
  }

  std::string captioned(const std::string& name, const std::string& what, const chart& of) const {
    return element("figcaption", "", escaped(name) + ' ' + element("span", "", escaped(what + over()))) + svg_of(of);
  }

  std::string rates() const {
    auto out = begun("Rate", count_axis(most(rate) * headroom), {rate});
    for (std::size_t i = 0; i < family_.curves.size(); ++i) draw(out, rate, i, style_of(i));
    return captioned("Rate", "answered each second,", out);
  }

  std::string latencies() const {
    if (!(most(p99) > 0)) return captioned("Latency", "nothing was answered", chart{});
    auto out = begun("Latency", duration_axis(least(p50), most(p99) * headroom), {p50, p99});
    for (std::size_t i = 0; i < family_.curves.size(); ++i) {
      draw(out, p50, i, colour_of(i) + " p50");
      draw(out, p99, i, colour_of(i));
    }
    return captioned("Latency", "p99; dotted: p50,", out);
  }

  std::string table() const {
    std::string titles = alone() ? "" : element("th", "l", "Runs with");
    titles += element("th", "", escaped(family_.over)) + element("th", "", "Runs");
    for (const auto& what : {rate, p50, p99}) titles += element("th", "", what.name) + "<th></th>";
    titles += element("th", "", "Failed");
    std::string bodies;
    for (std::size_t i = 0; i < family_.curves.size(); ++i) {
      const auto& one = family_.curves[i];
      std::string rows;
      for (const auto& point : one.points) {
        std::string cells;
        if (!alone())
          cells += element("td", "l who", rows.empty() ? svg_sample(style_of(i)) + ' ' + escaped(one.name) : "");
        cells += element("th", "", quantity_text(point.x)) + element("td", "", count_text(point.runs));
        for (const auto& what : {rate, p50, p99}) {
          const double value = what.of(point), first = what.of(one.points.front());
          cells += element("td", std::isnan(value) ? "empty" : "", escaped(text_of(what, point)));
          cells += element("td", "beside", rows.empty() ? "" : ratio_of(value, first, what.better));
        }
        rows += element("tr", "", cells + element("td", "", count_text(point.failed)));
      }
      bodies += element("tbody", bodies.empty() ? "first" : "group", rows);
    }
    return card_table(titles, bodies);
  }

  const curve_family& family_;
  std::vector<double> positions_;
  axis x_;
};

}  // namespace

std::string curves(const run_list& runs) {
  std::string all;
  for (const auto& family : curves_of(runs)) all += '\n' + curve_section{family}.shown();
  return all;
}

}  // namespace gateway::load::html
