// The gateway's clock guard (gateway/domain/clock_guard.hpp), asked by every actor that is about to destroy what is
// old.
// Concurrency: any actor may ask; each question looks at the clocks, so that no jump comes between a look and its use.
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
  /// `last_seen`: what the database says of the time, as the last process left it.
  clock_watch(const wall_clock& clock, std::optional<time_point> last_seen, const settings& config, metrics& meters);

  /// The time, if what is old by it may be destroyed. Nothing while the clock is not trusted.
  std::optional<time_point> trusted_now(caf::actor_clock::time_point monotonic);

  /// A time of the wall clock as the database keeps it: without the offset that an operator has asked for, which is no
  /// jump of the clock.
  time_point without_offset(time_point now) const { return now - offset_; }

 private:
  void tell(const clock_guard::verdict& found);

  const wall_clock& clock_;
  const duration_ms offset_;
  metrics& meters_;
  std::mutex looking_;
  clock_guard guard_;
};

}  // namespace gateway::actors
