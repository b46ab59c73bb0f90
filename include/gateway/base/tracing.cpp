#include "gateway/base/tracing.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>

#include "gateway/base/crypto.hpp"

namespace gateway {

namespace {

constexpr std::int64_t nanoseconds_in_second = 1'000'000'000;

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  const auto bytes = crypto::random_bytes(sizeof seed);
  std::memcpy(&seed, bytes.data(), sizeof seed);
  return seed;
}

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): different numbers give
/// different results.
std::uint64_t scattered(std::uint64_t seed, std::uint64_t number) noexcept {
  auto x = seed + number * 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

trace_time trace_now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

tracing::tracing(tracing_options options, metrics& meters)
    : options_{options}, meters_{&meters}, seed_{random_seed()}, trace_seed_{random_seed()} {
  queue_.reserve(options_.batch);
}

tracing& tracing::off() {
  static tracing none;
  return none;
}

/// Never 0, which means no id.
std::uint64_t tracing::fresh_id() noexcept {
  const auto id = scattered(seed_, ids_.fetch_add(1, std::memory_order_relaxed));
  return id == 0 ? 1 : id;
}

bool tracing::caller_may_ask() {
  const auto second = trace_now() / nanoseconds_in_second;
  const std::lock_guard hold{asking_};
  if (second != asked_in_second_) {
    asked_in_second_ = second;
    asked_ = 0;
  }
  if (asked_ >= options_.callers_per_second) return false;
  asked_ += 1;
  return true;
}

tracing::entry tracing::find_entry(std::string_view traceparent) {
  entry found;
  if (const auto given = parse_traceparent(traceparent)) {
    found.at = *given;
    if (!on() || (given->flags & trace_context::sampled) == 0 || !caller_may_ask()) return found;
    found.parent = given->span;
  } else {
    if (!on() || options_.one_in == 0) return found;
    const auto number = fresh_id();
    if (number % options_.one_in != 0) return found;
    found.at.trace = {scattered(trace_seed_, number), fresh_id()};
    found.at.flags = trace_context::sampled | trace_context::random;
  }
  found.at.recorded = true;
  found.at.span = fresh_id();
  return found;
}

void tracing::record(span&& done) {
  if (!on()) return;
  done.ended = std::max(done.begun, done.ended);  // the clock may have been set back
  bool full = false;
  std::function<void()> wake;
  {
    const std::lock_guard hold{access_};
    full = queue_.size() >= options_.most_queued;
    if (!full) {
      queue_.push_back(std::move(done));
      if (queue_.size() == options_.batch) wake = wake_;
    }
  }
  if (full) count_dropped(1);
  if (wake) wake();
}

void tracing::when_a_batch_is_there(std::function<void()> call) {
  const std::lock_guard hold{access_};
  wake_ = std::move(call);
}

std::vector<span> tracing::take(std::size_t most) {
  std::vector<span> taken;
  const std::lock_guard hold{access_};
  if (queue_.size() <= most) {
    // Reserves room, so that the next record() need not allocate.
    taken.reserve(options_.batch);
    taken.swap(queue_);
    return taken;
  }
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(most);
  taken.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  return taken;
}

std::size_t tracing::queued() const {
  const std::lock_guard hold{access_};
  return queue_.size();
}

void tracing::count_exported(std::size_t spans) {
  if (meters_ != nullptr && spans > 0) meters_->trace_spans_exported.Increment(static_cast<double>(spans));
}

void tracing::count_dropped(std::size_t spans) {
  if (meters_ != nullptr && spans > 0) meters_->trace_spans_dropped.Increment(static_cast<double>(spans));
}

}  // namespace gateway
