#include "clock_watch.hpp"

#include "gateway/base/log.hpp"

namespace gateway::actors {

clock_watch::clock_watch(const wall_clock& clock, std::optional<time_point> last_seen, const settings& config,
                         metrics& meters)
    : clock_{clock}, offset_{config.clock_offset}, meters_{meters}, guard_{last_seen} {}

std::optional<time_point> clock_watch::trusted_now(caf::actor_clock::time_point monotonic) {
  const std::lock_guard alone{looking_};
  const auto now = clock_.now();
  const auto found = guard_.look(without_offset(now), monotonic);
  if (found.what != clock_guard::change::none) report(found);
  return found.trusted ? std::optional{now} : std::nullopt;
}

void clock_watch::report(const clock_guard::verdict& found) {
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  meters_.clock_suspect.Set(found.trusted ? 0 : 1);
  switch (found.what) {
    case clock_guard::change::none: break;
    case clock_guard::change::jumped:
      log::warn("clock_jumped", {{"by_s", duration_cast<seconds>(found.by).count()}});
      break;
    case clock_guard::change::unproven:
      log::info("clock_unproven", {{"why", "the database has not seen a time yet"}});
      break;
    case clock_guard::change::trusted_again: log::info("clock_trusted_again"); break;
  }
}

}  // namespace gateway::actors
