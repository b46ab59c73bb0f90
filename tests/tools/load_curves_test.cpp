// Runs that differ in one number form a curve over it, in tables and in charts.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/result.hpp"
#include "report/chart.hpp"
#include "report/curves.hpp"
#include "report/report.hpp"

using namespace gateway::load;

namespace {

constexpr std::uint64_t ms = 1'000'000;

run_result run_of(unsigned connections, unsigned merchants, std::uint64_t answered, std::uint64_t latency_ms) {
  run_result run;
  run.name = std::to_string(connections) + " of " + std::to_string(merchants);
  run.scenario = "create";
  run.schedule = "closed, " + std::to_string(connections) + " connections";
  run.connections = connections;
  run.merchants = merchants;
  run.seconds = 10;
  run.operations.push_back({"create", answered, {{"200", answered}}, {}});
  if (answered > 0) run.operations.back().latency.add(latency_ms * ms, answered);
  run.latency += run.operations.back().latency;
  return run;
}

run_result labelled(run_result run, double payments) {
  run.labels["payments"] = payments;
  return run;
}

std::vector<double> positions(const curve& of) {
  std::vector<double> all;
  all.reserve(of.points.size());
  for (const auto& point : of.points) all.push_back(point.x);
  return all;
}

std::size_t times(const std::string& what, const std::string& in) {
  std::size_t count = 0;
  for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + what.size())) ++count;
  return count;
}

std::vector<std::string> labels_of(const axis& of) {
  std::vector<std::string> all;
  all.reserve(of.ticks.size());
  for (const auto& one : of.ticks) all.push_back(one.label);
  return all;
}

}  // namespace

TEST_CASE("runs that differ only in their connections form a curve over them, in any order of the files") {
  const auto families = curves_of({run_of(256, 1, 70'000, 30), run_of(10, 1, 40'000, 2), run_of(5000, 1, 60'000, 700)});
  REQUIRE(families.size() == 1);
  CHECK(families[0].over == "connections");
  REQUIRE(families[0].curves.size() == 1);
  CHECK(families[0].curves[0].name.empty());
  CHECK(positions(families[0].curves[0]) == std::vector<double>{10, 256, 5000});
  CHECK(families[0].curves[0].points[1].rate() == 7000);
}

TEST_CASE("runs with the same options are one point of the curve: their answers and their times are summed") {
  const auto families = curves_of({run_of(10, 1, 10'000, 1), run_of(50, 1, 20'000, 1), run_of(10, 1, 30'000, 9)});
  REQUIRE(families.size() == 1);
  const auto& first = families[0].curves[0].points[0];
  CHECK(first.runs == 2);
  CHECK(first.rate() == 2000);
  CHECK(first.latency.count() == 40'000);
  CHECK(first.latency.most() == 9 * ms);
}

TEST_CASE("one number at a time: runs with one reference form a curve over each number in which they differ") {
  const auto families = curves_of({labelled(run_of(10, 1, 1, 1), 0), labelled(run_of(256, 1, 1, 1), 0),
                                   labelled(run_of(256, 100, 1, 1), 0), labelled(run_of(256, 1, 1, 1), 1e6),
                                   labelled(run_of(256, 1, 1, 1), 1e7)});
  REQUIRE(families.size() == 3);
  CHECK(families[0].over == "connections");
  CHECK(positions(families[0].curves[0]) == std::vector<double>{10, 256});
  CHECK(families[1].over == "merchants");
  CHECK(positions(families[1].curves[0]) == std::vector<double>{1, 100});
  CHECK(families[2].over == "payments");
  CHECK(positions(families[2].curves[0]) == std::vector<double>{0, 1e6, 1e7});
}

TEST_CASE("curves of a family are named by their differences") {
  auto other = run_of(256, 100, 1, 1);
  other.scenario = "replay";
  auto another = run_of(10, 100, 1, 1);
  another.scenario = "replay";
  const auto families = curves_of({run_of(10, 1, 1, 1), run_of(256, 1, 1, 1), other, another});
  REQUIRE(families.size() == 1);
  REQUIRE(families[0].curves.size() == 2);
  CHECK(families[0].curves[0].name == "create, merchants 1");
  CHECK(families[0].curves[1].name == "replay, merchants 100");
}

TEST_CASE("runs that differ in words, in several numbers, or in nothing form no curve") {
  auto open = run_of(256, 1, 1, 1);
  open.schedule = "constant 400/s";
  CHECK(curves_of({}).empty());
  CHECK(curves_of({run_of(10, 1, 1, 1)}).empty());
  CHECK(curves_of({run_of(10, 1, 1, 1), run_of(10, 1, 2, 2)}).empty());
  CHECK(curves_of({run_of(10, 1, 1, 1), run_of(256, 100, 1, 1)}).empty());
  CHECK(curves_of({run_of(10, 1, 1, 1), open}).empty());
  CHECK(curves_of({run_of(10, 1, 1, 1), labelled(run_of(10, 1, 1, 1), 5)}).empty());
}

TEST_CASE("the table of a curve has a row for each point, with its rate as a ratio to the first") {
  auto failing = run_of(5000, 1, 20'000, 700);
  failing.operations.back().outcomes["503 overloaded"] = 12;
  CHECK(table_of_curves({run_of(10, 1, 40'000, 2), run_of(256, 1, 80'000, 32), failing}) ==
        "\nby connections\n"
        "  connections  runs     rate   ratio      p50      p99  failed\n"
        "           10     1  4,000/s   ×1.00  2.00 ms  2.00 ms       0\n"
        "          256     1  8,000/s   ×2.00  32.0 ms  32.0 ms       0\n"
        "        5,000     1  2,000/s  ×0.500   700 ms   700 ms      12\n");
  CHECK(table_of_curves({run_of(10, 1, 1, 1)}).empty());
  CHECK(table_of_curves({run_of(10, 1, 1, 1), run_of(20, 1, 0, 1)}).find("  -") != std::string::npos);
}

TEST_CASE("an axis has the runs' numbers as ticks, and is logarithmic from a decade on") {
  const auto wide = quantity_axis({10, 50, 256, 1000, 5000});
  CHECK(wide.logarithmic);
  CHECK(labels_of(wide) == std::vector<std::string>{"10", "50", "256", "1,000", "5,000"});
  CHECK(wide.share(10) > 0);
  CHECK(wide.share(5000) < 1);
  CHECK((wide.share(1000) - wide.share(256)) / (wide.share(256) - wide.share(50)) ==
        Approx(std::log(1000 / 256.0) / std::log(256 / 50.0)));

  const auto narrow = quantity_axis({2, 3, 4});
  CHECK_FALSE(narrow.logarithmic);
  CHECK(narrow.share(3) == Approx(0.5));

  // 0 has no logarithm, so it is placed a decade before the other values.
  const auto with_none = quantity_axis({0, 100'000, 1e6, 1e7});
  CHECK(labels_of(with_none) == std::vector<std::string>{"0", "100,000", "1 M", "10 M"});
  CHECK(with_none.share(0) == 0);
  CHECK(with_none.share(1e6) - with_none.share(1e5) == Approx(with_none.share(1e5)));
}

TEST_CASE("numbers that are too close on an axis have no label; the last one always has") {
  const auto close = quantity_axis({100, 1000, 200'000, 210'000, 220'000});
  CHECK(labels_of(close) == std::vector<std::string>{"100", "1,000", "", "", "220,000"});
}

TEST_CASE("a page draws a curve's rate and latencies, and its table has the same numbers") {
  const auto page =
      html_report({run_of(10, 1, 40'000, 2), run_of(256, 1, 80'000, 32), run_of(5000, 1, 20'000, 700)}, "More & more");
  CHECK(page.find("<h1>More &amp; more</h1>") != std::string::npos);
  CHECK(page.find("<title>More &amp; more – gateway-load</title>") != std::string::npos);
  CHECK(page.find("<h2>By connections</h2>") != std::string::npos);
  CHECK(page.find("The axis below is logarithmic.") != std::string::npos);
  CHECK(page.find("aria-label=\"Rate by connections\"") != std::string::npos);
  CHECK(page.find("aria-label=\"Latency by connections\"") != std::string::npos);
  CHECK(page.find("<title>256 connections&#10;p50 32.0 ms, p99 32.0 ms</title>") != std::string::npos);
  CHECK(page.find("<td>8,000/s</td><td class=\"beside\"><span class=\"ratio good\">▲ ×2.00</span></td>") !=
        std::string::npos);
  CHECK(page.find("<td>2,000/s</td><td class=\"beside\"><span class=\"ratio bad\">▼ ×0.500</span></td>") !=
        std::string::npos);
}

TEST_CASE(
    "curves beside each other are named, also by hostile text, and one without an answer does not break the page") {
  std::vector<run_result> runs;
  for (const auto merchants : {1u, 100u})
    for (const auto connections : {10u, 256u, 5000u})
      runs.push_back(run_of(connections, merchants, connections == 256 ? 0 : 1000, 5));
  for (auto& run : runs)
    if (run.merchants == 100) run.scenario = "<script>";
  const auto page = html_report(runs);
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("&lt;script&gt;, merchants 100") != std::string::npos);
  CHECK(page.find("create, merchants 1") != std::string::npos);
  for (auto& run : runs) run.latency = {};
  for (const auto* none : {">nan", " nan", "Lnan", "inf "}) {
    CHECK(page.find(none) == std::string::npos);
    CHECK(html_report(runs).find(none) == std::string::npos);
  }
}

TEST_CASE("of many runs those that kept every promise share one badge, and each other run has its own") {
  std::vector<run_result> runs;
  for (unsigned i = 1; i <= 8; ++i) runs.push_back(run_of(i, 1, 1, 1));
  for (auto& run : runs) run.checked.done = true;
  runs[2].checked.violations = 1;
  const auto page = html_report(runs);
  CHECK(page.find("✓ 7 runs verified, no violation") != std::string::npos);
  CHECK(page.find("3 of 1: ✗ 1 violation") != std::string::npos);
  CHECK(times("class=\"badge ", page) == 2);
}
