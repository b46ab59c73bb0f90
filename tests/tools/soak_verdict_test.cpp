// Which series tools/soak considers growing.
#include <catch2/catch.hpp>

#include <cmath>
#include <sstream>

#include "pictures.hpp"
#include "verdict.hpp"

using namespace gateway::soak;

namespace {

constexpr double hour = 3600;
constexpr expectation memory{"resident", "resident memory", unit::count, 0.03, 4};

/// A sample every 5 s of an hour.
template <class Value>
series over_an_hour(Value value) {
  series made;
  for (double at = 0; at < hour; at += 5) made.push_back({at, value(at)});
  return made;
}

bool grows(const series& samples, const expectation& of = memory) {
  const auto made = judge(of, samples, hour);
  REQUIRE(made.judged);
  return made.grows;
}

/// From -1 to 1, the same for the same time.
double noise(double at) { return std::sin(at * 12.9898) * std::cos(at * 78.233); }

store_run run_with(series resident, series p99) {
  store_run run;
  run.store = "sqlite";
  run.lasted_s = hour;
  run.all["resident"] = std::move(resident);
  run.all["p99_ms"] = std::move(p99);
  return run;
}

}  // namespace

TEST_CASE("a series that rises evenly by more than its tolerance in each third grows") {
  CHECK(grows(over_an_hour([](double at) { return 100 + at / hour * 30; })));
  CHECK(grows(over_an_hour([](double at) { return 100 + at / hour * 30 + 10 * noise(at); })));
}

TEST_CASE("a series that only begins to rise in the last two thirds grows") {
  CHECK(grows(over_an_hour([](double at) { return 100 + std::max(0.0, at - hour / 3) / hour * 40; })));
}

TEST_CASE("a series that rises in steps grows") {
  CHECK(grows(over_an_hour([](double at) { return 100 + 8 * std::floor(at / 600); })));
}

TEST_CASE("a series that fills in the first third and then stays is flat") {
  CHECK_FALSE(grows(over_an_hour([](double at) { return std::min(at, 900.0); })));
}

TEST_CASE("noise, a saw-tooth and a few wild samples are flat") {
  CHECK_FALSE(grows(over_an_hour([](double at) { return 100 + 30 * noise(at); })));
  CHECK_FALSE(grows(over_an_hour([](double at) { return 100 + std::fmod(at, 60); })));
  CHECK_FALSE(grows(over_an_hour([](double at) { return at > 3000 && at < 3100 ? 5000.0 : 100.0; })));
}

TEST_CASE("growth within the tolerance is flat, as a share and as an amount") {
  CHECK_FALSE(grows(over_an_hour([](double at) { return 1000 + at / hour * 60; })));  // 20 of 1000 in a third
  CHECK_FALSE(grows(over_an_hour([](double at) { return at / hour * 9; })));          // 3 in a third
}

TEST_CASE("a falling series does not grow") {
  CHECK_FALSE(grows(over_an_hour([](double at) { return 1000 - at / hour * 500; })));
}

TEST_CASE("two samples in a third are too few for a verdict") {
  series few;
  for (double at = 100; at < hour; at += 600) few.push_back({at, at});
  CHECK_FALSE(judge(memory, few, hour).judged);
}

TEST_CASE("a run without samples of memory or latency proves nothing, and is no success") {
  const auto flat = over_an_hour([](double) { return 100.0; });
  CHECK_NOTHROW(judge_all(run_with(flat, flat)));
  CHECK_THROWS_WITH(judge_all(run_with({}, flat)), Catch::Contains("resident"));
  CHECK_THROWS_WITH(judge_all(run_with(flat, {})), Catch::Contains("p99_ms"));
}

TEST_CASE("the table has a row for each series, with its medians by tenths and its verdict") {
  const auto run =
      run_with(over_an_hour([](double at) { return 1e9 + at * 1e5; }), over_an_hour([](double) { return 7.0; }));
  const auto table = table_of(run, judge_all(run));
  INFO(table);
  CHECK_THAT(table, Catch::Contains("resident memory") && Catch::Contains("GROWS") && Catch::Contains("7.0 ms") &&
                        Catch::Contains("flat"));
}

TEST_CASE("the database's growth for each operation is flat if both grow evenly, and grows if rows become larger") {
  const auto operations = over_an_hour([](double at) { return at * 1000; });
  const auto even = over_an_hour([](double at) { return at * 500'000; });
  const auto worse = over_an_hour([](double at) { return at * 500'000 + at * at * 100; });
  const expectation each{"database_each", "", unit::bytes, 0.1, 20};
  CHECK(growth_each(even, operations, 360).back().value == Approx(500));
  CHECK_FALSE(grows(growth_each(even, operations, 360), each));
  CHECK(grows(growth_each(worse, operations, 360), each));
}

TEST_CASE("samples are read by the names of their columns, and an empty field is no sample") {
  std::istringstream good{"at_s,a,b\n0,1,\n5,2,3.5\n"};
  const auto all = read_samples(good);
  REQUIRE(all.at("a").size() == 2);
  REQUIRE(all.at("b").size() == 1);
  CHECK(all.at("b").front().at_s == 5);
  CHECK(all.at("b").front().value == 3.5);
  std::istringstream ragged{"at_s,a\n0,1\n5\n"};
  CHECK_THROWS_WITH(read_samples(ragged), Catch::Contains("line 3"));
  std::istringstream words{"at_s,a\n0,many\n"};
  CHECK_THROWS_WITH(read_samples(words), Catch::Contains("line 2") && Catch::Contains("many"));
}

TEST_CASE("each series becomes a picture of its own that needs no page") {
  const auto run = run_with(over_an_hour([](double) { return 1e8; }), over_an_hour([](double) { return 5.0; }));
  const auto pictures = pictures_of({run, run});
  REQUIRE(pictures.size() == 2);
  CHECK(pictures.front().file == "resident.svg");
  for (const auto& one : pictures) {
    CHECK_THAT(one.svg, Catch::StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\"") && Catch::Contains("<style>") &&
                            Catch::Contains("sqlite"));
    CHECK(one.svg.ends_with("</svg>\n"));
  }
}
