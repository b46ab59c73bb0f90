#include "directory_actor.hpp"

#include <memory>
#include <optional>
#include <utility>

#include <caf/stateful_actor.hpp>

#include "directory_queue.hpp"

namespace gateway::actors {

directory_queue::directory_queue(waking_directory::pointer self, const directory_context& context)
    : self_{self},
      store_{context.store},
      hasher_{context.hasher},
      merchants_{context.published, context.clock},
      people_{merchants_, context.clock, context.mails},
      credentials_{merchants_, context.published, context.keys, context.clock},
      platforms_{context.published, context.keys, context.clock,
                 [this](const platform_id& id) { destinations_.publish_of(id.value); }},
      destinations_{merchants_,
                    people_,
                    context.mails,
                    platforms_,
                    context.published,
                    context.keys,
                    context.clock,
                    [this](const destination_id& id) {
                      if (dispatcher_) self_->send(dispatcher_, destination_changed{id});
                    }},
      providers_{context.published, context.keys, context.clock},
      master_keys_{context.keys, context.key_source, context.clock, context.keeper != nullptr},
      published_{context.published},
      known_merchants_{context.known_merchants},
      keeper_{context.keeper} {}

namespace {

struct directory_state {
  static inline const char* name = "directory";
  std::optional<directory_queue> queue;
};

waking_directory::behavior_type directory_behavior(waking_directory::stateful_pointer<directory_state> self,
                                                   const directory_context& context) {
  // At its end the actor system waits for detached actors, but not for the remaining work of their threads.
  self->attach_functor([] { crypto::leave_thread(); });
  auto& queue = self->state.queue.emplace(self, context);
  return {
      [&queue](operator_command& command) { return queue.take(command); },
      [&queue](noted_command& command) { return queue.take(command); },
      [&queue](look_up& asked) { return queue.look_up_entry(asked); },
      [&queue](load_atom) { return queue.load(); },
      [&queue](join_atom, dispatcher_actor& dispatcher) { queue.join(std::move(dispatcher)); },
      [&queue](catch_up head) { queue.follow(head.number); },
      [&queue](wake_atom) { queue.try_again(); },
      [&queue](keep_atom) { queue.follow(0); },
      [&queue](settle_atom) { queue.late_commits_landed(); },
  };
}

}  // namespace

directory_actor spawn_directory(caf::actor_system& system, directory_context context, runs_on where) {
  return spawn_on(where, system, directory_behavior, std::move(context));
}

}  // namespace gateway::actors
