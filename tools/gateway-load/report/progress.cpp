#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <vector>

namespace gateway::load {

namespace {

constexpr std::size_t most_errors_shown = 3;

std::string milliseconds(std::uint64_t ns) {
  char text[32];
  const auto ms = static_cast<double>(ns) / 1e6;
  std::snprintf(text, sizeof text, ms < 10 ? "%.2f ms" : ms < 100 ? "%.1f ms" : "%.0f ms", ms);
  return text;
}

/// "12 errors: 9 503 overloaded, 3 timed_out"
std::string errors_of(const load_moment& moment) {
  if (moment.errors.empty()) return "no errors";
  std::vector<std::pair<std::uint64_t, std::string>> most;
  most.reserve(moment.errors.size());
  for (const auto& [what, times] : moment.errors) most.emplace_back(times, what);
  std::ranges::sort(most, std::greater{});
  const auto all = std::accumulate(most.begin(), most.end(), std::uint64_t{0},
                                   [](auto sum, const auto& one) { return sum + one.first; });
  auto text = std::to_string(all) + (all == 1 ? " error: " : " errors: ");
  for (std::size_t i = 0; i < most.size() && i < most_errors_shown; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(most[i].first) + " × " + most[i].second;
  return most.size() > most_errors_shown ? text + ", …" : text;
}

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// The first `most` characters of UTF-8 text.
std::string cut(const std::string& text, std::size_t most) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (begins && seen++ == most) break;
  }
  return text.substr(0, at);
}

}  // namespace

std::string progress_line(const load_moment& moment, unsigned seconds) {
  auto text = std::to_string(moment.second + 1) + " s";
  if (moment.warm_up) text += " (warm-up)";
  text += "  " + std::to_string(moment.latency.count() / std::max(1U, seconds)) + "/s";
  text += "  p50 " + milliseconds(moment.latency.percentile(0.5)) + "  p99 " +
          milliseconds(moment.latency.percentile(0.99));
  text += "  " + std::to_string(moment.in_flight) + " in flight, " + std::to_string(moment.waiting) + " waiting";
  return text + "  " + errors_of(moment);
}

progress_style progress_style_of(bool wanted) {
  if (::isatty(STDERR_FILENO) != 0) return progress_style::redrawn;
  return wanted ? progress_style::lines : progress_style::none;
}

status_line::~status_line() {
  if (drawn_ && how_ == progress_style::redrawn) std::cerr << "\r\x1b[2K" << std::flush;
}

void status_line::show(const std::string& line) {
  if (how_ == progress_style::redrawn) std::cerr << "\r\x1b[2K" << cut(line, terminal_width() - 1) << std::flush;
  if (how_ == progress_style::lines) std::cerr << line + '\n' << std::flush;
  drawn_ = true;
}

void progress::operator()(const load_moment& moment) {
  if (!shown_.is_shown()) return;
  const std::scoped_lock lock{mutex_};
  if (reported_ == 0) {
    // Momentary values are summed over threads, not over seconds.
    sum_.in_flight = sum_.waiting = 0;
    sum_.errors.clear();
  }
  sum_.second = std::max(sum_.second, moment.second);
  sum_.warm_up = moment.warm_up;
  sum_.latency += moment.latency;
  sum_.failed += moment.failed;
  sum_.in_flight += moment.in_flight;
  sum_.waiting += moment.waiting;
  for (const auto& [what, times] : moment.errors) sum_.errors[what] += times;
  if (++reported_ < threads_) return;
  reported_ = 0;
  if (++seconds_ < shown_.seconds()) return;
  shown_.show(progress_line(sum_, seconds_));
  seconds_ = 0;
  sum_.latency.clear();
  sum_.failed = 0;
}

}  // namespace gateway::load
