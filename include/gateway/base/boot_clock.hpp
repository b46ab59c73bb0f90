// A monotonic clock that also counts the time while the machine sleeps.
#pragma once

#include <ctime>

#include <chrono>

namespace gateway {

inline std::chrono::milliseconds since_boot() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds{now.tv_sec} +
         std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds{now.tv_nsec});
}

}  // namespace gateway
