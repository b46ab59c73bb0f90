// Uses a real actor system, to test that no wait in CAF is unlimited.
#include <catch2/catch.hpp>

#include <future>
#include <string>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>

#include "process/staged_stop.hpp"

using namespace gateway::actors;
using namespace std::chrono_literals;

namespace {

struct actor_world {
  caf::actor_system_config config;
  caf::actor_system system{config};
};

caf::strong_actor_ptr pointer_to(const caf::actor& actor) { return caf::actor_cast<caf::strong_actor_ptr>(actor); }

caf::behavior obedient(caf::event_based_actor*) {
  return {[](int) {}};
}

caf::behavior deaf_to_exit(caf::event_based_actor* self) {
  self->set_exit_handler([](caf::exit_msg&) {});
  return {[](int) {}};
}

/// An actor whose handler does not return until the test releases it.
class stuck_actor {
 public:
  explicit stuck_actor(caf::actor_system& system) {
    handle = system.spawn<caf::detached>(behavior, this);
    entered_.get_future().wait();
  }
  void release() { let_go_.set_value(); }

  caf::actor handle;

 private:
  static caf::behavior behavior(caf::event_based_actor* self, stuck_actor* test) {
    self->send(self, 1);
    return {[test](int) {
      test->entered_.set_value();
      test->let_go_.get_future().wait();
    }};
  }

  std::promise<void> entered_;
  std::promise<void> let_go_;
};

}  // namespace

TEST_CASE("an actor that ends on request is not killed, and none is left behind") {
  actor_world world;
  staged_stop stop{world.system, 10s, 1s};
  stop.end("an obedient actor", pointer_to(world.system.spawn(obedient)));
  CHECK(stop.all_have_ended());
  CHECK(stop.left_behind().empty());
}

TEST_CASE("an actor that ignores the request is killed") {
  actor_world world;
  staged_stop stop{world.system, 10ms, 10s};
  stop.end("a deaf actor", pointer_to(world.system.spawn(deaf_to_exit)));
  CHECK(stop.all_have_ended());
  CHECK(stop.left_behind().empty());
}

TEST_CASE("an actor that is stuck in a handler is reported by its name, and the others still end") {
  actor_world world;
  stuck_actor stuck{world.system};
  const auto other = world.system.spawn(obedient);
  staged_stop stop{world.system, 10ms, 10ms};
  stop.end("a stuck actor", pointer_to(stuck.handle));
  stop.end("an obedient actor", pointer_to(other));
  CHECK_FALSE(stop.all_have_ended());
  CHECK(stop.left_behind() == std::vector<std::string>{"a stuck actor"});
  stuck.release();
  world.system.await_all_actors_done();
}

TEST_CASE("actors that others have spawned are waited for, within the limit") {
  actor_world world;
  stuck_actor stuck{world.system};
  staged_stop stop{world.system, 10ms, 10ms};
  CHECK_FALSE(stop.all_have_ended());
  CHECK(stop.left_behind().empty());
  caf::anon_send_exit(stuck.handle, caf::exit_reason::user_shutdown);
  stuck.release();
  world.system.await_all_actors_done();
}
