// The proxy that breaks links in the tests of nodes does what its methods say.
#include <catch2/catch.hpp>

#include <future>

#include "link_proxy.hpp"
#include "text.hpp"
#include "webhook_receiver.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

using steady = std::chrono::steady_clock;

struct proxied_receiver {
  webhook_receiver receiver;
  link_proxy proxy{endpoint::of_url(receiver.url())};

  int post(const std::string& body = "{}") const {
    return plain_http(proxy.address(), {"POST", "/hooks", {}, body}).status;
  }
};

}  // namespace

TEST_CASE("link proxy: it passes bytes on, and delays each direction by the given time") {
  proxied_receiver t;
  const std::string large(900'000, 'x');
  REQUIRE(t.post(large) == 200);
  CHECK(t.receiver.posts().front().body == large);
  CHECK(eventually([&] { return t.proxy.connections() == 0; }));

  t.proxy.delay(300ms, 0ms);
  auto began = steady::now();
  CHECK(t.post() == 200);
  CHECK(steady::now() - began >= 300ms);
  t.proxy.delay(100ms, 300ms);
  began = steady::now();
  CHECK(t.post() == 200);
  CHECK(steady::now() - began >= 400ms);
  t.proxy.pass();
  // On any machine at least one of many is fast.
  CHECK(eventually([&] {
    began = steady::now();
    return t.post() == 200 && steady::now() - began < 300ms;
  }));
}

TEST_CASE("link proxy: a cut link breaks its connections, refuses new ones, and accepts them once it passes again") {
  proxied_receiver t;
  t.receiver.answers("/hooks", webhook_answer{.how = webhook_answer::ending::hang});
  auto waits = std::async(std::launch::async, [&] { return t.post(); });
  REQUIRE(t.receiver.comes_to(1));
  t.proxy.cut();
  CHECK_THROWS_AS(waits.get(), connection_failed);
  CHECK_THROWS_AS(t.post(), connection_failed);
  CHECK(t.receiver.count() == 1);
  t.receiver.answers("/hooks", webhook_answer{});
  t.proxy.pass();
  CHECK(t.post() == 200);
}

TEST_CASE("link proxy: a black hole accepts connections and passes nothing, and loses no byte when it passes again") {
  proxied_receiver t;
  t.receiver.answers("/hooks", webhook_answer{.delay = 300ms});
  auto old = std::async(std::launch::async, [&] { return t.post(); });
  REQUIRE(t.receiver.comes_to(1));
  t.proxy.black_hole();
  auto fresh = std::async(std::launch::async, [&] { return t.post(); });
  CHECK(eventually([&] { return t.proxy.connections() == 2; }));
  CHECK(old.wait_for(700ms) == std::future_status::timeout);
  CHECK(fresh.wait_for(0ms) == std::future_status::timeout);
  CHECK(t.receiver.count() == 1);
  CHECK(t.proxy.connections() == 2);
  t.proxy.pass();
  CHECK(old.get() == 200);
  CHECK(fresh.get() == 200);
  CHECK(t.receiver.count() == 2);
}
