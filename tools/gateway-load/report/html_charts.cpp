// The sections with charts: the distribution of latencies, and the run over time.
#include <algorithm>
#include <cmath>
#include <limits>

#include "chart.hpp"
#include "format.hpp"
#include "html_parts.hpp"

namespace gateway::load::html {

namespace {

constexpr double per_ms = 1e6;
constexpr std::size_t most_points = 480;  // a chart shows no more, and more would only make the page larger

/// "99.92": as many digits as the position on the axis resolves.
std::string percentile_text(double x) {
  const double percent = 100 * (1 - std::pow(10.0, -x));
  const double unit = std::pow(10.0, std::clamp(std::floor(x), 0.0, 3.0));
  auto text = std::to_string(std::floor(percent * unit + 1e-6) / unit);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// The position of the slowest answer on the axis: nothing was measured beyond it.
double end_of(const run_result& run) {
  return std::min(4.0, std::log10(static_cast<double>(std::max<std::uint64_t>(run.answered(), 1))));
}
double value_at(const run_result& run, double x) {
  if (x < 4 && x >= end_of(run)) return static_cast<double>(run.latency.most());
  // Rounded to twelve digits, so that 0.9 is exactly 0.9 and has the same rank as in the table.
  return static_cast<double>(run.latency.percentile(std::round((1 - std::pow(10.0, -x)) * 1e12) / 1e12));
}

chart distribution_chart(const run_list& runs, double width, double height) {
  chart made;
  made.label = "Latency by percentile";
  made.width = width;
  made.height = height;
  made.x = percentile_axis();
  double least = std::numeric_limits<double>::max(), most = 0;
  for (const auto& run : runs) {
    if (run.answered() == 0) continue;
    // The smallest latencies are often far below the others, so the axis begins at percentile 2.
    least = std::min({least, static_cast<double>(run.latency.percentile(0.02))});
    most = std::max(most, value_at(run, end_of(run)));
  }
  made.y = duration_axis(least, most);
  constexpr double step = 0.02;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].answered() == 0) continue;
    line curve{{}, style_of(i), false};
    const double end = end_of(runs[i]);
    for (double x = 0; x < end; x += step) curve.points.emplace_back(x, value_at(runs[i], x));
    curve.points.emplace_back(end, value_at(runs[i], end));
    made.lines.push_back(std::move(curve));
    for (const double x : {-std::log10(0.5), 1.0, 2.0, 3.0, 4.0}) {
      const double value = value_at(runs[i], x);
      if (x <= end + 1e-9) made.marks.push_back({x, value, colour_of(i), runs.size() == 1 ? duration_text(value) : ""});
    }
    if (end < 4) made.marks.push_back({end, value_at(runs[i], end), colour_of(i) + " end", ""});
  }
  for (double x = 0; x < 3.99; x += 0.05) {
    const double middle = x + 0.025;
    std::string text = percentile_text(middle) + " % within";
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (middle <= end_of(runs[i])) {
        text += runs.size() > 1 ? '\n' + name_of(runs, i) + ": " : "\n";
        text += duration_text(value_at(runs[i], middle));
      }
    if (text.find('\n') != std::string::npos) made.columns.push_back({x, x + 0.05, std::move(text)});
  }
  return made;
}

}  // namespace

std::string distribution(const run_list& runs) {
  const auto title = element("h2", "", "Latency distribution");
  const auto unanswered = [](const run_result& run) { return run.answered() == 0; };
  if (std::ranges::all_of(runs, unanswered)) return title + element("p", "card", "Nothing was answered.");
  const bool ends =
      std::ranges::any_of(runs, [](const run_result& run) { return run.answered() > 0 && end_of(run) < 4; });
  std::string caption =
      "Share of the answers that came within the latency; each step to the right leaves a tenth of them.";
  if (ends) caption += " A line ends with its slowest answer.";
  // Two charts, of which the style sheet shows one: the letters of the wide one are too small on a phone.
  const auto charts =
      svg_of(distribution_chart(runs, 1160, 420), "broad") + svg_of(distribution_chart(runs, 560, 460), "narrow");
  return title + element("p", "hint", caption) +
         element("figure", "card", (runs.size() > 1 ? legend(run_entries(runs)) : "") + charts);
}

// ---- time lines -------------------------------------------------------------------------------------

namespace {

/// Several seconds as one point: the mean of their rates, the worst of their latencies and waiting.
struct point {
  double from = 0, to = 0;
  double intended = 0, answered = 0, failed = 0, waiting = 0;
  double p50 = nothing, p90 = nothing, p99 = nothing, most = nothing;  // nanoseconds
};
using series = std::vector<point>;

series series_of(const run_result& run, std::size_t seconds_each) {
  series all;
  const auto& seconds = run.timeline;
  for (std::size_t begin = 0; begin < seconds.size(); begin += seconds_each) {
    const auto end = std::min(begin + seconds_each, seconds.size());
    const auto count = static_cast<double>(end - begin);
    point made;
    made.from = seconds[begin].at_s;
    made.to = seconds[end - 1].at_s + 1;
    const auto worst = [](double& so_far, double milliseconds) { so_far = std::fmax(so_far, milliseconds * per_ms); };
    for (auto i = begin; i < end; ++i) {
      const auto& s = seconds[i];
      made.intended += static_cast<double>(s.intended) / count;
      made.answered += static_cast<double>(s.answered) / count;
      made.failed += static_cast<double>(s.failed) / count;
      made.waiting = std::max(made.waiting, static_cast<double>(s.waiting));
      if (s.answered == 0) continue;
      worst(made.p50, s.p50_ms);
      worst(made.p90, s.p90_ms);
      worst(made.p99, s.p99_ms);
      worst(made.most, s.most_ms);
    }
    all.push_back(made);
  }
  return all;
}

/// One value of a point, and how it is shown.
struct quantity {
  const char* name;
  double point::* of;
  bool duration;
};

std::string text_of(const quantity& what, const point& at) {
  const double value = at.*what.of;
  if (std::isnan(value)) return "–";
  return what.duration ? duration_text(value) : number_text(value);
}

class timelines {
 public:
  explicit timelines(const run_list& runs) : runs_{runs} {
    std::size_t longest = 0;
    for (const auto& run : runs) longest = std::max(longest, run.timeline.size());
    seconds_each_ = std::max<std::size_t>(1, (longest + most_points - 1) / most_points);
    for (const auto& run : runs) {
      all_.push_back(series_of(run, seconds_each_));
      if (!all_.back().empty()) end_ = std::max(end_, all_.back().back().to);
    }
  }

  std::string shown() const {
    if (end_ <= 0) return {};
    const bool several = runs_.size() > 1;
    std::vector<std::string> cards{rates()};
    std::string absent;
    if (most(&point::most) <= 0)
      absent = "Nothing was answered. ";
    else if (!several)
      cards.push_back(latencies_of_one());
    else
      for (const auto& [name, of] : {std::pair{"p50", &point::p50}, {"p90", &point::p90}, {"p99", &point::p99}})
        cards.push_back(latencies(name, of));
    if (most(&point::failed) > 0)
      cards.push_back(counts("Failures", "lost, or answered with 5xx, each second", "failed", &point::failed));
    else
      absent += "No request failed. ";
    if (most(&point::waiting) > 0)
      cards.push_back(counts("Waiting", "requests without a free connection", "waiting", &point::waiting));
    else
      absent += "At no second's end did a request wait for a connection.";
    std::string grid;
    for (std::size_t i = 0; i < cards.size(); ++i) {
      const bool lonely = i + 1 == cards.size() && i % 2 == 0;
      grid += element("figure", lonely && cards.size() == 1 ? "card lonely" : "card", cards[i]);
    }
    std::string hint = seconds_each_ > 1 ? "A point stands for " + count_text(seconds_each_) + " seconds" +
                                               ": rates are its mean, latencies and waiting its worst second. "
                                         : "";
    hint += absent;
    return element("h2", "", "Over time") + (hint.empty() ? "" : element("p", "hint", hint)) +
           (several ? legend(run_entries(runs_)) : "") + element("div", "grid", grid);
  }

 private:
  double most(double point::* of) const {
    double found = 0;
    for (const auto& one : all_)
      for (const auto& p : one) found = std::fmax(found, p.*of);
    return found;
  }
  double least(double point::* of) const {
    double found = std::numeric_limits<double>::max();
    for (const auto& one : all_)
      for (const auto& p : one)
        if (p.*of > 0) found = std::fmin(found, p.*of);
    return found;
  }

  line drawn(std::size_t run, double point::* of, std::string style, bool filled = false) const {
    line made{{}, std::move(style), filled};
    const auto& points = all_[run];
    for (const auto& p : points) made.points.emplace_back((p.from + p.to) / 2, p.*of);
    if (points.empty()) return made;
    // The line is extended to both ends of the measurement, so that a run of one second is a line, too.
    made.points.insert(made.points.begin(), {points.front().from, points.front().*of});
    made.points.emplace_back(points.back().to, points.back().*of);
    return made;
  }

  /// The columns that show the numbers of each point under the pointer.
  std::vector<column> columns(const std::vector<quantity>& quantities) const {
    std::vector<column> out;
    const auto* longest = &all_.front();
    for (const auto& one : all_)
      if (one.size() > longest->size()) longest = &one;
    for (std::size_t i = 0; i < longest->size(); ++i) {
      std::string text = length_text((*longest)[i].from);
      for (std::size_t run = 0; run < all_.size(); ++run) {
        if (i >= all_[run].size()) continue;
        text += runs_.size() > 1 ? '\n' + name_of(runs_, run) + ": " : "\n";
        for (std::size_t q = 0; q < quantities.size(); ++q)
          text += std::string{q > 0 ? ", " : ""} + quantities[q].name + ' ' + text_of(quantities[q], all_[run][i]);
      }
      out.push_back({(*longest)[i].from, (*longest)[i].to, std::move(text)});
    }
    return out;
  }

  chart made(const std::string& label, axis y, const std::vector<quantity>& quantities) const {
    chart out;
    out.label = label;
    out.x = time_axis(end_);
    out.y = std::move(y);
    out.columns = columns(quantities);
    return out;
  }

  static std::string captioned(const std::string& name, const std::string& what, const chart& of,
                               const std::string& key = "") {
    return element("figcaption", "", escaped(name) + ' ' + element("span", "", escaped(what))) + key + svg_of(of);
  }

  std::string rates() const {
    constexpr double headroom = 1.06;
    const bool several = runs_.size() > 1;
    auto out =
        made("Requests each second", count_axis(std::max(most(&point::intended), most(&point::answered)) * headroom),
             {{"intended", &point::intended, false}, {"answered", &point::answered, false}});
    for (std::size_t i = 0; i < runs_.size(); ++i)
      out.lines.push_back(drawn(i, &point::intended, several ? colour_of(i) + " wanted" : "intended"));
    for (std::size_t i = 0; i < runs_.size(); ++i)
      out.lines.push_back(drawn(i, &point::answered, style_of(i), !several));
    const auto key = several ? "" : legend({{style_of(0), "answered"}, {"intended", "intended"}});
    return captioned("Requests", several ? "answered each second; dotted: intended" : "each second", out, key);
  }

  std::string latencies_of_one() const {
    auto out = made("Latency of each second's answers", duration_axis(least(&point::p50), most(&point::most)),
                    {{"p50", &point::p50, true},
                     {"p90", &point::p90, true},
                     {"p99", &point::p99, true},
                     {"max", &point::most, true}});
    for (const auto& [of, style] : {std::pair{&point::most, "c0 most"},
                                    {&point::p50, "c0 p50"},
                                    {&point::p90, "c0 p90"},
                                    {&point::p99, "c0 p99"}})
      out.lines.push_back(drawn(0, of, style));
    return captioned("Latency", "of each second's answers", out,
                     legend({{"c0 p50", "p50"}, {"c0 p90", "p90"}, {"c0 p99", "p99"}, {"c0 most", "max"}}));
  }

  std::string latencies(const std::string& name, double point::* of) const {
    // The charts of p50, p90 and p99 share one axis, so that they can be compared.
    auto out = made(name + " of each second's answers", duration_axis(least(&point::p50), most(&point::p99)),
                    {{name.c_str(), of, true}});
    for (std::size_t i = 0; i < runs_.size(); ++i) out.lines.push_back(drawn(i, of, style_of(i)));
    return captioned("Latency " + name, "of each second's answers", out);
  }

  std::string counts(const std::string& name, const std::string& what, const char* quantity_name,
                     double point::* of) const {
    auto out = made(name, count_axis(most(of) * 1.06), {{quantity_name, of, false}});
    const bool one = runs_.size() == 1;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      out.lines.push_back(drawn(i, of, one ? (of == &point::failed ? "failing" : "c5") : style_of(i), one));
    return captioned(name, what, out);
  }

  const run_list& runs_;
  std::vector<series> all_;
  std::size_t seconds_each_ = 1;
  double end_ = 0;
};

}  // namespace

std::string over_time(const run_list& runs) { return timelines{runs}.shown(); }

}  // namespace gateway::load::html
