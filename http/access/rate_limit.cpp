#include "rate_limit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

namespace gateway::http {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

std::int64_t nanoseconds_of(rate_limit::clock::time_point now) noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();
}

/// An unused place counts as a bucket that was always full.
struct bucket {
  std::uint64_t who = 0;
  std::int64_t full_at = std::numeric_limits<std::int64_t>::min();
};

struct alignas(64) set_lock {
  std::mutex mutex;
};

}  // namespace

struct rate_limit::table {
  explicit table(std::size_t most)
      : sets(std::bit_ceil(std::max<std::size_t>(1, (most + places - 1) / places))), buckets(sets * places) {}

  std::size_t set_of(std::uint64_t who) const noexcept { return who & (sets - 1); }
  std::span<bucket> in_set(std::size_t set) noexcept { return {buckets.data() + set * places, places}; }
  std::mutex& lock_of(std::size_t set) noexcept { return locks[set % locks.size()].mutex; }

  const std::size_t sets;
  std::vector<bucket> buckets;
  std::array<set_lock, 64> locks;  ///< each guards every 64th set
};

rate_limit::rate_limit() noexcept = default;
rate_limit::rate_limit(rate_limit&&) noexcept = default;
rate_limit& rate_limit::operator=(rate_limit&&) noexcept = default;
rate_limit::~rate_limit() = default;

rate_limit::rate_limit(rate_rule rule, std::size_t most) : rule_(rule) {
  if (rule.per_second == 0) return;
  rule_.burst = std::max<std::uint32_t>(1, rule.burst);
  step_ = (second_ns + rule.per_second - 1) / rule.per_second;
  table_ = std::make_unique<table>(most);
}

rate_limit::verdict rate_limit::take(std::uint64_t who, clock::time_point now) noexcept {
  const auto at = nanoseconds_of(now);
  const auto capacity = step_ * rule_.burst;
  const auto set = table_->set_of(who);
  const auto all = table_->in_set(set);
  const std::lock_guard hold{table_->lock_of(set)};
  auto mine = std::ranges::find(all, who, &bucket::who);
  if (mine == all.end()) mine = std::ranges::min_element(all, {}, &bucket::full_at);
  const auto used = std::max(mine->full_at, at) - at;
  // A rejected request changes nothing, including the place's owner.
  if (used + step_ > capacity) return {false, 0};
  *mine = {who, at + used + step_};
  return {true, static_cast<std::uint32_t>((capacity - used - step_) / step_)};
}

void rate_limit::give_back(std::uint64_t who) noexcept {
  const auto set = table_->set_of(who);
  const auto all = table_->in_set(set);
  const std::lock_guard hold{table_->lock_of(set)};
  const auto mine = std::ranges::find(all, who, &bucket::who);
  if (mine != all.end() && mine->full_at > std::numeric_limits<std::int64_t>::min()) mine->full_at -= step_;
}

std::size_t rate_limit::in_use(clock::time_point now) const noexcept {
  if (!table_) return 0;
  const auto at = nanoseconds_of(now);
  std::size_t count = 0;
  for (std::size_t first = 0; first < std::min(table_->sets, table_->locks.size()); ++first) {
    const std::lock_guard hold{table_->lock_of(first)};
    for (auto set = first; set < table_->sets; set += table_->locks.size())
      count += static_cast<std::size_t>(
          std::ranges::count_if(table_->in_set(set), [&](const bucket& one) { return one.full_at > at; }));
  }
  return count;
}

}  // namespace gateway::http
