#include "schedule.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace gateway::load {

namespace {

constexpr double nanoseconds = 1e9;
constexpr double most_per_second = 10'000'000;
constexpr std::size_t most_steps = 1000;
/// A run without an end ends after a year, so that sums stay exact.
constexpr std::uint64_t a_year = 365ULL * 24 * 3600 * 1'000'000'000;

std::string text_of(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", rate);
  return text;
}

void check(double rate) {
  if (!(rate >= 0) || rate > most_per_second)
    throw std::invalid_argument("a rate is a number from 0 to 10000000 requests per second, not " + text_of(rate));
}

double read_number(std::string_view text, const char* what) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (failure != std::errc{} || end != text.data() + text.size() || text.empty())
    throw std::invalid_argument("'" + std::string{text} + "' is not " + what);
  return value;
}

}  // namespace

schedule schedule::constant(double per_second, std::uint64_t lasts_ns) {
  schedule made;
  made.append(per_second, per_second, lasts_ns);
  made.finish("constant " + text_of(per_second) + "/s");
  return made;
}

schedule schedule::ramp(double from, double to, std::uint64_t lasts_ns) {
  schedule made;
  made.append(from, to, lasts_ns);
  made.finish("ramp " + text_of(from) + ".." + text_of(to) + "/s");
  return made;
}

schedule schedule::steps(const std::vector<double>& per_second, std::uint64_t lasts_ns) {
  schedule made;
  std::string text;
  for (std::size_t i = 0; i < per_second.size(); ++i) {
    // The length is the difference of two rounded bounds, so that the parts add up to the whole.
    const auto part =
        lasts_ns / per_second.size() * (i + 1) + lasts_ns % per_second.size() * (i + 1) / per_second.size() - made.end_;
    made.append(per_second[i], per_second[i], part);
    text += (i == 0 ? "" : ",") + text_of(per_second[i]);
  }
  made.finish("steps " + text + "/s");
  return made;
}

schedule schedule::after_warm_up(std::uint64_t lasts_ns) const {
  if (lasts_ns == 0) return *this;
  schedule made;
  made.append(pieces_.front().from, pieces_.front().from, lasts_ns);
  for (const auto& one : pieces_)
    made.append(one.from, one.to, static_cast<std::uint64_t>(std::llround(one.lasts * nanoseconds)));
  made.finish(text_);
  return made.share(number_, of_);
}

schedule schedule::share(unsigned number, unsigned of) const {
  auto made = *this;
  made.number_ = number;
  made.of_ = of;
  made.count_ = all_ > number ? (all_ - number + of - 1) / of : 0;
  return made;
}

std::uint64_t schedule::intended(std::uint64_t number) const noexcept {
  if (number >= count_) return no_end;
  const auto wanted = static_cast<double>(number * of_ + number_);
  // The last piece that begins at or before the request. A pause has no requests, so the piece after it is found
  // instead.
  auto at = std::ranges::upper_bound(pieces_, wanted, {}, &piece::before);
  --at;
  const double rest = wanted - at->before;
  // The time at which the integral of a linearly changing rate reaches the rest, in a form that stays exact where the
  // change is small.
  const double slope = (at->to - at->from) / (2 * at->lasts);
  const double below = at->from + std::sqrt(std::max(0.0, at->from * at->from + 4 * slope * rest));
  const double after = below > 0 ? std::min(at->lasts, 2 * rest / below) : 0;
  return std::min(end_, static_cast<std::uint64_t>(std::llround((at->begin + after) * nanoseconds)));
}

void schedule::append(double from, double to, std::uint64_t lasts_ns) {
  check(from);
  check(to);
  lasts_ns = std::min(lasts_ns, a_year);
  if (lasts_ns == 0) throw std::invalid_argument("a load that lasts no time sends nothing");
  piece made{static_cast<double>(end_) / nanoseconds, static_cast<double>(lasts_ns) / nanoseconds, from, to, 0};
  if (!pieces_.empty()) made.before = pieces_.back().before + pieces_.back().requests();
  pieces_.push_back(made);
  end_ += lasts_ns;
}

void schedule::finish(std::string text) {
  text_ = std::move(text);
  if (pieces_.empty()) throw std::invalid_argument("steps without a rate");
  // The sum of many rates is not exact, so a request within a millionth of the end is left out.
  all_ = static_cast<std::uint64_t>(std::ceil(pieces_.back().before + pieces_.back().requests() - 1e-6));
  count_ = all_;
  if (all_ == 0) throw std::invalid_argument("at this rate not one request leaves");
}

double read_rate(std::string_view text) { return read_number(text, "a rate: requests per second, such as 2000"); }

std::pair<double, double> read_ramp(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos)
    throw std::invalid_argument("'" + std::string{text} + "' is not a ramp, such as 100..2000");
  return {read_rate(text.substr(0, dots)), read_rate(text.substr(dots + 2))};
}

std::vector<double> read_steps(std::string_view text) {
  std::vector<double> rates;
  for (;;) {
    const auto comma = text.find(',');
    rates.push_back(read_rate(text.substr(0, comma)));
    if (comma == std::string_view::npos) return rates;
    if (rates.size() == most_steps) throw std::invalid_argument("more than 1000 steps");
    text.remove_prefix(comma + 1);
  }
}

std::uint64_t read_duration(std::string_view text) {
  constexpr std::pair<std::string_view, double> units[]{{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
  for (const auto& [unit, factor] : units) {
    if (!text.ends_with(unit)) continue;
    const auto value =
        read_number(text.substr(0, text.size() - unit.size()), "a duration: a number and ms, s, m or h, such as 10s");
    if (!(value >= 0) || value * factor > static_cast<double>(a_year)) break;
    return static_cast<std::uint64_t>(std::llround(value * factor));
  }
  throw std::invalid_argument("'" + std::string{text} + "' is not a duration: a number and ms, s, m or h, such as 10s");
}

}  // namespace gateway::load
