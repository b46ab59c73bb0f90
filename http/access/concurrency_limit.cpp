#include "concurrency_limit.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "gateway/base/metrics.hpp"

namespace gateway::http {

namespace {
/// The smallest limit: a brief pause of the disk does not reject ordinary load.
constexpr std::size_t fewest = 64;
}  // namespace

class concurrency_limit::state : public std::enable_shared_from_this<concurrency_limit::state> {
 public:
  state(clock::duration longest_wait, std::size_t batch, std::size_t most, metrics& meters)
      : longest_wait_(longest_wait),
        least_(std::max(2 * batch, fewest)),
        most_(std::max(most, least_)),
        meters_(meters) {
    set_limit(2 * least_);
  }

  std::size_t waiting() const noexcept { return waiting_.load(std::memory_order_relaxed); }
  std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }

  /// Returns how many writes have been served before; nothing if the limit is reached.
  std::optional<std::uint64_t> try_enter() {
    if (waiting() >= limit()) return std::nullopt;  // without the lock, because under overload most requests end here
    const std::lock_guard lock{mutex_};
    if (waiting() >= limit()) return std::nullopt;
    set_waiting(waiting() + 1);
    return served_;
  }

  void withdraw() {
    const std::lock_guard lock{mutex_};
    set_waiting(waiting() - 1);
  }

  void leave(clock::time_point entered, std::uint64_t served_before, clock::time_point now) {
    const std::lock_guard lock{mutex_};
    const bool in_use = waiting() > limit() / 2;
    set_waiting(waiting() - 1);
    ++served_;
    const auto waited = now - entered;
    if (waited > longest_wait_) {
      late_ = now;
      if (entered >= shrunk_) shrink(waited, served_ - served_before, now);
    } else if (waited < longest_wait_ / 2 && now - late_ > longest_wait_ && in_use) {
      set_limit(limit() + 1);  // once per served write, so the limit doubles each time a whole queue has passed
    }
  }

 private:
  /// Sets the limit to what can be served within the longest wait, as computed from this wait. Lowers it by at least a
  /// tenth, because requests that hardly wait (repeats of completed writes) inflate the number served.
  void shrink(clock::duration waited, std::uint64_t served_meanwhile, clock::time_point now) {
    shrunk_ = now;
    const auto share = std::chrono::duration<double>(longest_wait_) / std::chrono::duration<double>(waited);
    const auto servable = static_cast<std::size_t>(static_cast<double>(served_meanwhile) * share);
    set_limit(std::min(servable, limit() - limit() / 10));
  }

  void set_limit(std::size_t to) {
    limit_.store(std::clamp(to, least_, most_), std::memory_order_relaxed);
    meters_.writes_waiting_limit.Set(static_cast<double>(limit()));
  }
  void set_waiting(std::size_t to) {
    waiting_.store(to, std::memory_order_relaxed);
    meters_.writes_waiting.Set(static_cast<double>(to));
  }

  const clock::duration longest_wait_;
  const std::size_t least_;
  const std::size_t most_;
  metrics& meters_;
  std::mutex mutex_;  ///< guards all below; the first two are read without it
  std::atomic<std::size_t> waiting_{0};
  std::atomic<std::size_t> limit_{0};
  std::uint64_t served_ = 0;
  clock::time_point shrunk_{};  ///< earlier writes were admitted under the previous limit
  clock::time_point late_{};  ///< when the last write that had waited too long left
};

concurrency_limit::concurrency_limit(clock::duration longest_wait, std::size_t batch, std::size_t most, metrics& meters)
    : state_(std::make_shared<state>(longest_wait, batch, most, meters)) {}

std::size_t concurrency_limit::waiting() const noexcept { return state_->waiting(); }
std::size_t concurrency_limit::limit() const noexcept { return state_->limit(); }

std::optional<concurrency_limit::admission> concurrency_limit::try_enter(clock::time_point now) {
  const auto served_before = state_->try_enter();
  if (!served_before) return std::nullopt;
  return admission{*state_, now, *served_before};
}

concurrency_limit::admission::admission(admission&& other) noexcept
    : of_(std::exchange(other.of_, nullptr)), entered_(other.entered_), served_before_(other.served_before_) {}

concurrency_limit::admission& concurrency_limit::admission::operator=(admission&& other) noexcept {
  std::swap(of_, other.of_);
  std::swap(entered_, other.entered_);
  std::swap(served_before_, other.served_before_);
  return *this;
}

concurrency_limit::admission::~admission() {
  if (of_ != nullptr) of_->withdraw();
}

std::shared_ptr<const void> concurrency_limit::admission::pass_on() && {
  // Actors may hold it longer than the gateway's HTTP side and its metrics exist.
  const std::weak_ptr<state> of = of_->weak_from_this();
  const void* const here = std::exchange(of_, nullptr);
  return {here, [of, entered = entered_, served_before = served_before_](const void*) {
            if (const auto still = of.lock()) still->leave(entered, served_before, clock::now());
          }};
}

}  // namespace gateway::http
