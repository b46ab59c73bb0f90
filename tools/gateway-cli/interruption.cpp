#include "interruption.hpp"

#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <ctime>

namespace gateway::cli {

namespace {

/// A semaphore, because a signal handler may post one.
class wake_up_call {
 public:
  wake_up_call() { ::sem_init(&semaphore_, 0, 0); }
  void post() noexcept { ::sem_post(&semaphore_); }
  /// May also return spuriously.
  void wait(std::chrono::steady_clock::time_point deadline) noexcept {
    const auto since = deadline.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
    const timespec until{static_cast<std::time_t>(seconds.count()),
                         static_cast<long>(std::chrono::nanoseconds{since - seconds}.count())};
    ::sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &until);
  }

 private:
  sem_t semaphore_{};
};

wake_up_call wake_up;
std::atomic<bool> was_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

/// The first ends what runs; a second may come with it (a terminal's and a script's). A third one kills.
void on_interrupt(int signal) {
  static std::atomic<int> count{0};
  was_interrupted.store(true);
  if (count.fetch_add(1) == 1) ::signal(signal, SIG_DFL);
  wake_up.post();
}

}  // namespace

void catch_interrupts() {
  struct sigaction how{};
  how.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &how, nullptr);
  ::sigaction(SIGTERM, &how, nullptr);
}

bool interrupted() noexcept { return was_interrupted.load(); }

void wake_waiting() noexcept { wake_up.post(); }

bool wait_until(std::chrono::steady_clock::time_point deadline, const std::function<bool()>& condition) {
  while (!interrupted()) {
    if (condition()) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    wake_up.wait(deadline);
  }
  return false;
}

bool pause_for(std::chrono::milliseconds time) {
  wait_until(std::chrono::steady_clock::now() + time, [] { return false; });
  return !interrupted();
}

}  // namespace gateway::cli
