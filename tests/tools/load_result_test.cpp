#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>
#include <boost/json/parse.hpp>

#include "engine/result.hpp"
#include "report/report.hpp"

using namespace gateway::load;

namespace {

const std::vector<double> shares{0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};

/// Values from a microsecond to a minute, as many in each order of magnitude.
std::vector<std::uint64_t> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::uniform_real_distribution<double> exponent{3, 10.8};
  std::vector<std::uint64_t> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<std::uint64_t>(std::pow(10.0, exponent(random))));
  return values;
}

histogram of(const std::vector<std::uint64_t>& values) {
  histogram made;
  for (const auto value : values) made.add(value);
  return made;
}

void check_same(const histogram& one, const histogram& other) {
  CHECK(one.counters() == other.counters());
  CHECK(one.count() == other.count());
  CHECK(one.least() == other.least());
  CHECK(one.most() == other.most());
  CHECK(one.mean() == Approx(other.mean()).epsilon(1e-12));
  for (const auto share : shares) CHECK(one.percentile(share) == other.percentile(share));
}

/// A directory that is removed on destruction.
struct folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("load_result_test_" + std::to_string(::getpid()));
  folder() { std::filesystem::create_directories(path); }
  ~folder() { std::filesystem::remove_all(path); }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;

  std::filesystem::path holding(const std::string& text) const {
    std::ofstream{path / "some.json", std::ios::binary} << text;
    return path / "some.json";
  }
};

std::string content(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

run_result full_run() {
  run_result run;
  run.name = "presign, \"cached\" äöü";
  run.scenario = "create:3 replay:1";
  run.schedule = "constant 2000/s";
  run.target = "https://127.0.0.1:8443";
  run.began_at = "2026-11-21T20:15:00Z";
  run.connections = 64;
  run.threads = 2;
  run.merchants = 1000;
  run.random_ids = true;
  run.labels = {{"payments", 1e7}, {"share", 0.5}};
  run.seconds = 2.125;
  run.intended_per_second = 2000;
  run.operations.push_back(
      {"create", 3001, {{"200", 2998}, {"503 overloaded", 2}, {"timed_out", 1}}, of(random_values(3000, 1))});
  run.operations.push_back({"read", 1000, {{"200", 1000}}, of(random_values(1000, 2))});
  for (const auto& one : run.operations) run.latency += one.latency;
  run.lateness.add(0, 3000);
  run.lateness.add(70'000, 1000);
  run.timeline.push_back({0, 2000, 1990, 1, 0.75, 1.5, 12.25, 30.5, 4});
  run.timeline.push_back({1, 2000, 2010, 2, 0.5, 1.25, 9.5, 28, 0});
  run.errors = {{"503 overloaded", "req_1"}, {"timed_out", ""}};
  run.checked = {true, 2998, 2990, 17, 1, 2, {}};
  run.checked.subscriptions = 3;
  run.months = {{9, 1, 2, 4'500, 120}, {7, 0, 1, 3'500, 0}};
  run.checked.shown = {{"two executions of one key, payment pay_1", {"req_2", "req_3"}}, {"pay_2 was not found", {}}};
  return run;
}

/// The message of read_json for a file with this content.
std::string refusal_of(const folder& in, const std::string& text) {
  try {
    read_json(in.holding(text));
  } catch (const std::runtime_error& why) {
    return why.what();
  }
  return "it was read";
}

std::string with(std::string text, const std::string& what, const std::string& instead) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), instead);
}

}  // namespace

TEST_CASE("a histogram's percentile is never below the exact one, and not more than 1/128 above it") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto values = random_values(20'000, seed);
    const auto kept = of(values);
    std::ranges::sort(values);
    CHECK(kept.least() == values.front());
    CHECK(kept.most() == values.back());
    double sum = 0;
    for (const auto value : values) sum += static_cast<double>(value);
    CHECK(kept.mean() == Approx(sum / static_cast<double>(values.size())));
    for (double share = 0.0005; share <= 1; share += 0.0005) {
      const auto rank =
          std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))));
      const auto exact = values[std::min(rank, values.size()) - 1];
      const auto found = kept.percentile(share);
      const bool within = found >= exact && static_cast<double>(found - exact) <= static_cast<double>(exact) / 128;
      if (!within) FAIL(share << ": " << found << " for " << exact);
    }
  }
}

TEST_CASE("a histogram keeps the smallest and the largest possible numbers") {
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  const auto kept = of({0, 1, 127, 128, 255, 256, largest});
  CHECK(kept.least() == 0);
  CHECK(kept.percentile(0.5) == 128);
  CHECK(kept.percentile(1) == largest);
  CHECK(kept.counters().back() == std::pair{largest, std::uint64_t{1}});
}

TEST_CASE("summed histograms equal the histogram of all their values") {
  auto all = random_values(5000, 7);
  auto sum = of(all);
  const auto more = random_values(300, 8);
  sum += of(more);
  sum += histogram{};
  all.insert(all.end(), more.begin(), more.end());
  check_same(sum, of(all));

  histogram from_nothing;
  from_nothing += sum;
  check_same(from_nothing, sum);
}

TEST_CASE("a histogram is restored unchanged from its counters") {
  const auto kept = of(random_values(10'000, 3));
  check_same(histogram::restored(kept.counters(), kept.sum(), kept.least(), kept.most()), kept);
  check_same(histogram::restored({}, 0, 0, 0), histogram{});
  auto grown = histogram::restored({}, 0, 0, 0);
  grown.add(5);
  CHECK(grown.least() == 5);
}

TEST_CASE("a run is read back from its file unchanged") {
  const folder in;
  const auto run = full_run();
  write_json(run, in.path / "run.json");
  const auto read = read_json(in.path / "run.json");

  CHECK(read.name == run.name);
  CHECK(read.scenario == run.scenario);
  CHECK(read.schedule == run.schedule);
  CHECK(read.target == run.target);
  CHECK(read.began_at == run.began_at);
  CHECK(read.connections == run.connections);
  CHECK(read.threads == run.threads);
  CHECK(read.merchants == 1000);
  CHECK(read.random_ids);
  CHECK(read.labels == run.labels);
  CHECK(read.seconds == Approx(run.seconds));
  CHECK(read.intended_per_second == Approx(run.intended_per_second));
  CHECK(read.errors == run.errors);
  check_same(read.latency, run.latency);
  check_same(read.lateness, run.lateness);
  CHECK(read.sent() == 4001);
  CHECK(read.answered() == 4000);

  REQUIRE(read.operations.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(read.operations[i].name == run.operations[i].name);
    CHECK(read.operations[i].sent == run.operations[i].sent);
    CHECK(read.operations[i].outcomes == run.operations[i].outcomes);
    check_same(read.operations[i].latency, run.operations[i].latency);
  }
  REQUIRE(read.timeline.size() == 2);
  const auto& second = read.timeline[0];
  CHECK(second.intended == 2000);
  CHECK(second.answered == 1990);
  CHECK(second.failed == 1);
  CHECK(second.p50_ms == Approx(0.75));
  CHECK(second.p90_ms == Approx(1.5));
  CHECK(second.p99_ms == Approx(12.25));
  CHECK(second.most_ms == Approx(30.5));
  CHECK(second.waiting == 4);
  CHECK(read.timeline[1].at_s == Approx(1));

  CHECK(read.checked.done);
  CHECK(read.checked.keys == 2998);
  CHECK(read.checked.payments == 2990);
  CHECK(read.checked.events == 17);
  CHECK(read.checked.settled == 1);
  CHECK(read.checked.subscriptions == 3);
  REQUIRE(read.months.size() == 2);
  CHECK(read.months[0].paid == 9);
  CHECK(read.months[0].failed == 1);
  CHECK(read.months[0].ended == 2);
  CHECK(read.months[0].charged == 4'500);
  CHECK(read.months[0].refunded == 120);
  CHECK(read.months[1].paid == 7);
  CHECK(read.checked.violations == 2);
  REQUIRE(read.checked.shown.size() == 2);
  CHECK(read.checked.shown[0].what == "two executions of one key, payment pay_1");
  CHECK(read.checked.shown[0].request_ids == std::vector<std::string>{"req_2", "req_3"});
  CHECK(read.checked.shown[1].request_ids.empty());
}

TEST_CASE("a file from before merchants and labels were recorded is read as one merchant without labels") {
  const folder in;
  write_json(full_run(), in.path / "run.json");
  auto text = content(in.path / "run.json");
  text = with(text, R"("merchants":1000,"random_ids":true,)", "");
  text.erase(text.find(R"("labels":{)"), text.find('}', text.find(R"("labels":{)")) + 2 - text.find(R"("labels":{)"));
  const auto read = read_json(in.holding(text));
  CHECK(read.merchants == 1);
  CHECK_FALSE(read.random_ids);
  CHECK(read.labels.empty());
}

TEST_CASE("a run without any request is valid") {
  const folder in;
  write_json({}, in.path / "run.json");
  const auto read = read_json(in.path / "run.json");
  CHECK(read.answered() == 0);
  CHECK(read.operations.empty());
  CHECK(!read.checked.done);
}

TEST_CASE("a file with any name or Request-Id can be read, and so can one with numbers that are not finite") {
  const folder in;
  auto run = full_run();
  run.name = "a\xff\x80z\nb\x1b[2J\xed\xa0\x80";
  run.errors["503 overloaded"] = "\xc3";
  run.seconds = std::numeric_limits<double>::infinity();
  run.timeline[0].p99_ms = std::numeric_limits<double>::quiet_NaN();
  write_json(run, in.path / "run.json");
  const auto read = read_json(in.path / "run.json");
  CHECK(read.name == "a��z b [2J���");
  CHECK(read.errors.at("503 overloaded") == "�");
  CHECK(read.seconds == 0);
  CHECK(read.timeline[0].p99_ms == 0);
}

TEST_CASE("a file has percentiles in nanoseconds for readers without this program") {
  const folder in;
  const auto run = full_run();
  write_json(run, in.path / "run.json");
  const auto json = boost::json::parse(content(in.path / "run.json"));
  CHECK(json.at("version").to_number<int>() == 1);
  const auto& latency = json.at("latency");
  CHECK(latency.at("unit") == "ns");
  CHECK(latency.at("p99").to_number<std::uint64_t>() == run.latency.percentile(0.99));
  CHECK(latency.at("counters").as_array().size() == run.latency.counters().size());
}

TEST_CASE("a file that is not a run is refused with one line that names it and the error") {
  const folder in;
  write_json(full_run(), in.path / "run.json");
  const auto good = content(in.path / "run.json");
  const auto name = (in.path / "some.json").string();
  struct row {
    std::string text, why;
  };
  const row rows[] = {
      {"", "not a run: it is not JSON ("},
      {good.substr(0, good.size() / 2), "not a run: it is not JSON ("},
      {good + "x", "not a run: it is not JSON ("},
      {"{}", "not a run: it was not written by gateway-load"},
      {"[1]", "not a run: it was not written by gateway-load"},
      {R"({"format":"another"})", "not a run: it was not written by gateway-load"},
      {R"({"format":"gateway-load run"})", "not a run: version is missing"},
      {with(good, R"("version":1)", R"("version":2)"),
       "not a run: it has version 2, this gateway-load reads version 1"},
      {with(good, R"("connections":64)", R"("connections":-1)"),
       "not a run: connections is not a whole number in range"},
      {with(good, R"("connections":64)", R"("connections":4294967296)"),
       "not a run: connections is not a whole number in range"},
      {with(good, R"("threads":2)", R"("threads":"2")"), "not a run: threads is not a whole number in range"},
      {with(good, R"("merchants":1000)", R"("merchants":"many")"),
       "not a run: merchants is not a whole number in range"},
      {with(good, R"("labels":{"payments":)", R"("labels":{"payments":-)"),
       "not a run: labels.payments is not a number of 0 or more"},
      {with(good, R"("schedule":"constant 2000/s")", R"("schedule":7)"), "not a run: schedule is not a string"},
      {with(good, R"("done":true)", R"("done":1)"), "not a run: verification.done is not true or false"},
      {with(good, R"("request_ids":[])", R"("request_ids":[null])"),
       "not a run: verification.shown[1].request_ids[0] is not a string"},
      {with(good, R"("sent":1000)", R"("send":1000)"), "not a run: operations[1].sent is missing"},
      {with(good, R"("outcomes":{)", R"("outcomes":{"201":1.5,)"),
       "not a run: operations[0].outcomes.201 is not a whole number in range"},
      {with(good, R"("waiting":4)", R"("waiting":[])"),
       "not a run: timeline[0].waiting is not a whole number in range"},
      {with(good, R"("unit":"ns")", R"("unit":"ms")"), "not a run: operations[0].latency.unit is not \"ns\""},
      {with(good, R"("count":3000)", R"("count":3001)"),
       "not a run: operations[0].latency.counters do not add up to its count"},
      {with(good, "[0,3000]", "[0]"), "not a run: lateness.counters[0] is not a pair of a value and its count"},
      {with(good, "[0,3000]", "[0,18446744073709551615]"), "not a run: lateness.counters[1] counts too much"},
      {with(good, R"("least":0,)", R"("least":80000,)"), "not a run: lateness.least is more than the most"},
      {std::string(2000, '['), "not a run: it is not JSON ("},
  };
  for (const auto& r : rows) {
    const auto why = refusal_of(in, r.text);
    INFO(why << "\n  for: " << r.why);
    CHECK(why.starts_with(name + ": " + r.why));
    CHECK(why.find('\n') == std::string::npos);
  }
}

TEST_CASE("a file that cannot be read or written is named") {
  const folder in;
  const auto absent = in.path / "absent" / "run.json";
  CHECK_THROWS_WITH(read_json(absent), absent.string() + ": cannot be read: No such file or directory");
  CHECK_THROWS_WITH(write_json({}, absent), absent.string() + ": cannot be written: No such file or directory");
  CHECK_THROWS_WITH(read_json(in.path), in.path.string() + ": is a folder");
  CHECK_THROWS_WITH(write_json({}, "/dev/full"), "/dev/full: cannot be written: No space left on device");
}
