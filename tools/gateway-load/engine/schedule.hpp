// The times at which requests leave in the open model. They do not depend on the answers.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::load {

/// A sequence of pieces, in each of which the rate is constant or changes linearly. Times are nanoseconds after the
/// begin.
class schedule {
 public:
  static constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

  /// Each throws std::invalid_argument with one line if a rate is out of range or no request would be sent.
  static schedule constant(double per_second, std::uint64_t lasts_ns);
  static schedule ramp(double from, double to, std::uint64_t lasts_ns);
  /// A schedule with each rate for an equal part of the time.
  static schedule steps(const std::vector<double>& per_second, std::uint64_t lasts_ns);

  /// The same schedule after a warm-up of this length at its first rate.
  schedule after_warm_up(std::uint64_t lasts_ns) const;
  /// Every `of`-th request from request `number` on: the share of one of several threads.
  schedule share(unsigned number, unsigned of) const;

  /// The number of requests in the schedule.
  std::uint64_t count() const noexcept { return count_; }
  /// The time at which request `number`, counted from 0, is to leave; `no_end` after the last. Times never decrease.
  std::uint64_t intended(std::uint64_t number) const noexcept;
  std::uint64_t end() const noexcept { return end_; }
  /// "constant 2000/s"
  const std::string& text() const noexcept { return text_; }

 private:
  struct piece {
    double begin = 0, lasts = 0;  ///< seconds
    double from = 0, to = 0;  ///< requests per second
    double before = 0;  ///< requests of all earlier pieces
    double requests() const noexcept { return (from + to) / 2 * lasts; }
  };

  void append(double from, double to, std::uint64_t lasts_ns);
  void finish(std::string text);

  std::vector<piece> pieces_;
  std::uint64_t end_ = 0;
  std::uint64_t all_ = 0;  ///< requests of all shares
  std::uint64_t count_ = 0;  ///< requests of this share
  unsigned number_ = 0, of_ = 1;
  std::string text_;
};

/// "2000", of --rate.
double read_rate(std::string_view text);
/// "100..2000", of --ramp.
std::pair<double, double> read_ramp(std::string_view text);
/// "100,200,400", of --steps.
std::vector<double> read_steps(std::string_view text);
/// "10s", "500ms", "2m", "1h": nanoseconds.
std::uint64_t read_duration(std::string_view text);

}  // namespace gateway::load
