#include "supervisor.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

namespace gateway::actors {

namespace {

class supervisor_state {
 public:
  static inline const char* name = "supervisor";
  std::vector<core_actor> watched;
  std::function<void(std::string)> failed;
};

caf::behavior supervisor_behavior(caf::stateful_actor<supervisor_state>* self, std::vector<core_actor> watched,
                                  std::function<void(std::string)> failed) {
  self->state.watched = std::move(watched);
  self->state.failed = std::move(failed);
  for (const auto& each : self->state.watched) self->monitor(each.actor);
  self->set_down_handler([self](const caf::down_msg& down) {
    std::string which = "an actor";
    for (const auto& each : self->state.watched)
      if (each.actor && down.source == each.actor->address()) which = each.name;
    self->state.failed(which + " ended unexpectedly: " + self->system().render(down.reason));
    self->quit();
  });
  return {[](wake_atom) {}};
}

}  // namespace

caf::actor spawn_supervisor(caf::actor_system& system, std::vector<core_actor> watched,
                            std::function<void(std::string)> failed) {
  return system.spawn(supervisor_behavior, std::move(watched), std::move(failed));
}

}  // namespace gateway::actors
