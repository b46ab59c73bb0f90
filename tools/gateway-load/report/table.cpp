// The tables that are printed on a terminal.
#include <algorithm>
#include <utility>
#include <vector>

#include "curves.hpp"
#include "format.hpp"
#include "report.hpp"

namespace gateway::load {

namespace {

using row = std::vector<std::string>;

/// Aligns columns: the first `left` of them to the left, the others, which are numbers, to the right.
std::string aligned(const std::vector<row>& rows, std::size_t left, const std::string& indent = "") {
  std::vector<std::size_t> widths;
  for (const auto& cells : rows) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], width_of(cells[i]));
  }
  std::string out;
  for (const auto& cells : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string gap(widths[i] - width_of(cells[i]), ' ');
      line += (i == 0 ? "" : "  ");
      line += i < left ? cells[i] + gap : gap + cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

row latencies(const std::string& name, std::uint64_t sent, const histogram& of, double seconds) {
  row cells{name, count_text(sent), count_text(of.count())};
  cells.push_back(number_text(seconds > 0 ? static_cast<double>(of.count()) / seconds : 0) + "/s");
  for (const auto share : {0.5, 0.9, 0.99, 0.999})
    cells.push_back(of.count() == 0 ? "-" : duration_text(static_cast<double>(of.percentile(share))));
  cells.push_back(of.count() == 0 ? "-" : duration_text(static_cast<double>(of.most())));
  return cells;
}

row month_row(const std::string& name, const month_result& of) {
  return {name,
          count_text(of.paid),
          count_text(of.failed),
          count_text(of.ended),
          count_text(static_cast<std::uint64_t>(of.charged)),
          count_text(static_cast<std::uint64_t>(of.refunded))};
}

std::string head(const run_result& run) {
  std::string out = clean(run.name) + '\n';
  std::vector<row> facts;
  if (run.scenario != run.name) facts.push_back({"scenario", clean(run.scenario)});
  facts.push_back({"schedule", clean(run.schedule)});
  facts.push_back({"target", clean(run.target)});
  facts.push_back({"began", clean(run.began_at)});
  facts.push_back({"lasted", length_text(run.seconds) + ", " + count_text(run.connections) +
                                 (run.connections == 1 ? " connection, " : " connections, ") + count_text(run.threads) +
                                 (run.threads == 1 ? " thread" : " threads") +
                                 (run.merchants == 1 ? "" : ", " + count_text(run.merchants) + " merchants") +
                                 (run.random_ids ? ", random ids" : "")});
  if (!run.labels.empty()) facts.push_back({"labels", labels_text(run)});
  return out + aligned(facts, 2, "  ");
}

std::string operations_of(const run_result& run) {
  std::vector<row> rows{{"operation", "sent", "answered", "rate", "p50", "p90", "p99", "p99.9", "max"}};
  for (const auto& of : run.operations) rows.push_back(latencies(clean(of.name), of.sent, of.latency, run.seconds));
  if (run.operations.size() != 1) rows.push_back(latencies("all", run.sent(), run.latency, run.seconds));
  return aligned(rows, 1);
}

std::string outcomes_of(const run_result& run) {
  std::vector<row> rows;
  for (const auto& of : run.operations) {
    std::uint64_t all = 0;
    for (const auto& [outcome, times] : of.outcomes) all += times;
    auto name = clean(of.name);
    for (const auto& [outcome, times] : of.outcomes)
      rows.push_back({std::exchange(name, ""), clean(outcome), count_text(times), share_text(times, all)});
  }
  return rows.empty() ? "" : "\noutcomes\n" + aligned(rows, 2, "  ");
}

std::string errors_of(const run_result& run) {
  if (run.errors.empty()) return {};
  std::vector<row> rows;
  rows.reserve(run.errors.size());
  for (const auto& [outcome, id] : run.errors)
    rows.push_back({clean(outcome), count_text(times_of(run, outcome)), id.empty() ? "" : "first: " + clean(id)});
  // The count is the only number here, so it is padded instead of aligned.
  std::size_t widest = 0;
  for (const auto& cells : rows) widest = std::max(widest, cells[1].size());
  for (auto& cells : rows) cells[1].insert(0, widest - cells[1].size(), ' ');
  return "\nnot a success\n" + aligned(rows, 3, "  ");
}

std::string months_of(const run_result& run) {
  if (run.months.empty()) return {};
  std::vector<row> rows{{"month", "paid", "failed attempts", "ended", "charged", "refunded"}};
  for (std::size_t i = 0; i < run.months.size(); ++i) rows.push_back(month_row(std::to_string(i + 1), run.months[i]));
  rows.push_back(month_row("all", sum_of(run.months)));
  return "\nsubscriptions, by their months (money in minor units)\n" + aligned(rows, 0, "  ");
}

std::string verified(const verification& checked) {
  if (!checked.done) return "\nnot verified\n";
  std::string out = "\nverified: " + checked_text(checked) + '\n';
  if (checked.violations == 0) return out + "no violation\n";
  out += "VIOLATIONS: " + count_text(checked.violations) + '\n';
  for (const auto& v : checked.shown) {
    out += "  " + clean(v.what) + '\n';
    if (v.request_ids.empty()) continue;
    out += "    Request-Id";
    for (const auto& id : v.request_ids) out += ' ' + clean(id);
    out += '\n';
  }
  if (checked.violations > checked.shown.size())
    out += "  and " + count_text(checked.violations - checked.shown.size()) + " more\n";
  return out;
}

}  // namespace

std::string table_of(const run_result& run) {
  std::string out = head(run) + '\n' + operations_of(run);
  const auto shortfall = shortfall_text(run);
  if (!shortfall.empty()) out += '\n' + shortfall + '\n';
  if (lateness_matters(run)) out += (shortfall.empty() ? "\n" : "") + lateness_text(run) + '\n';
  return out + outcomes_of(run) + errors_of(run) + months_of(run) + verified(run.checked);
}

std::string table_of_curves(const std::vector<run_result>& runs) {
  std::string out;
  for (const auto& family : curves_of(runs)) {
    std::vector<row> rows{{"", clean(family.over), "runs", "rate", "ratio", "p50", "p99", "failed"}};
    for (const auto& one : family.curves) {
      auto name = clean(one.name);
      for (const auto& point : one.points) {
        row cells{std::exchange(name, ""), quantity_text(point.x), count_text(point.runs),
                  number_text(point.rate()) + "/s", ratio_text(point.rate(), one.points.front().rate())};
        for (const auto share : {0.5, 0.99})
          cells.push_back(
              point.latency.count() == 0 ? "-" : duration_text(static_cast<double>(point.latency.percentile(share))));
        cells.push_back(count_text(point.failed));
        rows.push_back(std::move(cells));
      }
    }
    if (family.curves.size() == 1)
      for (auto& cells : rows) cells.erase(cells.begin());
    out += "\nby " + clean(family.over) + '\n' + aligned(rows, family.curves.size() == 1 ? 0 : 1, "  ");
  }
  return out;
}

}  // namespace gateway::load
