// How many requests per second each caller of a kind may send: a token bucket for each. A bucket holds `burst` requests
// and gains `per_second` of them until it is full. Pure except for its lock: the caller passes the time.
//
// A bucket is stored as one number, the time at which it will be full again. A request's interval is rounded up to
// whole nanoseconds, so that in any time t a caller gets at most burst + per_second * t.
//
// Memory is fixed. A caller's number selects a set of eight places, and its bucket is one of them. A caller without a
// place takes over the fullest bucket of its set as it is. If that bucket is full, this changes nothing. If eight
// callers of the set are sending now, the new one starts with what the least active of them has left. So a caller that
// loses its place never gets back a fuller bucket than it left, and sending from many addresses cannot reset a limit:
// they share one another's buckets.
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

  static constexpr std::size_t places = 8;  ///< per set

  /// Limits nothing.
  rate_limit() noexcept;
  /// `most`: the number of buckets, rounded up to a power of two of sets; 16 bytes each.
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
  /// Takes a request from a caller's bucket; fails if it is empty. Numbers must be assigned so that a stranger cannot
  /// choose them. Call only if limits().
  verdict take(std::uint64_t who, clock::time_point now) noexcept;
  /// Returns a request that passed here and was rejected elsewhere at once.
  void give_back(std::uint64_t who) noexcept;

  /// Buckets that are not full: callers who sent something recently.
  std::size_t in_use(clock::time_point now) const noexcept;

 private:
  struct table;

  rate_rule rule_;
  std::int64_t step_ = 0;  ///< nanoseconds until one request is regained
  std::unique_ptr<table> table_;
};

}  // namespace gateway::http
