// How many requests a second each caller of a kind may send: a token bucket for each. A bucket holds `burst` requests,
// and gains `per_second` of them until it is full. Pure but for its lock: whoever asks says what time it is.
//
// A bucket is one number, the time at which it will be full again. The length of a request in it is rounded up to whole
// nanoseconds, so that in any time t a caller gets no more than burst + per_second * t.
//
// Memory is fixed. A caller's bucket is one of the eight places of a set that its number chooses. One without a place
// takes the fullest bucket of its set, and takes it over as it is: for a full one that changes nothing, and in a set of
// eight who all send right now, the newcomer begins with what the least of them has used. So whoever loses its place
// never comes back to a bucket that is fuller than the one it left, and nobody can make a limit forget a caller by
// sending from many addresses: it would only share theirs.
// Concurrency: any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace gateway::http {

struct rate_rule {
  std::uint32_t per_second = 0;  ///< 0: no limit
  std::uint32_t burst = 0;  ///< at least 1
};

class rate_limit {
 public:
  using clock = std::chrono::steady_clock;

  static constexpr std::size_t places = 8;  ///< of a set

  /// No limit.
  rate_limit() noexcept;
  /// `most`: how many buckets there are, rounded up to a power of two of sets; 16 bytes each.
  explicit rate_limit(rate_rule rule, std::size_t most = 65'536);
  rate_limit(rate_limit&& other) noexcept;
  rate_limit& operator=(rate_limit&& other) noexcept;
  ~rate_limit();

  bool limits() const noexcept { return table_ != nullptr; }
  const rate_rule& rule() const noexcept { return rule_; }

  struct verdict {
    bool passed = true;
    std::uint32_t left = 0;  ///< requests that the bucket still holds
  };
  /// Takes a request from the bucket of a caller, or nothing if it holds none. Who numbers callers must see to it that
  /// a stranger cannot choose the numbers. Only where it limits.
  verdict take(std::uint64_t who, clock::time_point now) noexcept;
  /// Of a request that passed here and was turned away elsewhere at once.
  void give_back(std::uint64_t who) noexcept;

  /// Buckets that are not full: callers who sent something lately.
  std::size_t in_use(clock::time_point now) const noexcept;

 private:
  struct table;

  rate_rule rule_;
  std::int64_t step_ = 0;  ///< nanoseconds that a request takes to come back
  std::unique_ptr<table> table_;
};

}  // namespace gateway::http
