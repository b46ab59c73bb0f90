#include "verdict.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "report/format.hpp"

namespace gateway::soak {

namespace {

constexpr double mb = 1024 * 1024;
constexpr std::size_t least_samples = 3;
constexpr std::size_t most_pairs = 4'000'000;  // of samples, whose slopes are sorted

series between(const series& of, double from, double to) {
  series part;
  std::ranges::copy_if(of, std::back_inserter(part), [&](const sample& s) { return s.at_s >= from && s.at_s < to; });
  return part;
}

double median_of(const series& of) {
  std::vector<double> values;
  values.reserve(of.size());
  for (const auto& one : of) values.push_back(one.value);
  return soak::median_of(std::move(values));
}

std::string padded(std::string text, std::size_t width, bool left = false) {
  const auto missing = width - std::min(width, load::width_of(text));
  return left ? text + std::string(missing, ' ') : std::string(missing, ' ') + text;
}

}  // namespace

const std::vector<expectation>& expectations() {
  static const std::vector<expectation> all{
      {"resident", "resident memory", unit::bytes, 0.03, 4 * mb},
      {"open_files", "open files", unit::count, 0.05, 16},
      {"database_each", "database, for each operation", unit::bytes, 0.1, 20},
      {"log", "write-ahead or redo log", unit::bytes, 0.1, 4 * mb},
      {"commands", "table of keys", unit::bytes, 0.05, 8 * mb},
      {"system", "system and undo tablespaces", unit::bytes, 0.05, 16 * mb},
      {"p50_ms", "payments' p50", unit::milliseconds, 0.2, 0.5},
      {"p99_ms", "payments' p99", unit::milliseconds, 0.2, 2},
      {"webhook_pending", "webhooks pending", unit::count, 0.2, 200},
      {"webhook_oldest_s", "oldest webhook pending", unit::seconds, 0.2, 0.5},
      {"arrival_p99_ms", "commit to arrival, p99", unit::milliseconds, 0.2, 5},
      {"keys_kept", "idempotency keys kept", unit::count, 0.05, 500},
      {"purge_overdue_s", "oldest key beyond its term", unit::seconds, 0.2, 5},
      {"deliveries_kept", "deliveries kept", unit::count, 0.05, 500},
      {"events_age_s", "oldest event in the log", unit::seconds, 0.05, 10},
  };
  return all;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double slope_of(const series& of) {
  // Only every n-th of many samples is paired, so that time and memory stay bounded.
  const auto step = static_cast<std::size_t>(1 + static_cast<double>(of.size()) * static_cast<double>(of.size()) / 2 /
                                                     static_cast<double>(most_pairs));
  std::vector<double> slopes;
  for (std::size_t i = 0; i < of.size(); ++i)
    for (std::size_t j = i + 1; j < of.size(); j += step)
      if (of[j].at_s > of[i].at_s) slopes.push_back((of[j].value - of[i].value) / (of[j].at_s - of[i].at_s));
  return median_of(std::move(slopes));
}

verdict judge(const expectation& of, const series& samples, double lasted_s) {
  verdict made;
  made.of = of;
  const auto third = lasted_s / 3, tenth = lasted_s / 10;
  for (std::size_t i = 0; i < made.tenths.size(); ++i) {
    const auto from = tenth * static_cast<double>(i);
    if (const auto part = between(samples, from, from + tenth); !part.empty()) made.tenths[i] = median_of(part);
  }
  const auto second = between(samples, third, 2 * third), last = between(samples, 2 * third, lasted_s + tenth);
  made.judged = second.size() >= least_samples && last.size() >= least_samples;
  if (!made.judged) return made;
  made.second_third = median_of(second);
  made.last_third = median_of(last);
  made.growth = slope_of(between(samples, third, lasted_s + tenth)) * third;
  made.allowed = std::max(of.share * made.second_third, of.least);
  made.grows = made.growth > made.allowed;
  return made;
}

std::vector<verdict> judge_all(const store_run& run) {
  std::vector<verdict> all;
  for (const auto& one : expectations())
    if (const auto found = run.all.find(std::string{one.name}); found != run.all.end() && !found->second.empty())
      all.push_back(judge(one, found->second, run.lasted_s));
  for (const auto* needed : {"resident", "p99_ms"}) {
    const auto found = std::ranges::find(all, needed, [](const verdict& one) { return one.of.name; });
    if (found == all.end() || !found->judged)
      throw std::runtime_error("too few samples of " + std::string{needed} + ": the run shows nothing");
  }
  return all;
}

std::string text_of(double value, unit in) {
  std::array<char, 64> text{};
  switch (in) {
    case unit::bytes:
      if (value < mb && value > -mb)
        std::snprintf(text.data(), text.size(), "%.0f B", value);
      else
        std::snprintf(text.data(), text.size(), "%.1f MB", value / mb);
      break;
    case unit::milliseconds: std::snprintf(text.data(), text.size(), "%.1f ms", value); break;
    case unit::seconds: std::snprintf(text.data(), text.size(), "%.2f s", value); break;
    case unit::count: std::snprintf(text.data(), text.size(), "%.0f", value); break;
  }
  return text.data();
}

std::string table_of(const store_run& run, const std::vector<verdict>& all) {
  constexpr std::size_t first = 29, column = 11;
  std::string out = run.store + ": " + load::length_text(run.lasted_s) + ", " + std::to_string(run.keys) + " keys, " +
                    std::to_string(run.payments) + " payments and " + std::to_string(run.events) +
                    " events verified; medians of each tenth\n" + padded("", first);
  for (int i = 1; i <= 10; ++i) out += padded(std::to_string(i), column);
  out += padded("growth", column) + padded("allowed", column) + '\n';
  for (const auto& one : all) {
    out += padded(std::string{one.of.title}, first, true);
    for (const auto& value : one.tenths) out += padded(value ? text_of(*value, one.of.in) : "-", column);
    if (one.judged)
      out += padded(text_of(one.growth, one.of.in), column) + padded(text_of(one.allowed, one.of.in), column) +
             (one.grows ? "  GROWS" : "  flat");
    else
      out += "  too few samples";
    out += '\n';
  }
  return out + "growth: in a third of the run, by the slope over the last two thirds\n";
}

}  // namespace gateway::soak
