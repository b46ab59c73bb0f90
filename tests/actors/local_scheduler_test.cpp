// Actors that run on the thread that wakes them.
#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include "../base/hang_timeout.hpp"
#include "gateway/messages/local_scheduler.hpp"

using gateway::local_scheduler;
using namespace std::chrono_literals;

namespace {

struct sharing : caf::actor_system_config {
  sharing() {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", 1u);
  }
};

struct counters {
  const std::thread::id mine = std::this_thread::get_id();
  std::atomic<int> here{0};
  std::atomic<int> elsewhere{0};

  void count() { (std::this_thread::get_id() == mine ? here : elsewhere) += 1; }
  bool reach(int sum) const {
    const auto end = std::chrono::steady_clock::now() + gateway::tests::hang_timeout;
    while (here + elsewhere < sum && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
    return here + elsewhere == sum;
  }
};

/// Counts where it handles each number, and sends the next smaller one to `next`.
caf::behavior counting_down(caf::event_based_actor* self, counters* seen, std::shared_ptr<caf::actor> next) {
  return {[=](int left) {
    seen->count();
    if (left > 0) self->send(*next, left - 1);
  }};
}

struct two_actors {
  sharing config;
  caf::actor_system system{config};
  counters seen;
  std::shared_ptr<caf::actor> one = std::make_shared<caf::actor>();
  std::shared_ptr<caf::actor> other = std::make_shared<caf::actor>();
  local_scheduler local{system};

  two_actors() {
    *one = system.spawn<caf::lazy_init>(counting_down, &seen, other);
    *other = system.spawn<caf::lazy_init>(counting_down, &seen, one);
  }
  ~two_actors() {
    for (const auto& each : {one, other}) caf::anon_send_exit(*each, caf::exit_reason::user_shutdown);
    *one = nullptr;
    *other = nullptr;
  }

  void send(int left, caf::execution_unit* unit) {
    (*one)->enqueue(nullptr, caf::make_message_id(), caf::make_message(left), unit);
  }
};

}  // namespace

TEST_CASE("an actor that is woken here, and those that it wakes, run here") {
  two_actors actors;
  actors.send(5, &actors.local);
  CHECK(actors.seen.here == 0);
  actors.local.run();
  CHECK(actors.seen.here == 6);
  CHECK(actors.seen.elsewhere == 0);
}

TEST_CASE("actors that wake one another endlessly do not block the thread: the scheduler continues them") {
  two_actors actors;
  actors.send(999, &actors.local);
  actors.local.run();
  CHECK(actors.seen.here < 100);
  CHECK(actors.seen.reach(1'000));
  CHECK(actors.seen.elsewhere > 900);
}

TEST_CASE("an actor with many messages does not block the thread: the scheduler continues it") {
  two_actors actors;
  for (int i = 0; i < 1'000; ++i) actors.send(0, &actors.local);
  actors.local.run();
  CHECK(actors.seen.here < 100);
  CHECK(actors.seen.reach(1'000));
}

TEST_CASE("an actor that was woken and not run goes to the scheduler when the thread releases it") {
  two_actors actors;
  {
    local_scheduler short_lived{actors.system};
    actors.send(0, &short_lived);
  }
  CHECK(actors.seen.reach(1));
  CHECK(actors.seen.here == 0);
}
