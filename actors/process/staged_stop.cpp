#include "staged_stop.hpp"

#include <algorithm>
#include <thread>

#include <caf/actor_cast.hpp>
#include <caf/actor_registry.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/system_messages.hpp>

#include "gateway/base/log.hpp"

namespace gateway::actors {

using clock = std::chrono::steady_clock;

namespace {
/// The least time for each actor, even after the deadline. It is enough for an idle actor to end.
constexpr std::chrono::milliseconds least_wait{100};
}  // namespace

staged_stop::staged_stop(caf::actor_system& system, duration longest, duration grace)
    : system_(system), deadline_(clock::now() + longest), grace_(grace) {}

void staged_stop::end(std::string_view name, const caf::strong_actor_ptr& actor) {
  if (!actor) return;
  const auto address = caf::actor_cast<caf::actor>(actor);
  caf::anon_send_exit(address, caf::exit_reason::user_shutdown);
  if (ends_until(actor, deadline_)) return;
  log::warn("actor_killed", {{"name", name}});
  caf::anon_send_exit(address, caf::exit_reason::kill);
  if (ends_until(actor, deadline_ + grace_)) return;
  log::error("actor_left_behind", {{"name", name}});
  left_behind_.emplace_back(name);
}

bool staged_stop::ends_until(const caf::strong_actor_ptr& actor, clock::time_point deadline) {
  caf::scoped_actor self{system_};
  self->monitor(caf::actor_cast<caf::actor>(actor));
  bool ended = false;
  const auto left = std::max<clock::duration>(deadline - clock::now(), least_wait);
  self->receive([&](const caf::down_msg&) { ended = true; }, caf::after(left) >> [] {});
  return ended;
}

bool staged_stop::all_have_ended() {
  const auto until = std::max(deadline_ + grace_, clock::now() + least_wait);
  while (system_.registry().running() > 0) {
    if (!left_behind_.empty() || clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return true;
}

}  // namespace gateway::actors
