// Latencies from a nanosecond to hours, each kept to within 1/128 of its value, in up to 4096 counters. Adding a value
// takes a few instructions. Histograms of threads, seconds and runs can be summed, which averages of percentiles
// cannot.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace gateway::load {

class histogram {
 public:
  static constexpr unsigned fine_bits = 7;  ///< 128 counters for each power of two

  /// Restores a stored histogram from its counters() and the values that they do not contain. The caller checks that
  /// both agree.
  static histogram restored(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& counters, double sum,
                            std::uint64_t least, std::uint64_t most) {
    histogram made;
    for (const auto& [value, times] : counters) made.add(value, times);
    if (made.count_ == 0) return {};
    made.sum_ = sum;
    made.least_ = least;
    made.most_ = most;
    return made;
  }

  void add(std::uint64_t value, std::uint64_t times = 1) {
    const auto at = index_of(value);
    if (at >= counts_.size()) counts_.resize(at + 1);
    counts_[at] += times;
    count_ += times;
    sum_ += static_cast<double>(value) * static_cast<double>(times);
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }

  histogram& operator+=(const histogram& other) {
    if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    least_ = std::min(least_, other.least_);
    most_ = std::max(most_, other.most_);
    return *this;
  }

  void clear() { *this = {}; }
  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t least() const noexcept { return count_ == 0 ? 0 : least_; }
  std::uint64_t most() const noexcept { return most_; }
  double sum() const noexcept { return sum_; }
  double mean() const noexcept { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

  /// The smallest value that at least this share (0 to 1) does not exceed; 0 if there are none.
  std::uint64_t percentile(double share) const {
    if (count_ == 0) return 0;
    const auto wanted =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted) return std::clamp(highest_of(i), least_, most_);
    }
    return most_;
  }

  /// Every counter that is not zero, with the highest value it stands for, to be stored or drawn.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counters() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (counts_[i] > 0) all.emplace_back(highest_of(i), counts_[i]);
    return all;
  }

 private:
  static std::size_t index_of(std::uint64_t value) noexcept {
    if (value < (1u << fine_bits)) return value;
    const auto exponent = static_cast<unsigned>(std::bit_width(value)) - fine_bits - 1;
    return (static_cast<std::size_t>(exponent) << fine_bits) + static_cast<std::size_t>(value >> exponent);
  }
  static std::uint64_t highest_of(std::size_t index) noexcept {
    if (index < (2u << fine_bits)) return index;
    const auto exponent = (index >> fine_bits) - 1;
    return (((index & ((1u << fine_bits) - 1)) + (1u << fine_bits) + 1) << exponent) - 1;
  }

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_ = 0;
};

}  // namespace gateway::load
