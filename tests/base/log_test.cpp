// The log's lines on standard error.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../captured_stderr.hpp"
#include "gateway/base/json_text.hpp"
#include "gateway/base/log.hpp"

using namespace gateway;
using gateway::testing::captured_stderr;

namespace {

std::string after_time(const std::string& line) { return line.substr(line.find(",\"level\"")); }

}  // namespace

TEST_CASE("a line is one JSON object with its time in UTC milliseconds") {
  captured_stderr captured;
  log::info(
      "request",
      {{"request_id", "req_1"}, {"status", 200}, {"seconds", 0.25}, {"replayed", true}, {"bytes", std::size_t{17}}});
  const auto lines = captured.lines();
  REQUIRE(lines.size() == 1);
  CHECK(std::regex_search(lines[0], std::regex{R"(^\{"at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level")"}));
  CHECK(
      after_time(lines[0]) ==
      R"(,"level":"info","event":"request","request_id":"req_1","status":200,"seconds":0.25,"replayed":true,"bytes":17})");
}

TEST_CASE("a line has its request's trace id, if there is one") {
  captured_stderr captured;
  for (const auto& trace : {trace_id{0x4bf92f3577b34da6, 0xa3ce929d0e0e4736}, trace_id{0, 1}, trace_id{}})
    log::info("request", {{"request_id", "req_1"}, {"trace_id", trace}, {"status", 200}});
  const auto lines = captured.lines();
  REQUIRE(lines.size() == 3);
  const std::string begin = R"(,"level":"info","event":"request","request_id":"req_1",)";
  CHECK(after_time(lines[0]) == begin + R"("trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","status":200})");
  CHECK(after_time(lines[1]) == begin + R"("trace_id":"00000000000000000000000000000001","status":200})");
  CHECK(after_time(lines[2]) == begin + R"("status":200})");
}

TEST_CASE("a line of a node among several names it") {
  captured_stderr captured;
  log::name_node("n\"1");
  log::info("request", {{"request_id", "req_1"}});
  log::name_node({});
  log::info("alone");
  const auto lines = captured.lines();
  REQUIRE(lines.size() == 2);
  CHECK(after_time(lines[0]) == R"(,"level":"info","node":"n\"1","event":"request","request_id":"req_1"})");
  CHECK(after_time(lines[1]) == R"(,"level":"info","event":"alone"})");
}

TEST_CASE("whatever a field contains, the line is valid JSON") {
  struct row {
    std::string text, json;
  };
  const row rows[] = {{"", R"("")"},
                      {"plain ~", R"("plain ~")"},
                      {"quote \" and \\", R"("quote \" and \\")"},
                      {"\"", R"("\"")"},
                      {"\x7f", "\"\x7f\""},
                      {"\x1f", "\"\\u001f\""},
                      {"line\nbreak\r\ttab\b\f", R"("line\nbreak\r\ttab\b\f")"},
                      {std::string{"nul\0and\x1f\x7f", 9}, "\"nul\\u0000and\\u001f\x7f\""},
                      {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
                      {"a\xff"
                       "b",
                       "\"a\xef\xbf\xbd"
                       "b\""},
                      {"cut \xe2\x82", "\"cut \xef\xbf\xbd\xef\xbf\xbd\""},
                      {"overlong \xc0\xaf", "\"overlong \xef\xbf\xbd\xef\xbf\xbd\""},
                      {"surrogate \xed\xa0\x80", "\"surrogate \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
                      {"beyond \xf4\x90\x80\x80", "\"beyond \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}};
  for (const auto& r : rows) {
    std::string out;
    append_json_string(out, r.text);
    CHECK(out == r.json);
  }

  captured_stderr captured;
  log::warn("odd", {{"nan", std::nan("")}, {"infinite", std::numeric_limits<double>::infinity()}});
  CHECK(after_time(captured.lines().at(0)) == R"(,"level":"warn","event":"odd","nan":null,"infinite":null})");
}

TEST_CASE("lines below the level are not written") {
  captured_stderr captured;
  log::start(log::level::warn);
  log::debug("quiet");
  log::info("quiet");
  log::warn("heard");
  log::error("heard too");
  CHECK_FALSE(log::enabled(log::level::info));
  log::stop();
  log::start(log::level::info);
  log::stop();
  const auto lines = captured.lines();
  REQUIRE(lines.size() == 2);
  CHECK(after_time(lines[0]) == R"(,"level":"warn","event":"heard"})");
  CHECK(after_time(lines[1]) == R"(,"level":"error","event":"heard too"})");
}

TEST_CASE("lines of many threads are written before stop returns, or counted as dropped") {
  captured_stderr captured;
  const auto dropped_before = log::dropped();
  log::start(log::level::info);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 2500; ++i) log::info("tick", {{"thread", t}, {"i", i}});
    });
  for (auto& t : threads) t.join();
  log::stop();
  log::info("after stop");
  const auto lines = captured.lines();
  const auto dropped = log::dropped() - dropped_before;
  CHECK(lines.size() + dropped == 10'001);
  CHECK(after_time(lines.back()) == R"(,"level":"info","event":"after stop"})");
  for (const auto& line : lines) REQUIRE((line.front() == '{' && line.back() == '}'));
}

namespace {
/// Logs more than the queue holds while standard error is a full pipe without a reader. Exits with 0 if that loses
/// lines and blocks nothing.
[[noreturn]] void log_into_a_full_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) ::_exit(1);
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  while (::write(ends[1], "x", 1) > 0) {}
  ::fcntl(ends[1], F_SETFL, 0);
  ::dup2(ends[1], STDERR_FILENO);
  log::start(log::level::info);
  for (int i = 0; i < 20'000; ++i) log::info("nobody_reads_this");
  if (log::dropped() == 0) ::_exit(2);
  if (log::stop()) ::_exit(3);
  log::info("nor_this");
  ::_exit(0);
}
}  // namespace

TEST_CASE("a stuck reader of standard error blocks neither the work nor the end of the process") {
  const pid_t child = ::fork();
  if (child == 0) log_into_a_full_pipe();
  int status = -1;
  for (int i = 0; i < 2400 && ::waitpid(child, &status, WNOHANG) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  ::kill(child, SIGKILL);
  REQUIRE(status != -1);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
