#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "engine/result.hpp"
#include "report/chart.hpp"
#include "report/format.hpp"
#include "report/report.hpp"

using namespace gateway::load;

namespace {

constexpr std::uint64_t ms = 1'000'000;

run_result known_run() {
  run_result run;
  run.name = "baseline";
  run.scenario = "create:3 read:1";
  run.schedule = "constant 400/s";
  run.target = "https://127.0.0.1:8443";
  run.began_at = "2026-11-21T20:15:00Z";
  run.connections = 64;
  run.seconds = 10;
  run.intended_per_second = 400;
  operation_result create{
      "create", 3000, {{"200", 2500}, {"200 replayed", 490}, {"503 overloaded", 8}, {"timed_out", 2}}, {}};
  create.latency.add(1 * ms, 2000);
  create.latency.add(2 * ms, 900);
  create.latency.add(10 * ms, 98);
  operation_result read{"read", 1000, {{"200", 1000}}, {}};
  read.latency.add(500'000, 1000);
  run.operations = {create, read};
  run.latency += create.latency;
  run.latency += read.latency;
  run.lateness.add(20'000, 4000);
  for (int i = 0; i < 10; ++i) run.timeline.push_back({static_cast<double>(i), 400, 400, 0, 0.8, 1.5, 9, 10, 0});
  run.timeline[5].failed = 10;
  run.timeline[5].waiting = 7;
  run.errors = {{"503 overloaded", "req_1"}, {"timed_out", ""}};
  run.checked = {true, 3000, 2990, 0, 2, 0, {}};
  return run;
}

std::size_t times(const std::string& what, const std::string& in) {
  std::size_t count = 0;
  for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + what.size())) ++count;
  return count;
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const auto from = text.find(begin);
  REQUIRE(from != std::string::npos);
  const auto to = text.find(end, from + begin.size());
  REQUIRE(to != std::string::npos);
  return text.substr(from + begin.size(), to - from - begin.size());
}

/// The first fault in a page's tags; empty if all are closed in order.
std::string fault_of(const std::string& page) {
  std::vector<std::string> open;
  for (auto at = page.find('<'); at != std::string::npos; at = page.find('<', at)) {
    const auto end = page.find('>', at);
    if (end == std::string::npos) return "a tag without an end";
    const auto tag = page.substr(at + 1, end - at - 1);
    at = end;
    if (tag == "!doctype html" || tag.starts_with("meta ") || tag.ends_with('/')) continue;
    if (std::ranges::count(tag, '"') % 2 != 0 || tag.find('<') != std::string::npos) return "a broken tag: " + tag;
    if (!tag.starts_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
      continue;
    }
    if (open.empty() || open.back() != tag.substr(1)) return "closed without being open: " + tag;
    open.pop_back();
  }
  return open.empty() ? "" : "left open: " + open.back();
}

}  // namespace

TEST_CASE("numbers have three significant digits, durations the unit that fits") {
  struct row {
    double value;
    const char* text;
  };
  const row numbers[] = {{0, "0"},        {0.01234, "0.0123"}, {1, "1.00"},       {9.996, "10.0"},
                         {12.34, "12.3"}, {999.6, "1,000"},    {12345, "12,300"}, {1234567, "1,230,000"}};
  for (const auto& r : numbers) CHECK(number_text(r.value) == r.text);
  const row durations[] = {{0, "0 µs"},          {850, "0.850 µs"},      {12'340, "12.3 µs"},
                           {999'700, "1.00 ms"}, {1'204'000, "1.20 ms"}, {99'960'000, "100 ms"},
                           {12.34e9, "12.3 s"},  {1234e9, "1,230 s"}};
  for (const auto& r : durations) CHECK(duration_text(r.value) == r.text);
  const row lengths[] = {{0.5, "0.500 s"}, {59.84, "59.8 s"}, {725, "12 min 5 s"}, {3600, "1 h 0 min 0 s"}};
  for (const auto& r : lengths) CHECK(length_text(r.value) == r.text);
  CHECK(count_text(59998) == "59,998");
  CHECK(count_text(1234567890) == "1,234,567,890");
}

TEST_CASE("a share above none is not shown as 0 %, and one below all not as 100 %") {
  CHECK(share_text(0, 10) == "0 %");
  CHECK(share_text(10, 10) == "100 %");
  CHECK(share_text(1, 8) == "12.5 %");
  CHECK(share_text(999'999, 1'000'000) == ">99.9 %");
  CHECK(share_text(1, 10'000'000) == "<0.001 %");
  CHECK(share_text(1, 0) == "0 %");
}

TEST_CASE("a missing answer or a 5xx is a failure, a 409 is not") {
  for (const auto* outcome :
       {"500 internal", "503 overloaded", "timed_out", "connect_failed", "connection_broken", "bad_answer"})
    CHECK(is_failure(outcome));
  for (const auto* outcome : {"200", "200 replayed", "409 request already processing", ""}) CHECK(!is_failure(outcome));
  CHECK(is_success("200 replayed"));
  CHECK(!is_success("409 request already processing"));
}

TEST_CASE("the table of a run shows its operations, outcomes, errors and verification") {
  // 2 ms are shown as 2.01 ms: values are kept to within 1/128 and rounded up.
  CHECK(table_of(known_run()) ==
        "baseline\n"
        "  scenario  create:3 read:1\n"
        "  schedule  constant 400/s\n"
        "  target    https://127.0.0.1:8443\n"
        "  began     2026-11-21T20:15:00Z\n"
        "  lasted    10.0 s, 64 connections, 1 thread\n"
        "\n"
        "operation   sent  answered   rate      p50      p90      p99    p99.9      max\n"
        "create     3,000     2,998  300/s  1.00 ms  2.01 ms  10.0 ms  10.0 ms  10.0 ms\n"
        "read       1,000     1,000  100/s   500 µs   500 µs   500 µs   500 µs   500 µs\n"
        "all        4,000     3,998  400/s  1.00 ms  2.01 ms  10.0 ms  10.0 ms  10.0 ms\n"
        "\n"
        "outcomes\n"
        "  create  200             2,500   83.3 %\n"
        "          200 replayed      490   16.3 %\n"
        "          503 overloaded      8  0.267 %\n"
        "          timed_out           2  0.067 %\n"
        "  read    200             1,000    100 %\n"
        "\n"
        "not a success\n"
        "  503 overloaded  8  first: req_1\n"
        "  timed_out       2\n"
        "\n"
        "verified: 3,000 keys with one execution each, 2,990 payments read back, 2 unanswered requests settled\n"
        "no violation\n");
}

TEST_CASE("a run of subscriptions shows the result of each month, on the terminal and in the page") {
  auto run = known_run();
  CHECK(html_report({run}).find("Month by month") == std::string::npos);
  run.months = {{9'803, 17, 130, 53'760'414, 134'602}, {9'673, 346, 0, 53'049'682, 0}};
  const auto table = table_of(run);
  CHECK(table.find("month    paid  failed attempts  ended      charged  refunded\n"
                   "      1   9,803               17    130   53,760,414   134,602\n"
                   "      2   9,673              346      0   53,049,682         0\n"
                   "    all  19,476              363    130  106,810,096   134,602\n") != std::string::npos);
  const auto page = html_report({run});
  CHECK(fault_of(page).empty());
  CHECK(page.find("Month by month") != std::string::npos);
  CHECK(page.find("106,810,096") != std::string::npos);
  CHECK(page.find("month 2&#10;failed attempts 346&#10;ended 0") != std::string::npos);
}

TEST_CASE("the table shows violations with their Request-Ids, and how many are left out") {
  auto run = known_run();
  run.checked.violations = 5;
  run.checked.shown = {{"two executions of one key, payment pay_1", {"req_2", "req_3"}}, {"pay_2 was not found", {}}};
  CHECK(
      table_of(run).ends_with("VIOLATIONS: 5\n"
                              "  two executions of one key, payment pay_1\n"
                              "    Request-Id req_2 req_3\n"
                              "  pay_2 was not found\n"
                              "  and 3 more\n"));
  run.checked = {};
  CHECK(table_of(run).ends_with("\nnot verified\n"));
}

TEST_CASE("the wait for a connection is shown if it is a part of the latency, and a rate if it was not reached") {
  auto run = known_run();
  CHECK(table_of(run).find("late") == std::string::npos);
  run.lateness.add(5 * ms, 400);
  CHECK(lateness_text(run) ==
        "Requests left late, which their latency includes: p50 20.1 µs, p99 5.00 ms, max 5.00 ms.");
  CHECK(table_of(run).find(lateness_text(run) + '\n') != std::string::npos);
  run.intended_per_second = 800;
  CHECK(table_of(run).find("Intended were 800 requests/s, answered 400/s.\n") != std::string::npos);
}

TEST_CASE("a run without an answer has dashes for latencies") {
  run_result run;
  run.operations.push_back({"create", 3, {{"connect_failed", 3}}, {}});
  CHECK(table_of(run).find("create        3         0   0/s    -    -    -      -    -\n") != std::string::npos);
}

TEST_CASE("no outside text moves a terminal's cursor") {
  auto run = known_run();
  run.name = "a\x1b[2J\xc2\x9b";
  run.errors["503 overloaded"] = "req\r\x07\x7f";
  const auto text = table_of(run);
  CHECK(std::ranges::none_of(text, [](unsigned char c) { return (c < ' ' && c != '\n') || c == 0x7f; }));
  CHECK(text.find("\xc2\x9b") == std::string::npos);
}

TEST_CASE("axes begin and end with round ticks") {
  const auto counts = count_axis(1870);
  CHECK(counts.most == 2000);
  CHECK(counts.ticks.size() == 5);
  CHECK(counts.ticks[1].label == "500");
  CHECK(count_axis(0).most == 1);
  CHECK(count_axis(3).ticks.size() == 4);

  const auto durations = duration_axis(730'000, 47e6);
  CHECK(durations.least == Approx(500'000));
  CHECK(durations.most == Approx(50e6));
  CHECK(durations.ticks.front().label == "500 µs");
  CHECK(durations.ticks.back().label == "50 ms");
  // Over many decades only powers of ten have labels. Values close to each other get a wide axis.
  CHECK(std::ranges::count_if(duration_axis(1e3, 1e10).ticks, [](const tick& t) { return !t.label.empty(); }) == 8);
  CHECK(duration_axis(1e6, 1.001e6).most >= 4.9 * duration_axis(1e6, 1.001e6).least);

  CHECK(time_axis(60).ticks.back().label == "60 s");
  CHECK(time_axis(600).ticks.back().label == "10 min");
  CHECK(time_axis(90'000).ticks.back().label == "24 h");
  CHECK(percentile_axis().share(2) == Approx(0.5));
}

TEST_CASE("pages are well-formed for any run") {
  std::vector<run_result> runs{known_run()};
  CHECK(fault_of(html_report(runs)) == "");
  runs.push_back({});
  runs.push_back(known_run());
  runs.back().checked.violations = 2;
  runs.back().checked.shown = {{"a < b & \"c\"", {"<b>"}}};
  runs.push_back(known_run());
  runs.back().timeline.resize(1);
  runs.back().latency = {};
  CHECK(fault_of(html_report(runs)) == "");
  CHECK(fault_of(html_report({runs[1]})) == "");
  CHECK(fault_of(html_report({runs[3]})) == "");
  CHECK(fault_of(html_report({})) == "");
  for (int i = 0; i < 20; ++i) runs.push_back(known_run());
  CHECK(fault_of(html_report(runs)) == "");
  for (const auto* none : {">nan", " nan", "Lnan", "inf "}) CHECK(html_report(runs).find(none) == std::string::npos);
}

TEST_CASE("hostile text stays text everywhere in the page") {
  const std::string hostile = "<script>alert('1')</script>\"&\xff";
  auto run = known_run();
  run.name = run.scenario = run.schedule = run.target = run.began_at = hostile;
  run.operations[0].name = hostile;
  run.operations[0].outcomes[hostile] = 3;
  run.errors[hostile] = hostile;
  run.checked.violations = 1;
  run.checked.shown = {{hostile, {hostile}}};
  for (const auto& page : {html_report({run}), html_report({run, run})}) {
    CHECK(page.find("<script") == std::string::npos);
    CHECK(page.find("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;�") != std::string::npos);
    CHECK(page.find('\xff') == std::string::npos);
    CHECK(fault_of(page) == "");
  }
}

TEST_CASE("a page loads nothing, runs nothing, and its policy allows only its own style sheet") {
  auto run = known_run();
  run.target = "https://gateway.example";
  const auto page = html_report({run, run});
  for (const auto* loading :
       {"<script", "<link", "<img", "<iframe", "<object", "<use", "<image", "<a ", "src=", "href=", "url(", "@import",
        "@font-face", "xmlns", " style=", " onload", " onclick", " onmouse", " onerror"})
    if (page.find(loading) != std::string::npos) FAIL(loading);
  // The only addresses are the two targets, as text.
  CHECK(times("http://", page) == 0);
  CHECK(times("https://", page) == times(">https://gateway.example<", page));

  const auto sheet = between(page, "<style>", "</style>");
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(sheet.data()), sheet.size(), digest.data());
  std::array<unsigned char, 64> encoded;
  const auto length = EVP_EncodeBlock(encoded.data(), digest.data(), digest.size());
  CHECK(between(page, "Content-Security-Policy\" content=\"", "\"") ==
        "default-src 'none'; style-src 'sha256-" + std::string(encoded.begin(), encoded.begin() + length) +
            "'; base-uri 'none'; form-action 'none'");
}

TEST_CASE("a page has the same numbers as the table") {
  const auto page = html_report({known_run()});
  for (const auto* part : {"400/s", "1.00 ms", "10.0 ms", "83.3 %", "req_1", "✓ verified, no violation",
                           "constant 400/s", "10.0 s, 4,000 requests", "2,990 payments read back", "failed, 0.250 %"})
    CHECK(page.find(part) != std::string::npos);
  // A single run has no comparison.
  CHECK(page.find("Comparison") == std::string::npos);
}

TEST_CASE("runs are drawn over each other, and compared with the first") {
  auto first = known_run();
  auto second = known_run();
  second.name = "cached";
  second.schedule = "constant 500/s";
  second.latency = {};
  second.latency.add(500'000, 3998);
  const auto page = html_report({first, second});
  CHECK(page.find("<h1>baseline <span class=\"versus\">vs</span> cached</h1>") != std::string::npos);
  CHECK(page.find("<span class=\"ratio good\">▼ ×0.498</span>") != std::string::npos);
  CHECK(page.find("<span class=\"ratio\">≈ ×1.00</span>") != std::string::npos);
  CHECK(page.find("<td class=\"l wide differs\">constant 500/s</td>") != std::string::npos);
  CHECK(page.find("class=\"line c0 d0\"") != std::string::npos);
  CHECK(page.find("class=\"line c1 d1\"") != std::string::npos);
  // In the other order the second run is worse.
  CHECK(html_report({second, first}).find("<span class=\"ratio bad\">▲ ×2.01</span>") != std::string::npos);
}

TEST_CASE("charts without data are left out, and a sentence gives the reason") {
  auto run = known_run();
  CHECK(html_report({run}).find("Failures") != std::string::npos);
  for (auto& second : run.timeline) second.failed = second.waiting = 0;
  const auto page = html_report({run});
  CHECK(page.find("No request failed. At no second's end did a request wait for a connection.") != std::string::npos);
  CHECK(page.find("Failures") == std::string::npos);
  run.latency = {};
  CHECK(html_report({run}).find("Nothing was answered.") != std::string::npos);
}

TEST_CASE("a gateway without answers is drawn, and so are times that only a broken clock can have measured") {
  auto run = known_run();
  run.latency = {};
  for (auto& second : run.timeline) second = {second.at_s, 400, 0, 400, 0, 0, 0, 0, 100};
  const auto page = html_report({run});
  CHECK(page.find("Nothing was answered. ") != std::string::npos);
  CHECK(fault_of(page) == "");

  run = known_run();
  run.seconds = 1e308;
  run.latency.add(std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 60);
  run.timeline[3] = {1e308, 1, 1, std::numeric_limits<std::uint64_t>::max(), 1e-320, 1e308, 1e308, 1e308, 1};
  CHECK(fault_of(html_report({run, known_run()})) == "");
}

TEST_CASE("a day is drawn in no more points than a chart can show") {
  auto run = known_run();
  run.timeline.clear();
  for (int i = 0; i < 100'000; ++i) run.timeline.push_back({static_cast<double>(i), 400, 400, 0, 0.8, 1.5, 9, 1000, 0});
  run.timeline[5000].p99_ms = 900;
  const auto page = html_report({run});
  CHECK(page.size() < 1'000'000);
  CHECK(page.find("A point stands for 209 seconds") != std::string::npos);
  // A point shows its worst second.
  CHECK(page.find("p99 900 ms") != std::string::npos);
}
