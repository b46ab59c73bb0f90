#include "curves.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "format.hpp"

namespace gateway::load {

namespace {

/// The options of a run, by name: numbers, and texts.
struct run_options {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;

  explicit run_options(const run_result& run) : numbers{run.labels} {
    numbers["connections"] = run.connections;
    numbers["merchants"] = run.merchants;
    texts["scenario"] = run.scenario;
    texts["ids"] = run.random_ids ? "random ids" : "sequential ids";
    // The closed model's text contains the connections, which are a number of their own.
    texts["schedule"] = run.schedule.starts_with("closed") ? "closed" : run.schedule;
  }
  auto operator<=>(const run_options&) const = default;
};

/// A curve, with the options that all its runs share.
using group = std::pair<run_options, curve>;

curve_point& point_at(double x, curve& in) {
  const auto at = std::ranges::lower_bound(in.points, x, {}, &curve_point::x);
  if (at != in.points.end() && at->x == x) return *at;
  auto& made = *in.points.insert(at, curve_point{});
  made.x = x;
  return made;
}

void add(const run_result& run, curve_point& to) {
  to.runs += 1;
  to.seconds += run.seconds;
  to.latency += run.latency;
  to.failed += failures_of(run);
}

/// Names each curve by the options that not all curves share: "merchants 100, replay".
void name_by_differences(std::vector<group>& all) {
  const auto shared = [&](const auto& each, const auto& member) {
    return std::ranges::all_of(all, [&](const group& other) {
      const auto& theirs = other.first.*each;
      const auto found = theirs.find(member.first);
      return found != theirs.end() && found->second == member.second;
    });
  };
  for (auto& [what, made] : all) {
    const auto append = [&, &name = made.name](const std::string& text) { name += (name.empty() ? "" : ", ") + text; };
    for (const auto& word : what.texts)
      if (!shared(&run_options::texts, word)) append(word.second);
    for (const auto& number : what.numbers)
      if (!shared(&run_options::numbers, number)) append(number.first + ' ' + quantity_text(number.second));
  }
}

curve_family family_over(const std::string& name, const std::vector<run_result>& runs) {
  std::vector<group> groups;
  for (const auto& run : runs) {
    run_options what{run};
    const auto x = what.numbers.find(name);
    if (x == what.numbers.end()) continue;
    const double position = x->second;
    what.numbers.erase(x);
    const auto found = std::ranges::find(groups, what, &group::first);
    auto& of_these = found == groups.end() ? groups.emplace_back(std::move(what), curve{}) : *found;
    add(run, point_at(position, of_these.second));
  }
  std::erase_if(groups, [](const group& one) { return one.second.points.size() < 2; });
  name_by_differences(groups);
  curve_family made{name, {}};
  for (auto& one : groups) made.curves.push_back(std::move(one.second));
  return made;
}

}  // namespace

std::vector<curve_family> curves_of(const std::vector<run_result>& runs) {
  std::vector<std::string> names{"connections", "merchants"};
  std::set<std::string> labels;
  for (const auto& run : runs)
    for (const auto& [name, number] : run.labels) labels.insert(name);
  names.insert(names.end(), labels.begin(), labels.end());
  std::vector<curve_family> all;
  for (const auto& name : names)
    if (auto made = family_over(name, runs); !made.curves.empty()) all.push_back(std::move(made));
  return all;
}

}  // namespace gateway::load
