#include "format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gateway::load {

namespace {

std::string fixed(double value, int decimals) {
  std::array<char, 400> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals).ptr;
  return {text.data(), end};
}

/// A comma between thousands of the whole part.
std::string grouped(std::string digits) {
  const auto begin = static_cast<std::size_t>(digits.starts_with('-'));
  auto at = std::min(digits.find('.'), digits.size());
  while (at > begin + 3) digits.insert(at -= 3, 1, ',');
  return digits;
}

/// Rounds to three significant digits before a unit is chosen, so that 999.7 µs is shown as 1.00 ms.
double rounded(double value) {
  constexpr double nothing = 1e-12;  // number_text writes no more digits after the point
  if (!std::isfinite(value) || std::fabs(value) < nothing) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(std::fabs(value))) - 2);
  return std::round(value / unit) * unit;
}

struct unit {
  double nanoseconds;
  const char* name;
};
constexpr std::array<unit, 3> units{{{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}}};

unit unit_of(double taken) {
  for (const auto& u : units)
    if (taken >= u.nanoseconds * (1 - 1e-9)) return u;
  return units.back();
}

/// Bytes of the well-formed UTF-8 character at the begin of `text`; 0 if there is none.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return overlong || outside ? 0 : length;
}

}  // namespace

std::string number_text(double value) {
  value = rounded(value);
  if (value == 0) return "0";
  const auto magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value)) + 1e-9));
  return grouped(fixed(value, std::clamp(2 - magnitude, 0, 12)));
}

std::string count_text(std::uint64_t value) { return grouped(std::to_string(value)); }

std::string quantity_text(double value) {
  constexpr double most_whole = 1e15;
  return value >= 0 && value < most_whole && value == std::floor(value) ? count_text(static_cast<std::uint64_t>(value))
                                                                        : number_text(value);
}

std::string duration_text(double nanoseconds) {
  const double shown = rounded(nanoseconds);
  const auto in = unit_of(shown);
  return number_text(shown / in.nanoseconds) + in.name;
}

std::string short_duration_text(double nanoseconds) {
  const auto in = unit_of(nanoseconds);
  auto text = number_text(nanoseconds / in.nanoseconds);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text + in.name;
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "0 %";
  if (part >= whole) return "100 %";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (share < 0.001) return "<0.001 %";
  // Three significant digits, but at most three after the point.
  const auto text = share < 0.1 ? fixed(share, 3) : number_text(share);
  return (text.starts_with("100") ? std::string{">99.9"} : text) + " %";
}

std::string ratio_text(double value, double to) {
  return to > 0 && std::isfinite(value) ? "×" + number_text(value / to) : "–";
}

std::string length_text(double seconds) {
  if (!(seconds > 0)) return "0 s";
  if (seconds < 100) return number_text(seconds) + " s";
  const auto whole = static_cast<std::uint64_t>(std::llround(std::min(seconds, 1e15)));
  const auto hours = whole / 3600;
  const auto minutes = whole / 60 % 60;
  std::string text;
  if (hours > 0) text = count_text(hours) + " h ";
  if (hours > 0 || minutes > 0) text += std::to_string(minutes) + " min ";
  return text + std::to_string(whole % 60) + " s";
}

std::string clean(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto length = character(text);
    const auto first = static_cast<unsigned char>(text.front());
    const bool control =
        first < ' ' || first == 0x7f || (first == 0xc2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xa0);
    if (length == 0)
      out += "\xef\xbf\xbd";
    else if (control)
      out += ' ';
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool is_success(std::string_view outcome) { return outcome.starts_with('2'); }

bool is_failure(std::string_view outcome) {
  return outcome.starts_with('5') || (!outcome.empty() && std::ranges::find(loss_names, outcome) != loss_names.end());
}

std::uint64_t failures_of(const operation_result& of) {
  std::uint64_t all = 0;
  for (const auto& [outcome, times] : of.outcomes)
    if (is_failure(outcome)) all += times;
  return all;
}

std::uint64_t failures_of(const run_result& run) {
  std::uint64_t all = 0;
  for (const auto& of : run.operations) all += failures_of(of);
  return all;
}

std::uint64_t times_of(const run_result& run, const std::string& outcome) {
  std::uint64_t all = 0;
  for (const auto& of : run.operations)
    if (const auto found = of.outcomes.find(outcome); found != of.outcomes.end()) all += found->second;
  return all;
}

bool lateness_matters(const run_result& run) {
  constexpr double noticed = 100'000;  // 0.1 ms: the machine's own timers are late by as much
  const auto late = static_cast<double>(run.lateness.percentile(0.99));
  return late > noticed && late > static_cast<double>(run.latency.percentile(0.99)) / 10;
}

std::string lateness_text(const run_result& run) {
  const auto at = [&](double share) { return duration_text(static_cast<double>(run.lateness.percentile(share))); };
  return "Requests left late, which their latency includes: p50 " + at(0.5) + ", p99 " + at(0.99) + ", max " +
         duration_text(static_cast<double>(run.lateness.most())) + ".";
}

std::string shortfall_text(const run_result& run) {
  constexpr double enough = 0.95;
  const double got = run.answered_per_second();
  if (run.intended_per_second <= 0 || got >= enough * run.intended_per_second) return {};
  return "Intended were " + number_text(run.intended_per_second) + " requests/s, answered " + number_text(got) + "/s.";
}

std::string labels_text(const run_result& run) {
  std::string text;
  for (const auto& [name, number] : run.labels)
    text += (text.empty() ? "" : ", ") + clean(name) + ' ' + quantity_text(number);
  return text;
}

month_result sum_of(const std::vector<month_result>& months) {
  month_result all;
  for (const auto& one : months) {
    all.paid += one.paid;
    all.failed += one.failed;
    all.ended += one.ended;
    all.charged += one.charged;
    all.refunded += one.refunded;
  }
  return all;
}

std::string checked_text(const verification& checked) {
  std::string text;
  const auto part = [&](std::uint64_t count, const char* one, const char* many) {
    if (count > 0) text += (text.empty() ? "" : ", ") + count_text(count) + ' ' + (count == 1 ? one : many);
  };
  part(checked.keys, "key with one execution", "keys with one execution each");
  part(checked.payments, "payment read back", "payments read back");
  part(checked.subscriptions, "subscription read back", "subscriptions read back");
  part(checked.customers, "customer read back", "customers read back");
  part(checked.events, "event received", "events received");
  part(checked.settled, "unanswered request settled", "unanswered requests settled");
  return text.empty() ? "nothing was there to compare" : text;
}

}  // namespace gateway::load
