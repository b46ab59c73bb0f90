// What an exploration prints.
#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "exploration.hpp"
#include "gateway/base/log.hpp"

using namespace gateway::simulation;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in{text};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("unbroken worlds print nothing, log nothing, and a line a minute reports the progress") {
  std::ostringstream out;
  std::chrono::steady_clock::time_point time{};
  std::vector<bool> logs;  // at each read of the clock: at the begin, before each world, at the end
  const auto broken = explore({.from = 1, .seeds = 5}, out, [&] {
    logs.push_back(gateway::log::enabled(gateway::log::level::error));
    return std::exchange(time, time + 30s);
  });
  CHECK(broken == 0);
  CHECK(logs == std::vector{true, false, false, false, false, false, true});
  const auto lines = lines_of(out.str());
  REQUIRE(lines.size() > 3);
  CHECK(lines[0] == "1 of 5 seeds, 0 broken, 60 s");
  CHECK(lines[1] == "3 of 5 seeds, 0 broken, 120 s");
  CHECK(lines[2].starts_with("5 seeds from 1: 0 broken, "));
  for (std::size_t i = 3; i < lines.size(); ++i) CHECK(lines[i].starts_with("  "));
}

TEST_CASE("a broken world is reported with its journal") {
  std::ostringstream out;
  CHECK(explore({.from = 1, .seeds = 200, .missing = guard::provider_key}, out) == 1);
  const auto lines = lines_of(out.str());
  const auto last = std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("seed "); });
  REQUIRE(last != lines.end());
  CHECK(last - lines.begin() > 20);
}
