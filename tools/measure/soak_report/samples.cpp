#include "samples.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <istream>
#include <stdexcept>

#include "report/report.hpp"

namespace gateway::soak {

namespace {

constexpr double bytes_of_kb = 1024;
/// The share of the run over which the database's growth for each operation is measured, because files grow in steps.
constexpr double growth_window = 0.1;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= line.size();) {
    const auto end = std::min(line.find(',', begin), line.size());
    all.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

double number_in(const std::string& field, std::size_t line) {
  double value = 0;
  const auto [end, failed] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (failed != std::errc{} || end != field.data() + field.size())
    throw std::runtime_error("line " + std::to_string(line) + ": '" + field + "' is not a number");
  return value;
}

std::ifstream opened(const std::filesystem::path& file) {
  std::ifstream in{file};
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return in;
}

/// The latencies of each second, as gateway-load's clients saw them.
void add_section(store_run& to, double begin_s, const load::run_result& run) {
  for (const auto& second : run.timeline) {
    const auto at = begin_s + second.at_s;
    to.all["rate"].push_back({at, static_cast<double>(second.answered)});
    if (second.answered == 0) continue;
    to.all["p50_ms"].push_back({at, second.p50_ms});
    to.all["p99_ms"].push_back({at, second.p99_ms});
  }
  to.lasted_s = std::max(to.lasted_s, begin_s + run.seconds);
  to.payments += run.checked.payments;
  to.keys += run.checked.keys;
  to.events += run.checked.events;
}

}  // namespace

series_by_name read_samples(std::istream& from) {
  std::string line;
  if (!std::getline(from, line)) throw std::runtime_error("there are no samples");
  const auto names = fields_of(line);
  if (names.front() != "at_s") throw std::runtime_error("line 1: the first column must be at_s");
  series_by_name all;
  for (std::size_t number = 2; std::getline(from, line); ++number) {
    const auto fields = fields_of(line);
    if (fields.size() != names.size())
      throw std::runtime_error("line " + std::to_string(number) + ": " + std::to_string(fields.size()) +
                               " fields instead of " + std::to_string(names.size()));
    const auto at = number_in(fields.front(), number);
    for (std::size_t i = 1; i < fields.size(); ++i)
      if (!fields[i].empty()) all[names[i]].push_back({at, number_in(fields[i], number)});
  }
  return all;
}

series growth_each(const series& of, const series& by, double window_s) {
  series made;
  const auto count = std::min(of.size(), by.size());
  std::size_t begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    while (of[i].at_s - of[begin].at_s > window_s) ++begin;
    const bool whole = begin > 0;  // until then the window is not full
    const auto more = by[i].value - by[begin].value;
    if (whole && more > 0) made.push_back({of[i].at_s, (of[i].value - of[begin].value) / more});
  }
  return made;
}

store_run read_store_run(const std::string& store, const std::filesystem::path& folder) {
  store_run run;
  run.store = store;
  auto samples = opened(folder / "samples.csv");
  run.all = read_samples(samples);
  auto sections = opened(folder / "sections.csv");
  std::string line;
  std::getline(sections, line);
  for (std::size_t number = 2; std::getline(sections, line); ++number) {
    const auto fields = fields_of(line);
    if (fields.size() != 2) throw std::runtime_error("sections.csv, line " + std::to_string(number) + ": two fields");
    add_section(run, number_in(fields[0], number), load::read_json(folder / fields[1]));
  }
  for (auto& one : run.all["resident_kb"]) one.value *= bytes_of_kb;
  run.all["resident"] = std::move(run.all["resident_kb"]);
  run.all.erase("resident_kb");
  run.all["database_each"] = growth_each(run.all["database"], run.all["keys_taken"], growth_window * run.lasted_s);
  return run;
}

}  // namespace gateway::soak
