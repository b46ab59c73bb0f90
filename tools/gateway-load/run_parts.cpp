#include "run_parts.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <thread>

#include "engine/request.hpp"
#include "report/report.hpp"

namespace gateway::load {

using namespace std::chrono_literals;

namespace {

constexpr auto most_wait_for_events = 10min;
constexpr auto most_silence_of_events = 30s;

std::atomic<bool> was_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// The first signal ends the load early, the second one ends the program.
void on_interrupt(int number) {
  if (was_interrupted.exchange(true)) std::signal(number, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  struct sigaction wanted{};
  wanted.sa_handler = on_interrupt;
  for (const int number : {SIGINT, SIGTERM}) ::sigaction(number, &wanted, nullptr);
}

std::atomic<bool>& interrupted() noexcept { return was_interrupted; }

void check_writable(const std::filesystem::path& file) {
  if (!file.empty() && !std::ofstream{file, std::ios::app})
    throw std::invalid_argument("cannot write " + file.string());
}

void allow_files(unsigned connections) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t wanted = connections + 64;
  if (limit.rlim_cur >= wanted) return;
  if (limit.rlim_max < wanted)
    throw std::invalid_argument("--connections: this user may have " + std::to_string(limit.rlim_max) + " open files");
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::string random_name() {
  std::random_device random;
  char text[16];
  std::snprintf(text, sizeof text, "%08x", random());
  return text;
}

std::string now_text() {
  const auto now = std::time(nullptr);
  std::tm fields{};
  gmtime_r(&now, &fields);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields)};
}

void write_page(const std::vector<run_result>& runs, const std::string& title, const std::filesystem::path& to) {
  std::ofstream file{to, std::ios::trunc};
  file << html_report(runs, title);
  if (!file.flush()) throw std::runtime_error("cannot write " + to.string());
}

void print_error(const std::string& what) { std::cerr << "gateway-load: " + what + '\n'; }

void report(const run_result& run, const outputs& to) {
  std::cout << table_of(run) << std::flush;
  if (!to.json.empty()) write_json(run, to.json);
  if (!to.html.empty()) write_page({run}, {}, to.html);
}

void wait_for_events(const receiver& from, std::uint64_t expected, const std::atomic<bool>& stop) {
  const auto last = clock::now() + most_wait_for_events;
  auto moved = clock::now();
  auto seen = from.events();
  while (seen < expected && !stop && clock::now() < std::min(last, moved + most_silence_of_events)) {
    std::this_thread::sleep_for(20ms);
    const auto now = from.events();
    if (now != seen) moved = clock::now();
    seen = now;
  }
}

}  // namespace gateway::load
