// The section of a run of subscriptions: their results, month by month.
#include <algorithm>

#include "chart.hpp"
#include "format.hpp"
#include "html_parts.hpp"

namespace gateway::load::html {

namespace {

struct monthly {
  const char* name;
  const char* style;
  double (*of)(const month_result&);
};

chart drawn(const run_result& run, const char* label, const std::vector<monthly>& all) {
  constexpr double headroom = 1.06;
  chart made;
  made.label = label;
  const auto count = static_cast<double>(run.months.size());
  double most = 1;
  for (const auto& one : all)
    for (const auto& month : run.months) most = std::max(most, one.of(month));
  made.x.least = 0.5;
  made.x.most = count + 0.5;
  for (std::size_t i = 1; i <= run.months.size(); ++i)
    made.x.ticks.push_back({static_cast<double>(i), run.months.size() <= 24 || i % 12 == 0 ? std::to_string(i) : ""});
  made.y = count_axis(most * headroom);
  for (const auto& one : all) {
    line drawn{{}, one.style, &one == &all.front()};
    // A step for each month, because values change only at its end.
    for (std::size_t i = 0; i < run.months.size(); ++i) {
      drawn.points.emplace_back(static_cast<double>(i) + 0.5, one.of(run.months[i]));
      drawn.points.emplace_back(static_cast<double>(i) + 1.5, one.of(run.months[i]));
    }
    made.lines.push_back(std::move(drawn));
  }
  for (std::size_t i = 0; i < run.months.size(); ++i) {
    std::string text = "month " + std::to_string(i + 1);
    for (const auto& one : all)
      text += std::string{"\n"} + one.name + ' ' + count_text(static_cast<std::uint64_t>(one.of(run.months[i])));
    made.columns.push_back({static_cast<double>(i) + 0.5, static_cast<double>(i) + 1.5, std::move(text)});
  }
  return made;
}

std::string figure(const run_result& run, const char* name, const char* what, const std::vector<monthly>& all) {
  legend_entries entries;
  for (const auto& one : all) entries.emplace_back(one.style, one.name);
  return element("figure", "card",
                 element("figcaption", "", escaped(name) + ' ' + element("span", "", what)) + legend(entries) +
                     svg_of(drawn(run, name, all)));
}

std::string cells(const std::string& name, const month_result& of) {
  std::string out = element("th", "l", name);
  for (const auto value :
       {of.paid, of.failed, of.ended, static_cast<std::uint64_t>(of.charged), static_cast<std::uint64_t>(of.refunded)})
    out += element("td", "", count_text(value));
  return out;
}

}  // namespace

std::string months(const run_result& run) {
  if (run.months.empty()) return {};
  std::string titles = element("th", "l", "Month");
  for (const auto* title : {"Cycles paid", "Attempts failed", "Subscriptions ended", "Charged", "Refunded"})
    titles += element("th", "", title);
  std::string rows;
  for (std::size_t i = 0; i < run.months.size(); ++i)
    rows += element("tr", "", cells(std::to_string(i + 1), run.months[i]));
  rows += element("tr", "all", cells("all", sum_of(run.months)));
  const auto paid = [](const month_result& m) { return static_cast<double>(m.paid); };
  const auto failed = [](const month_result& m) { return static_cast<double>(m.failed); };
  const auto ended = [](const month_result& m) { return static_cast<double>(m.ended); };
  const auto charged = [](const month_result& m) { return static_cast<double>(m.charged); };
  const auto refunded = [](const month_result& m) { return static_cast<double>(m.refunded); };
  return element("h2", "", "Month by month") +
         element("p", "hint",
                 "As it was read back: each subscription's first cycle, its second, and so on. Money is in the "
                 "currency's minor unit.") +
         element("div", "grid",
                 figure(run, "Cycles", "of all subscriptions", {{"paid", "c0", paid}}) +
                     figure(run, "Trouble", "in each month",
                            {{"failed attempts", "failing", failed}, {"ended", "c4", ended}}) +
                     figure(run, "Charged", "in minor units", {{"charged", "c2", charged}}) +
                     figure(run, "Refunded", "in minor units", {{"refunded", "c3", refunded}})) +
         card_table(titles, element("tbody", "first", rows));
}

}  // namespace gateway::load::html
