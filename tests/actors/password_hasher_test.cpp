// Passwords are hashed one after the other, and a limited number may wait.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include <caf/all.hpp>

#include "directory/password_hasher.hpp"
#include "gateway/base/crypto.hpp"
#include "virtual_time.hpp"

using namespace gateway;

namespace {

struct plain_config : caf::actor_system_config {
  plain_config() { add_message_types<caf::id_block::gateway>(); }
};

}  // namespace

TEST_CASE("a password is hashed on a thread of the hasher's own, and verified against the result") {
  plain_config cfg;
  caf::actor_system system{cfg};
  const auto hasher = actors::spawn_password_hasher(system);
  caf::scoped_actor self{system};
  std::string stored;
  self->request(hasher, caf::infinite, hash_password{"correct horse"})
      .receive([&](std::string& hash) { stored = std::move(hash); }, [](const caf::error&) { FAIL("not hashed"); });
  CHECK(stored.find("correct") == std::string::npos);
  CHECK(crypto::verify_password("correct horse", stored));
  const auto verified = [&](std::string password) {
    bool fits = false;
    self->request(hasher, caf::infinite, verify_password{std::move(password), stored})
        .receive([&](bool answers) { fits = answers; }, [](const caf::error&) { FAIL("not verified"); });
    return fits;
  };
  CHECK(verified("correct horse"));
  CHECK_FALSE(verified("battery staple"));
  self->send_exit(hasher, caf::exit_reason::user_shutdown);
}

TEST_CASE(
    "however many unknown names wait, every second password is a known person's, and each person has few waiting") {
  gateway::testing::deterministic_config cfg;
  caf::actor_system system{cfg};
  auto& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  const auto hasher = actors::spawn_password_hasher(system, 8, actors::runs_on::scheduler);
  std::vector<std::string> answers;
  auto client = system.spawn([&](caf::event_based_actor* self) {
    const auto ask = [&](std::string who, std::string for_whom) {
      self->request(hasher, caf::infinite, verify_password{"correct horse", "no hash", std::move(for_whom)})
          .then([&answers, who](bool) { answers.push_back(who); },
                [&answers, who](const caf::error&) { answers.push_back(who + " turned away"); });
    };
    for (int i = 0; i < 9; ++i) ask("s" + std::to_string(i), "");
    for (const char* who : {"a0", "a1", "a2"}) ask(who, "ada");
    ask("b0", "bob");
  });
  scheduler.run();
  CHECK(answers == std::vector<std::string>{"s8 turned away", "a2 turned away", "a0", "s0", "b0", "s1", "a1", "s2",
                                            "s3", "s4", "s5", "s6", "s7"});
  caf::scoped_actor self{system};
  self->send_exit(hasher, caf::exit_reason::user_shutdown);
  scheduler.run();
}

TEST_CASE("a caller with many names does not crowd out one who waits for one password") {
  gateway::testing::deterministic_config cfg;
  caf::actor_system system{cfg};
  auto& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  const auto hasher = actors::spawn_password_hasher(system, 8, actors::runs_on::scheduler);
  std::vector<std::string> answers;
  const bool known = GENERATE(true, false);
  auto client = system.spawn([&](caf::event_based_actor* self) {
    const auto ask = [&](std::string name, int number) {
      const auto who = name + std::to_string(number);
      verify_password wanted{"correct horse", "no hash"};
      (known ? wanted.for_whom : wanted.from) = std::move(name);
      self->request(hasher, caf::infinite, std::move(wanted))
          .then([&answers, who](bool) { answers.push_back(who); },
                [&answers, who](const caf::error&) { answers.push_back(who + " turned away"); });
    };
    // Four names fill the queue with two each.
    for (int i = 0; i < 2; ++i)
      for (const char* name : {"a", "b", "c", "d"}) ask(name, i);
    for (const char* name : {"e", "f", "g", "h"}) ask(name, 0);
    ask("a", 2);
    ask("i", 0);
  });
  scheduler.run();
  CHECK(answers == std::vector<std::string>{"a1 turned away", "b1 turned away", "c1 turned away", "d1 turned away",
                                            "a2 turned away", "i0 turned away", "a0", "b0", "c0", "d0", "e0", "f0",
                                            "g0", "h0"});
  caf::scoped_actor self{system};
  self->send_exit(hasher, caf::exit_reason::user_shutdown);
  scheduler.run();
}

TEST_CASE("beyond the bound passwords are refused, and those before it are hashed in their order") {
  gateway::testing::deterministic_config cfg;
  caf::actor_system system{cfg};
  auto& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  const auto hasher = actors::spawn_password_hasher(system, 2, actors::runs_on::scheduler);
  std::vector<std::string> answers;
  auto client = system.spawn([&](caf::event_based_actor* self) {
    // A malformed stored hash is verified without delay.
    for (const char* who : {"first", "second", "third"})
      self->request(hasher, caf::infinite, verify_password{"correct horse", "no hash"})
          .then(
              [&answers, who](bool fits) { answers.push_back(std::string{who} + (fits ? " fits" : " does not fit")); },
              [&answers, who](const caf::error& failure) {
                answers.push_back(std::string{who} +
                                  (is(failure, actor_errc::overloaded) ? " was turned away" : " failed"));
              });
  });
  scheduler.run();
  CHECK(answers == std::vector<std::string>{"third was turned away", "first does not fit", "second does not fit"});
  caf::scoped_actor self{system};
  self->send_exit(hasher, caf::exit_reason::user_shutdown);
  scheduler.run();
}
