// One page that needs nothing else: no script, no font, no picture from elsewhere, and a policy that says so.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "chart.hpp"
#include "format.hpp"
#include "html_style.hpp"
#include "result.hpp"

namespace gateway::load {

namespace {

using run_list = std::vector<run_result>;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr double per_ms = 1e6;
constexpr std::size_t most_points = 480;  // more than a chart has pixels would only make the page heavy

std::string element(std::string_view name, std::string_view classes, std::string_view content) {
  std::string out = "<" + std::string{name};
  if (!classes.empty()) out += " class=\"" + std::string{classes} + '"';
  return out + '>' + std::string{content} + "</" + std::string{name} + '>';
}

double at(const histogram& of, double share) { return of.count() == 0 ? nothing : static_cast<double>(of.percentile(share)); }

/// A table in a card; it scrolls where it is too wide.
std::string card_table(const std::string& titles, const std::string& bodies, std::string_view classes = "") {
  return element("div", "card scroll", element("table", classes, element("thead", "", element("tr", "", titles)) + bodies));
}

/// Colour and dash of a run: both differ between neighbours, and the pair repeats late.
std::string colour_of(std::size_t run) { return "c" + std::to_string(run % 6); }
std::string style_of(std::size_t run) { return colour_of(run) + " d" + std::to_string((run + run / 6) % 6); }

std::string name_of(const run_list& runs, std::size_t run) {
  const auto& name = runs[run].name;
  return name.empty() ? "run " + std::to_string(run + 1) : name;
}

std::string swatch(const run_list& runs, std::size_t run) { return svg_sample(style_of(run)) + ' ' + escaped(name_of(runs, run)); }

std::string legend(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string items;
  for (const auto& [style, text] : entries) items += element("li", "", svg_sample(style) + element("span", "", escaped(text)));
  return element("ul", "legend", items);
}

std::vector<std::pair<std::string, std::string>> run_entries(const run_list& runs) {
  std::vector<std::pair<std::string, std::string>> entries;
  entries.reserve(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) entries.emplace_back(style_of(i), name_of(runs, i));
  return entries;
}

// ---- head -------------------------------------------------------------------------------------------

std::string badge_of(const verification& checked, const std::string& whose) {
  const auto said = [&](const char* classes, const std::string& what) { return element("span", classes, escaped(whose + what)); };
  if (!checked.done) return said("badge", "– not verified");
  if (checked.violations == 0) return said("badge good", "✓ verified, no violation");
  return said("badge bad", "✗ " + count_text(checked.violations) + (checked.violations == 1 ? " violation" : " violations"));
}

std::string head(const run_list& runs) {
  std::string title, badges;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    title += (i > 0 ? " <span class=\"versus\">vs</span> " : "") + escaped(name_of(runs, i));
    badges += badge_of(runs[i].checked, runs.size() > 1 ? name_of(runs, i) + ": " : "");
  }
  if (runs.empty()) title = "No run";
  return element("header", "", element("p", "eyebrow", "gateway-load") + element("h1", "", title) + element("div", "badges", badges));
}

struct fact {
  const char* name;
  std::function<std::string(const run_result&)> of;
};

const std::vector<fact>& facts() {
  static const std::vector<fact> all{
      {"Scenario", [](const run_result& r) { return r.scenario; }},
      {"Schedule", [](const run_result& r) { return r.schedule; }},
      {"Connections", [](const run_result& r) {
         return count_text(r.connections) + ", " + count_text(r.threads) + (r.threads == 1 ? " thread" : " threads");
       }},
      {"Target", [](const run_result& r) { return r.target; }},
      {"Began", [](const run_result& r) { return r.began_at; }},
      {"Lasted", [](const run_result& r) { return length_text(r.seconds) + ", " + count_text(r.sent()) + " requests"; }}};
  return all;
}

std::string facts_of(const run_result& run) {
  std::string out;
  for (const auto& f : facts())
    if (const auto text = f.of(run); !text.empty()) out += element("div", "", element("dt", "", f.name) + element("dd", "", escaped(text)));
  return element("dl", "facts", out);
}

/// What one must know before one reads the numbers.
std::string notes_of(const run_list& runs) {
  std::string out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto text = shortfall_text(runs[i]);
    if (lateness_matters(runs[i])) text += (text.empty() ? "" : " ") + lateness_text(runs[i]);
    if (!text.empty()) out += element("p", "note", escaped((runs.size() > 1 ? name_of(runs, i) + ": " : "") + text));
  }
  return out;
}

// ---- figures ----------------------------------------------------------------------------------------

/// A number of a run that runs are compared by.
struct figure {
  const char* name;
  int better;  ///< -1: less, 1: more
  std::function<double(const run_result&)> of;
  std::function<std::string(double)> text;
};

const std::vector<figure>& figures() {
  const auto latency = [](double share) { return [share](const run_result& r) { return at(r.latency, share); }; };
  static const std::vector<figure> all{
      {"Answered", 1, [](const run_result& r) { return r.answered_per_second(); }, [](double v) { return number_text(v) + "/s"; }},
      {"p50", -1, latency(0.5), duration_text},
      {"p90", -1, latency(0.9), duration_text},
      {"p99", -1, latency(0.99), duration_text},
      {"p99.9", -1, latency(0.999), duration_text},
      {"Max", -1, latency(1), duration_text},
      {"Mean", -1, [](const run_result& r) { return r.answered() == 0 ? nothing : r.latency.mean(); }, duration_text},
      {"Late to leave, p99", -1, [](const run_result& r) { return at(r.lateness, 0.99); }, duration_text},
      {"Failed", -1, [](const run_result& r) { return static_cast<double>(failures_of(r)); },
       [](double v) { return count_text(static_cast<std::uint64_t>(v)); }}};
  return all;
}

/// The ratio to the first run; better and worse by sign and colour, nothing for what is as good as equal.
std::string ratio_of(double value, double first, int better) {
  if (!(first > 0) || std::isnan(value)) return {};
  const double ratio = value / first;
  constexpr double equal = 0.03;  // repeated runs of one build differ by as much
  const bool same = std::fabs(ratio - 1) < equal;
  const char* classes = same ? "ratio" : (ratio > 1) == (better > 0) ? "ratio good" : "ratio bad";
  const char* sign = same ? "≈ " : ratio > 1 ? "▲ " : "▼ ";
  return element("span", classes, sign + ratio_text(value, first));
}

std::string cell_of(const figure& f, double value, double first, bool compared) {
  if (std::isnan(value)) return element("td", "empty", "–") + (compared ? "<td></td>" : "");
  return element("td", "", escaped(f.text(value))) + (compared ? element("td", "beside", ratio_of(value, first, f.better)) : "");
}

std::string comparison(const run_list& runs) {
  std::string names = "<th class=\"l\"></th>";
  // From the second on a run has two columns: its number, and the ratio beside it.
  auto names_left = names;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    names += "<th class=\"run" + std::string{i > 0 ? " l\" colspan=\"2\">" : "\">"} + swatch(runs, i) + "</th>";
    names_left += element("th", "run l", swatch(runs, i));
  }
  std::string measured;
  for (const auto& f : figures()) {
    const double first = f.of(runs.front());
    std::string cells = element("th", "l", f.name);
    for (std::size_t i = 0; i < runs.size(); ++i) cells += cell_of(f, f.of(runs[i]), first, i > 0);
    measured += element("tr", "", cells);
  }
  std::string given;
  bool differ = false;
  for (const auto& f : facts()) {
    const bool told = std::string_view{f.name} != "Began" && std::string_view{f.name} != "Lasted";
    std::string cells = element("th", "l", f.name);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto text = f.of(runs[i]);
      const bool differs = told && text != f.of(runs.front());
      differ = differ || differs;
      cells += element("td", differs ? "l wide differs" : "l wide", escaped(text));
    }
    given += element("tr", "", cells);
  }
  const std::string hint = std::string{"Ratios are to the first run. ▲ more, ▼ less, ≈ within 3 %; green is better, red is worse."} +
                           (differ ? " The runs did not ask for the same: what differs is bold." : "");
  const auto card = [](const std::string& titles, const std::string& rows) {
    return card_table(titles, element("tbody", "first", rows), "compare");
  };
  return element("h2", "", "Comparison") + element("p", "hint", hint) +
         element("div", "beside-each-other", card(names, measured) + card(names_left, given));
}

std::string tile(const std::string& value, const std::string& what, const char* classes = "") {
  return element("div", std::string{"card tile "} + classes, element("b", "", escaped(value)) + element("span", "", escaped(what)));
}

std::string tiles_of(const run_result& run) {
  const auto latency = [&](double share) { return run.answered() == 0 ? "–" : duration_text(at(run.latency, share)); };
  const auto failed = failures_of(run);
  std::string out = tile(number_text(run.answered_per_second()) + "/s",
                         run.intended_per_second > 0 ? "answered of " + number_text(run.intended_per_second) + "/s" : "answered");
  out += tile(latency(0.5), "p50") + tile(latency(0.99), "p99") + tile(latency(0.999), "p99.9") + tile(latency(1), "max");
  return element("div", "tiles", out + tile(count_text(failed), failed == 0 ? "failed" : "failed, " + share_text(failed, run.sent()),
                                            failed == 0 ? "" : "bad"));
}

// ---- operations -------------------------------------------------------------------------------------

/// Names in the order in which they first come up.
template <typename Names>
std::vector<std::string> in_order(const run_list& runs, Names&& names) {
  std::vector<std::string> all;
  for (const auto& run : runs)
    for (const auto& name : names(run))
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  return all;
}

std::vector<std::string> operations_of(const run_list& runs) {
  return in_order(runs, [](const run_result& run) {
    std::vector<std::string> names;
    names.reserve(run.operations.size());
    for (const auto& of : run.operations) names.push_back(of.name);
    return names;
  });
}

const operation_result* find(const run_result& run, const std::string& name) {
  const auto found = std::ranges::find(run.operations, name, &operation_result::name);
  return found == run.operations.end() ? nullptr : &*found;
}

std::string cells_of(const run_result& run, const operation_result& of, const operation_result* first) {
  const auto count = [](std::uint64_t value) { return element("td", "", count_text(value)); };
  std::string out = count(of.sent) + count(of.latency.count());
  out += element("td", "", number_text(run.seconds > 0 ? static_cast<double>(of.latency.count()) / run.seconds : 0) + "/s");
  for (const auto share : {0.5, 0.9, 0.99, 0.999, 1.0}) {
    const double value = at(of.latency, share);
    if (std::isnan(value)) out += element("td", "empty", "–");
    else out += element("td", "", escaped(duration_text(value)) + (first ? ratio_of(value, at(first->latency, share), -1) : ""));
  }
  return out + count(failures_of(of));
}

std::string operations_table(const run_list& runs) {
  const bool several = runs.size() > 1;
  std::string titles = element("th", "l", "Operation") + (several ? element("th", "l", "Run") : "");
  for (const auto* title : {"Sent", "Answered", "Rate", "p50", "p90", "p99", "p99.9", "Max", "Failed"}) titles += element("th", "", title);
  std::string bodies;
  const auto rows = [&](const std::string& name, const char* classes, const auto& operation_in) {
    std::string out;
    bool named = false;
    const auto first = operation_in(runs.front());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto found = operation_in(runs[i]);
      if (!found) continue;
      std::string cells = element("th", "l", std::exchange(named, true) ? "" : escaped(name));
      if (several) cells += element("td", "l who", swatch(runs, i));
      out += element("tr", classes, cells + cells_of(runs[i], *found, i > 0 && first ? &*first : nullptr));
    }
    bodies += element("tbody", bodies.empty() ? "first" : several ? "group" : "", out);
  };
  const auto names = operations_of(runs);
  for (const auto& name : names) rows(name, "", [&](const run_result& run) { return find(run, name); });
  if (names.size() != 1)
    rows("all", "all", [](const run_result& run) {
      operation_result all{"all", run.sent(), {}, run.latency};
      for (const auto& of : run.operations)
        for (const auto& [outcome, times] : of.outcomes) all.outcomes[outcome] += times;
      return std::optional{std::move(all)};
    });
  return element("h2", "", "Operations") +
         element("p", "hint", "Latency is counted from the moment at which the schedule wanted a request to leave.") +
         card_table(titles, bodies);
}

// ---- the distribution -------------------------------------------------------------------------------

/// "99.92": as many digits as the place on the axis can tell.
std::string percentile_text(double x) {
  const double percent = 100 * (1 - std::pow(10.0, -x));
  const double unit = std::pow(10.0, std::clamp(std::floor(x), 0.0, 3.0));
  auto text = std::to_string(std::floor(percent * unit + 1e-6) / unit);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// Where the slowest answer stands: what is right of it nobody measured.
double end_of(const run_result& run) { return std::min(4.0, std::log10(static_cast<double>(std::max<std::uint64_t>(run.answered(), 1)))); }
double value_at(const run_result& run, double x) {
  if (x < 4 && x >= end_of(run)) return static_cast<double>(run.latency.most());
  // Twelve digits: 0.9 shall be 0.9, whose rank the table takes too.
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
    // The least of all is often far below the rest: the curve may begin under the axis.
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

std::string distribution(const run_list& runs) {
  const auto title = element("h2", "", "Latency distribution");
  const auto unanswered = [](const run_result& run) { return run.answered() == 0; };
  if (std::ranges::all_of(runs, unanswered)) return title + element("p", "card", "Nothing was answered.");
  const bool ends = std::ranges::any_of(runs, [](const run_result& run) { return run.answered() > 0 && end_of(run) < 4; });
  std::string caption = "Share of the answers that came within the latency; each step to the right leaves a tenth of them.";
  if (ends) caption += " A line ends with its slowest answer.";
  // Twice, of which the style sheet shows one: letters of the wide one could not be read on a phone.
  const auto charts = svg_of(distribution_chart(runs, 1160, 420), "broad") + svg_of(distribution_chart(runs, 560, 460), "narrow");
  return title + element("p", "hint", caption) + element("figure", "card", (runs.size() > 1 ? legend(run_entries(runs)) : "") + charts);
}

// ---- time lines -------------------------------------------------------------------------------------

/// Some seconds as one point: rates as their mean, latencies and waiting as their worst.
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

/// One value of a second, and how it is told.
struct quantity {
  const char* name;
  double point::*of;
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
    if (most(&point::most) <= 0) absent = "Nothing was answered. ";
    else if (!several) cards.push_back(latencies_of_one());
    else
      for (const auto& [name, of] : {std::pair{"p50", &point::p50}, {"p90", &point::p90}, {"p99", &point::p99}})
        cards.push_back(latencies(name, of));
    if (most(&point::failed) > 0) cards.push_back(counts("Failures", "lost, or answered with 5xx, each second", "failed", &point::failed));
    else absent += "No request failed. ";
    if (most(&point::waiting) > 0) cards.push_back(counts("Waiting", "requests without a free connection", "waiting", &point::waiting));
    else absent += "At no second's end did a request wait for a connection.";
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
  double most(double point::*of) const {
    double found = 0;
    for (const auto& one : all_)
      for (const auto& p : one) found = std::fmax(found, p.*of);
    return found;
  }
  double least(double point::*of) const {
    double found = std::numeric_limits<double>::max();
    for (const auto& one : all_)
      for (const auto& p : one)
        if (p.*of > 0) found = std::fmin(found, p.*of);
    return found;
  }

  line drawn(std::size_t run, double point::*of, std::string style, bool filled = false) const {
    line made{{}, std::move(style), filled};
    const auto& points = all_[run];
    for (const auto& p : points) made.points.emplace_back((p.from + p.to) / 2, p.*of);
    if (points.empty()) return made;
    // To both ends of what was measured: a run of one second is a line, too.
    made.points.insert(made.points.begin(), {points.front().from, points.front().*of});
    made.points.emplace_back(points.back().to, points.back().*of);
    return made;
  }

  /// The numbers of a second, under the pointer.
  std::vector<column> columns(const std::vector<quantity>& told) const {
    std::vector<column> out;
    const auto* longest = &all_.front();
    for (const auto& one : all_)
      if (one.size() > longest->size()) longest = &one;
    for (std::size_t i = 0; i < longest->size(); ++i) {
      std::string text = length_text((*longest)[i].from);
      for (std::size_t run = 0; run < all_.size(); ++run) {
        if (i >= all_[run].size()) continue;
        text += runs_.size() > 1 ? '\n' + name_of(runs_, run) + ": " : "\n";
        for (std::size_t q = 0; q < told.size(); ++q)
          text += std::string{q > 0 ? ", " : ""} + told[q].name + ' ' + text_of(told[q], all_[run][i]);
      }
      out.push_back({(*longest)[i].from, (*longest)[i].to, std::move(text)});
    }
    return out;
  }

  chart made(const std::string& label, axis y, const std::vector<quantity>& told) const {
    chart out;
    out.label = label;
    out.x = time_axis(end_);
    out.y = std::move(y);
    out.columns = columns(told);
    return out;
  }

  static std::string captioned(const std::string& name, const std::string& what, const chart& of, const std::string& key = "") {
    return element("figcaption", "", escaped(name) + ' ' + element("span", "", escaped(what))) + key + svg_of(of);
  }

  std::string rates() const {
    constexpr double headroom = 1.06;
    const bool several = runs_.size() > 1;
    auto out = made("Requests each second", count_axis(std::max(most(&point::intended), most(&point::answered)) * headroom),
                    {{"intended", &point::intended, false}, {"answered", &point::answered, false}});
    for (std::size_t i = 0; i < runs_.size(); ++i)
      out.lines.push_back(drawn(i, &point::intended, several ? colour_of(i) + " wanted" : "intended"));
    for (std::size_t i = 0; i < runs_.size(); ++i) out.lines.push_back(drawn(i, &point::answered, style_of(i), !several));
    const auto key = several ? "" : legend({{style_of(0), "answered"}, {"intended", "intended"}});
    return captioned("Requests", several ? "answered each second; dotted: intended" : "each second", out, key);
  }

  std::string latencies_of_one() const {
    auto out = made("Latency of each second's answers", duration_axis(least(&point::p50), most(&point::most)),
                    {{"p50", &point::p50, true}, {"p90", &point::p90, true}, {"p99", &point::p99, true}, {"max", &point::most, true}});
    for (const auto& [of, style] :
         {std::pair{&point::most, "c0 most"}, {&point::p50, "c0 p50"}, {&point::p90, "c0 p90"}, {&point::p99, "c0 p99"}})
      out.lines.push_back(drawn(0, of, style));
    return captioned("Latency", "of each second's answers", out,
                     legend({{"c0 p50", "p50"}, {"c0 p90", "p90"}, {"c0 p99", "p99"}, {"c0 most", "max"}}));
  }

  std::string latencies(const std::string& name, double point::*of) const {
    // One axis for all three, so that they can be compared at a glance.
    auto out = made(name + " of each second's answers", duration_axis(least(&point::p50), most(&point::p99)), {{name.c_str(), of, true}});
    for (std::size_t i = 0; i < runs_.size(); ++i) out.lines.push_back(drawn(i, of, style_of(i)));
    return captioned("Latency " + name, "of each second's answers", out);
  }

  std::string counts(const std::string& name, const std::string& what, const char* told, double point::*of) const {
    auto out = made(name, count_axis(most(of) * 1.06), {{told, of, false}});
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

// ---- outcomes ---------------------------------------------------------------------------------------

std::string outcome_cells(const operation_result* of, const std::string& outcome, const std::string& style, bool bar) {
  const auto found = of ? of->outcomes.find(outcome) : decltype(of->outcomes.end()){};
  if (!of || found == of->outcomes.end()) return element("td", "empty", "–");
  std::uint64_t all = 0;
  for (const auto& [name, times] : of->outcomes) all += times;
  const auto share = element("span", "share", escaped(share_text(found->second, all)));
  if (!bar) return element("td", "", count_text(found->second) + share);
  const double part = all > 0 ? static_cast<double>(found->second) / static_cast<double>(all) : 0;
  return element("td", "", count_text(found->second)) + element("td", "", share) + element("td", "l", svg_bar(part, style));
}

std::string outcomes(const run_list& runs) {
  const bool several = runs.size() > 1;
  std::string titles = element("th", "l", "Operation") + element("th", "l", "Outcome");
  if (several)
    for (std::size_t i = 0; i < runs.size(); ++i) titles += element("th", "run", swatch(runs, i));
  else titles += element("th", "", "Times") + element("th", "", "Share") + element("th", "l", "");
  std::string bodies;
  for (const auto& name : operations_of(runs)) {
    const auto names = in_order(runs, [&](const run_result& run) {
      std::vector<std::string> all;
      if (const auto* of = find(run, name))
        for (const auto& [outcome, times] : of->outcomes) all.push_back(outcome);
      return all;
    });
    std::string rows;
    for (const auto& outcome : names) {
      std::string cells = element("th", "l", rows.empty() ? escaped(name) : "") + element("td", "l", escaped(outcome));
      const char* style = is_failure(outcome) ? "fill failing" : is_success(outcome) ? "fill c0" : "fill c4";
      for (const auto& run : runs) cells += outcome_cells(find(run, name), outcome, style, !several);
      rows += element("tr", "", cells);
    }
    bodies += element("tbody", bodies.empty() ? "first" : "group", rows);
  }
  if (bodies.empty()) return {};
  return element("h2", "", "Outcomes") + card_table(titles, bodies);
}

std::string errors(const run_list& runs) {
  const bool several = runs.size() > 1;
  std::string rows;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const auto& [outcome, id] : runs[i].errors)
      rows += element("tr", "", (several ? element("td", "l who", swatch(runs, i)) : "") + element("td", "l", escaped(outcome)) +
                                    element("td", "", count_text(times_of(runs[i], outcome))) +
                                    (id.empty() ? element("td", "l empty", "–") : element("td", "l", element("code", "", escaped(id)))));
  if (rows.empty()) return {};
  const auto titles = (several ? element("th", "l", "Run") : "") + element("th", "l", "Outcome") + element("th", "", "Times") +
                      element("th", "l", "Request-Id of the first");
  return element("h2", "", "Not a success") + card_table(titles, element("tbody", "first", rows));
}

// ---- verification -----------------------------------------------------------------------------------

std::string verified(const run_list& runs, std::size_t i) {
  const auto& checked = runs[i].checked;
  std::string out = runs.size() > 1 ? element("h3", "", swatch(runs, i)) : "";
  if (!checked.done) return out + element("p", "", "Not verified.");
  if (checked.violations == 0) out += element("p", "verdict good", "✓ No violation");
  else out += element("p", "verdict bad", "✗ " + count_text(checked.violations) + (checked.violations == 1 ? " violation" : " violations"));
  out += element("p", "eyebrow", escaped("Compared: " + checked_text(checked) + "."));
  std::string list;
  for (const auto& v : checked.shown) {
    std::string ids;
    for (const auto& id : v.request_ids) ids += ' ' + element("code", "", escaped(id));
    list += element("li", "", escaped(v.what) + (ids.empty() ? "" : element("p", "", "Request-Id" + ids)));
  }
  if (checked.violations > checked.shown.size())
    list += element("li", "", "and " + count_text(checked.violations - checked.shown.size()) + " more");
  return out + (list.empty() ? "" : element("ul", "violations", list));
}

std::string verification_section(const run_list& runs) {
  std::string cards;
  for (std::size_t i = 0; i < runs.size(); ++i) cards += element("div", "card", verified(runs, i));
  return element("h2", "", "Verification") + (runs.size() > 1 ? element("div", "grid", cards) : cards);
}

// ---- the page ---------------------------------------------------------------------------------------

std::string sha256_base64(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> out;
  const int length = EVP_EncodeBlock(out.data(), digest.data(), digest.size());
  return {out.begin(), out.begin() + length};
}

std::string page(const std::string& title, const std::string& content) {
  // Nothing may be loaded or run, whatever a name in a run tries; of styles only the one that follows.
  const auto policy = "default-src 'none'; style-src 'sha256-" + sha256_base64(html_style) + "'; base-uri 'none'; form-action 'none'";
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy + "\">"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">"
         "<title>" + escaped(title) + "</title>\n<style>" + std::string{html_style} + "</style></head>\n<body><main>\n" + content +
         "\n</main></body></html>\n";
}

}  // namespace

std::string html_report(const std::vector<run_result>& runs) {
  std::string title, content = head(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) title += (i > 0 ? " vs " : "") + name_of(runs, i);
  if (!runs.empty()) {
    if (runs.size() == 1) content += facts_of(runs.front()) + tiles_of(runs.front());
    content += notes_of(runs);
    if (runs.size() > 1) content += '\n' + comparison(runs);
    for (const auto& section :
         {operations_table(runs), distribution(runs), timelines{runs}.shown(), outcomes(runs), errors(runs), verification_section(runs)})
      content += '\n' + section;
  }
  return page((title.empty() ? "" : title + " – ") + "gateway-load", content);
}

}  // namespace gateway::load
