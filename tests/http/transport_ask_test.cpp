// The bridge between coroutines and actors.
#include <catch2/catch.hpp>

#include <future>

#include <functional>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "http/server/asio_actor.hpp"
#include "transport_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
namespace asio = boost::asio;

namespace {

using number_actor = caf::typed_actor<caf::replies_to<int>::with<int>>;
using promise = caf::typed_response_promise<int>;

number_actor::behavior_type doubling() {
  return {[](int n) { return n * 2; }};
}

number_actor::behavior_type failing() {
  return {[](int) -> caf::result<int> { return gateway::make_error(actor_errc::overloaded); }};
}

/// Keeps every promise and never answers.
struct silent_state {
  std::vector<promise> held;
};
number_actor::behavior_type silent(number_actor::stateful_pointer<silent_state> self) {
  return {[self](int) -> promise {
    self->state.held.push_back(self->make_response_promise<int>());
    return self->state.held.back();
  }};
}

/// Answers in order, once `may_answer` is ready.
number_actor::behavior_type late(std::shared_future<void> may_answer) {
  return {[may_answer = std::move(may_answer)](int n) {
    may_answer.wait();
    return n;
  }};
}

/// Answers whether it runs on the thread of `caller`: 1 or 0.
number_actor::behavior_type telling_the_thread(std::thread::id caller) {
  return {[caller](int) { return std::this_thread::get_id() == caller ? 1 : 0; }};
}

/// An io_context that runs on the test's own thread.
struct bridge {
  caf::actor_system_config config;
  caf::actor_system system{config};
  asio::io_context context{1};
  asio_actor_handle self = spawn_asio_actor(system, context);

  ~bridge() { self->close(); }

  asio::awaitable<void> ask_once(number_actor target, int what, std::chrono::milliseconds within,
                                 std::vector<caf::expected<int>>& results) {
    auto asking = self->ask<int>(target, what, within);
    auto got = co_await std::move(asking);
    results.push_back(std::move(got));
  }

  void start(const number_actor& target, int what, std::chrono::milliseconds within,
             std::vector<caf::expected<int>>& results) {
    asio::co_spawn(context, ask_once(target, what, within, results), asio::detached);
  }

  /// Stores the function that takes the reply in `told`.
  asio::awaitable<void> ask_by_callback_once(std::function<void(int)>& reported, std::chrono::milliseconds within,
                                             std::vector<caf::expected<int>>& results) {
    auto begin = [&reported](auto done) { reported = std::move(done); };
    auto asking = self->ask_by_callback<int>(std::move(begin), within);
    auto got = co_await std::move(asking);
    results.push_back(std::move(got));
  }

  bool run_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + tests::hang_timeout;
    while (!done() && std::chrono::steady_clock::now() < end) {
      context.restart();
      context.run_for(2ms);
    }
    return done();
  }

  caf::expected<int> ask(const number_actor& target, int what, std::chrono::milliseconds within) {
    std::vector<caf::expected<int>> results;
    start(target, what, within, results);
    REQUIRE(run_until([&] { return results.size() == 1; }));
    return results.front();
  }
};

}  // namespace

TEST_CASE("an ask ends with the actor's reply") {
  bridge b;
  const auto got = b.ask(b.system.spawn(doubling), 21, tests::hang_timeout);
  REQUIRE(got);
  CHECK(*got == 42);
  CHECK(b.self->open_asks() == 0);
}

TEST_CASE("an ask ends with the actor's error") {
  bridge b;
  const auto got = b.ask(b.system.spawn(failing), 1, tests::hang_timeout);
  REQUIRE_FALSE(got);
  CHECK(is(got.error(), actor_errc::overloaded));
}

TEST_CASE("an ask ends at its deadline, and leaves nothing behind") {
  bridge b;
  const auto begun = std::chrono::steady_clock::now();
  const auto target = b.system.spawn(silent);
  const auto got = b.ask(target, 1, 100ms);
  const auto taken = std::chrono::steady_clock::now() - begun;
  REQUIRE_FALSE(got);
  CHECK(got.error() == caf::sec::request_timeout);
  CHECK(taken >= 100ms);
  CHECK(b.self->open_asks() == 0);
  caf::anon_send_exit(target, caf::exit_reason::kill);
}

TEST_CASE("a reply after the deadline is dropped") {
  bridge b;
  std::promise<void> may_answer;
  const auto target = b.system.spawn<caf::detached>(late, may_answer.get_future().share());
  const auto got = b.ask(target, 150, 30ms);
  may_answer.set_value();
  CHECK(got.error() == caf::sec::request_timeout);
  const auto next = b.ask(target, 1, tests::hang_timeout);  // the late reply of the first arrives before this one's
  REQUIRE(next);
  CHECK(*next == 1);
}

TEST_CASE("a non-actor may reply on any thread, late, or after the ask is gone") {
  std::function<void(int)> in_time, late, last;
  {
    bridge b;
    std::vector<caf::expected<int>> results;
    asio::co_spawn(b.context, b.ask_by_callback_once(in_time, tests::hang_timeout, results), asio::detached);
    REQUIRE(b.run_until([&] { return bool{in_time}; }));
    std::thread elsewhere{[&] { in_time(42); }};
    CHECK(b.run_until([&] { return results.size() == 1; }));
    elsewhere.join();
    REQUIRE(results.at(0));
    CHECK(*results[0] == 42);

    asio::co_spawn(b.context, b.ask_by_callback_once(late, 30ms, results), asio::detached);
    REQUIRE(b.run_until([&] { return results.size() == 2; }));
    CHECK(results[1].error() == caf::sec::request_timeout);
    late(1);

    asio::co_spawn(b.context, b.ask_by_callback_once(last, tests::hang_timeout, results), asio::detached);
    REQUIRE(b.run_until([&] { return bool{last}; }));
    b.self->abandon();
    REQUIRE(b.run_until([&] { return results.size() == 3; }));
    CHECK(is(results[2].error(), actor_errc::stopping));
    std::function<void(int)> never;
    asio::co_spawn(b.context, b.ask_by_callback_once(never, tests::hang_timeout, results), asio::detached);
    REQUIRE(b.run_until([&] { return results.size() == 4; }));
    CHECK_FALSE(never);
  }
  last(1);
}

TEST_CASE("an ask of an actor that is dead, dies, or never existed ends") {
  bridge b;
  const auto dead = b.system.spawn(doubling);
  caf::anon_send_exit(dead, caf::exit_reason::kill);
  REQUIRE(b.run_until([&] { return !b.ask(dead, 1, 1s); }));

  const auto dying = b.system.spawn(silent);
  std::vector<caf::expected<int>> results;
  b.start(dying, 1, 1s, results);
  b.run_until([&] { return b.self->open_asks() == 1 || !results.empty(); });
  caf::anon_send_exit(dying, caf::exit_reason::kill);
  CHECK(b.run_until([&] { return results.size() == 1; }));
  CHECK_FALSE(results.front());

  CHECK_FALSE(b.ask(number_actor{}, 1, 1s));
}

TEST_CASE("many asks at once each get their own reply") {
  bridge b;
  const auto target = b.system.spawn(doubling);
  std::vector<caf::expected<int>> results;
  for (int i = 0; i < 10'000; ++i) b.start(target, i, tests::hang_timeout, results);
  REQUIRE(b.run_until([&] { return results.size() == 10'000; }));
  std::int64_t sum = 0;
  for (const auto& one : results) sum += one ? *one : -1'000'000;
  CHECK(sum == 99'990'000);
}

TEST_CASE("asks that are open at the end get an error, and later replies are dropped") {
  std::vector<caf::expected<int>> results;
  bridge b;
  std::promise<void> may_answer;
  const auto target = b.system.spawn<caf::detached>(late, may_answer.get_future().share());
  b.start(target, 100, tests::hang_timeout, results);
  b.run_until([&] { return b.self->open_asks() == 1; });
  b.self->abandon();
  may_answer.set_value();
  REQUIRE(results.size() == 1);
  CHECK(is(results.front().error(), actor_errc::stopping));
  b.start(target, 1, tests::hang_timeout, results);
  REQUIRE(b.run_until([&] { return results.size() == 2; }));
  CHECK(is(results.back().error(), actor_errc::stopping));
}

TEST_CASE("a route's ask goes through the router, and a silent router is a timeout") {
  const auto answering = [] {
    return router_actor::behavior_type{[](entity_request&) { return entity_reply{payment_ptr{}}; },
                                       [](keep_atom, entity_key) {}, [](passivate_atom, entity_key, std::uint64_t) {},
                                       [](passivate_atom, entity_key) {}, [](wake_atom) {}};
  };
  caf::actor_system_config config;
  caf::actor_system system{config};
  {
    test_server server({}, system.spawn(answering));
    auto caller = server.connect();
    for (int i = 0; i < 100; ++i) CHECK(caller.ask(get("/ask"))->body == "answered");
  }
  test_server silent_one([](settings& s) { s.http.answer_timeout = 100ms; });
  CHECK(silent_one.connect().ask(get("/ask"))->status == 503);
}

TEST_CASE("a thread with few open asks runs the actors that it asks, and one with many leaves them to the scheduler") {
  bridge b;
  const auto target = b.system.spawn(telling_the_thread, std::this_thread::get_id());
  const auto unknown = b.system.spawn(silent);
  REQUIRE(b.ask(target, 0, tests::hang_timeout));  // starts the actor
  CHECK(*b.ask(target, 0, tests::hang_timeout) == 1);
  std::vector<caf::expected<int>> unanswered;
  for (int i = 0; i < 50; ++i) b.start(unknown, i, tests::hang_timeout, unanswered);
  CHECK(*b.ask(target, 0, tests::hang_timeout) == 0);
  b.self->abandon();
  CHECK(b.run_until([&] { return unanswered.size() == 50; }));
  caf::anon_send_exit(unknown, caf::exit_reason::kill);  // without this, the promises that it keeps would keep it alive
}
