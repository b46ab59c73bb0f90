#include "gateway/base/scheduling.hpp"

#include <sched.h>

#include <atomic>

namespace gateway {

namespace {

std::atomic<bool> turns_taken{false};

bool set_policy(int policy) noexcept {
  const sched_param none{};  // neither policy has priorities; the nice value stays
  return ::sched_setscheduler(0, policy, &none) == 0;
}

}  // namespace

// Where the kernel or a sandbox forbids it, all threads are equal, as they were: slower at times, and right.

void take_turns() noexcept {
  if (::sched_getscheduler(0) == SCHED_OTHER) turns_taken = set_policy(SCHED_BATCH);
}

void go_first() noexcept {
  if (turns_taken) set_policy(SCHED_OTHER);
}

}  // namespace gateway
