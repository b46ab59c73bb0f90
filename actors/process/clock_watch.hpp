// The gateway's clock guard (gateway/domain/clock_guard.hpp). Every actor calls it before it deletes or expires
// anything by age. Concurrency: any actor may call; each call reads the clocks itself, so that no jump can happen
// between reading and use.
#pragma once

#include <mutex>
#include <optional>

#include <caf/actor_clock.hpp>

#include "gateway/base/metrics.hpp"
#include "gateway/domain/clock_guard.hpp"
#include "gateway/settings.hpp"

namespace gateway::actors {

class clock_watch {
 public:
  /// `last_seen`: the time that the last process stored in the database.
  clock_watch(const wall_clock& clock, std::optional<time_point> last_seen, const settings& config, metrics& meters);

  /// The time, for code that deletes or expires by it; nullopt while the clock is not trusted.
  std::optional<time_point> trusted_now(caf::actor_clock::time_point monotonic);

  /// The wall clock's time as the database stores it: without the offset that an operator has configured, which is not
  /// a jump of the clock.
  time_point without_offset(time_point now) const { return now - offset_; }

 private:
  void report(const clock_guard::verdict& found);

  const wall_clock& clock_;
  const duration_ms offset_;
  metrics& meters_;
  std::mutex looking_;
  clock_guard guard_;
};

}  // namespace gateway::actors
