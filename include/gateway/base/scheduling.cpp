#include "gateway/base/scheduling.hpp"

#include <sched.h>

#include <atomic>

namespace gateway {

namespace {

std::atomic<bool> batch_scheduling_chosen{false};

bool set_policy(int policy) noexcept {
  const sched_param none{};  // neither policy has priorities; the nice value stays
  return ::sched_setscheduler(0, policy, &none) == 0;
}

}  // namespace

// If the kernel or a container forbids the change, all threads keep the normal policy. Requests are then sometimes
// slower; nothing else changes.

void use_batch_scheduling() noexcept {
  if (::sched_getscheduler(0) == SCHED_OTHER) batch_scheduling_chosen = set_policy(SCHED_BATCH);
}

void use_normal_scheduling() noexcept {
  if (batch_scheduling_chosen) set_policy(SCHED_OTHER);
}

}  // namespace gateway
