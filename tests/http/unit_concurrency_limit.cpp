// How many writes may wait, depending on how long others have waited.
#include <catch2/catch.hpp>

#include <atomic>
#include <deque>
#include <thread>
#include <vector>

#include "gateway/base/metrics.hpp"
#include "http/access/concurrency_limit.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace std::chrono_literals;

namespace {

/// A store that serves writes one after the other. The waiting times are made up, and so much longer than the test that
/// its own time does not matter.
struct queue {
  metrics meters;
  concurrency_limit limit{10s, 128, 10'000, meters};
  std::deque<std::shared_ptr<const void>> waiting;

  /// A write that arrived this long ago. False if it is not admitted.
  bool enter(std::chrono::milliseconds ago = 0ms) {
    auto one = limit.try_enter(concurrency_limit::clock::now() - ago);
    if (one) waiting.push_back(std::move(*one).pass_on());
    return one.has_value();
  }
  void serve(std::size_t count = 1) {
    for (; count > 0 && !waiting.empty(); --count) waiting.pop_front();
  }
};

}  // namespace

TEST_CASE("writes are admitted up to the limit of waiting writes") {
  queue q;
  CHECK(q.limit.limit() == 512);
  for (int i = 0; i < 512; ++i) CHECK(q.enter());
  CHECK_FALSE(q.enter());
  CHECK(q.limit.waiting() == 512);
  CHECK(q.meters.writes_waiting.Value() == 512);
  CHECK(q.meters.writes_waiting_limit.Value() == 512);
  q.serve();
  CHECK(q.enter());
  q.waiting.clear();
  CHECK(q.limit.waiting() == 0);
}

TEST_CASE("a write that waited too long shrinks the limit to what was served within the longest allowed wait") {
  queue q;
  for (int i = 0; i < 449; ++i) REQUIRE(q.enter());
  REQUIRE(q.enter(15s));
  q.serve(449);
  q.serve();  // four hundred and fifty in fifteen seconds: three hundred in ten
  CHECK(q.limit.limit() > 256);
  CHECK(q.limit.limit() <= 300);
}

TEST_CASE("writes admitted before the limit shrank do not shrink it again") {
  queue q;
  for (int i = 0; i < 500; ++i) REQUIRE(q.enter(20s));
  q.serve(2);
  const auto once = q.limit.limit();
  CHECK(once < 512);
  q.serve(498);
  CHECK(q.limit.limit() == once);
}

TEST_CASE("two transactions' worth of writes may wait, however slow the store is") {
  queue q;
  for (int i = 0; i < 50; ++i) {
    q.enter(30s);
    q.serve();
  }
  CHECK(q.limit.limit() == 256);
  CHECK(concurrency_limit{200ms, 1, 10'000, q.meters}.limit() == 128);
  CHECK(concurrency_limit{200ms, 128, 10, q.meters}.limit() == 256);
}

TEST_CASE("while writes hardly wait and the limit is in use, it grows to its maximum") {
  queue q;
  for (int round = 0; round < 100; ++round) {
    while (q.enter()) {}
    q.serve(q.waiting.size() / 2);
  }
  CHECK(q.limit.limit() == 10'000);
}

TEST_CASE("a limit that is not used stays as it is") {
  queue q;
  for (int i = 0; i < 5'000; ++i) {
    q.enter();
    q.serve();
  }
  CHECK(q.limit.limit() == 512);
}

TEST_CASE("replays that hardly wait do not offset writes that wait too long") {
  queue q;
  for (int i = 0; i < 300; ++i) {
    while (q.enter()) {}
    q.serve(100);
    while (q.limit.waiting() >= q.limit.limit()) q.serve();
    const auto late = q.limit.try_enter(concurrency_limit::clock::now() - 20s).value().pass_on();
  }
  CHECK(q.limit.limit() < 512);
}

TEST_CASE("a write that is rejected after its admission leaves no trace, however long that took") {
  queue q;
  while (q.enter()) {}
  for (int i = 0; i < 1'000; ++i) {
    q.serve();
    const auto before = q.limit.limit();
    auto refused = q.limit.try_enter(concurrency_limit::clock::now() - (i % 2 == 0 ? 20s : 0s));
    REQUIRE(refused);
    refused.reset();
    CHECK(q.limit.limit() == before);
    while (q.enter()) {}
  }
  q.waiting.clear();
  CHECK(q.limit.waiting() == 0);
}

TEST_CASE("concurrent requests are not admitted beyond the limit") {
  queue q;
  std::atomic<int> let_in{0};
  std::vector<std::optional<concurrency_limit::admission>> held(2'000);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (auto i = t; i < held.size(); i += 4)
        if ((held[i] = q.limit.try_enter())) ++let_in;
    });
  for (auto& thread : threads) thread.join();
  CHECK(let_in == 512);
  CHECK(q.limit.waiting() == 512);
}

TEST_CASE("an admission may outlive the limit") {
  std::shared_ptr<const void> last;
  {
    metrics meters;
    concurrency_limit gone{200ms, 1, 10, meters};
    last = gone.try_enter().value().pass_on();
  }
  last.reset();
}
