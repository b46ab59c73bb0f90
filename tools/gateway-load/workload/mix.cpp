// Reads a mix: the scenarios of a run, with their weights.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "workload.hpp"

namespace gateway::load {
namespace {

constexpr std::array<std::string_view, 9> known{"create", "lifecycle", "storm",    "reuse", "hot",
                                                "replay", "hosted",    "webhooks", "saved"};

weighted_scenario read_one(const std::string& word) {
  const auto colon = word.find(':');
  weighted_scenario one{word.substr(0, colon), 1};
  if (std::ranges::find(known, one.name) == known.end())
    throw std::invalid_argument(
        "no scenario is called '" + one.name +
        "': there are create, lifecycle, storm, reuse, hot, replay, hosted, webhooks and saved");
  if (colon == std::string::npos) return one;
  const auto* const begin = word.data() + colon + 1;
  const auto* const end = word.data() + word.size();
  const auto [stopped, failed] = std::from_chars(begin, end, one.weight);
  if (failed != std::errc{} || stopped != end || !std::isfinite(one.weight) || one.weight <= 0)
    throw std::invalid_argument("the weight in '" + word + "' must be a number above 0");
  return one;
}

}  // namespace

std::vector<weighted_scenario> read_mix(const std::string& text) {
  std::vector<weighted_scenario> mix;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line.substr(0, line.find('#'))};
    for (std::string word; words >> word;) {
      auto one = read_one(word);
      if (std::ranges::find(mix, one.name, &weighted_scenario::name) != mix.end())
        throw std::invalid_argument("the scenario " + one.name + " stands there twice");
      mix.push_back(std::move(one));
    }
  }
  if (mix.empty()) throw std::invalid_argument("no scenario is named");
  return mix;
}

}  // namespace gateway::load
