// The only source of randomness in a simulation: the same seed always gives the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace gateway::simulation {

/// SplitMix64 (Steele, Lea and Flood, 2014). The standard library's distributions differ between libraries.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_{seed} {}

  std::uint64_t next() {
    auto z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// 0 to n - 1.
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  /// Both ends included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool chance(double probability) { return static_cast<double>(next() >> 11) * 0x1p-53 < probability; }

  template <class Range>
  auto& pick(Range& range) {
    return range[static_cast<std::size_t>(below(std::size(range)))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace gateway::simulation
