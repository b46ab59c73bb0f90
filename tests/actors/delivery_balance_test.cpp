#include <catch2/catch.hpp>

#include <cmath>
#include <deque>
#include <random>

#include "webhooks/delivery_balance.hpp"
#include "webhooks/pace.hpp"

using namespace gateway;
using namespace gateway::actors;
using namespace std::chrono_literals;

namespace {

/// Writes arrive at a rate, each causes deliveries, and deliveries go out at a limited rate. Waiting ones are in an
/// ordered queue. A refused client retries at once, so that the limit always refuses some.
struct line_of_deliveries {
  using clock = delivery_balance::clock;
  struct arrival {
    clock::time_point at;
    double count;
  };

  delivery_balance balance;
  clock::time_point now{1h};
  double capacity = 1'000;
  double deliveries_of_a_write = 1;
  std::deque<arrival> arrivals;  ///< not sent yet, the oldest first
  double admitted = 0, refused = 0;
  double worst_lag_seconds = 0;
  double admitted_in_run = 0;
  long noise_ms = 0;  ///< of the reported lag
  double owed_due = 0, owed_sent = 0;  ///< fractions of deliveries that are not reported yet

  double waiting() const {
    double sum = 0;
    for (const auto& each : arrivals) sum += each.count;
    return sum;
  }
  double lag_seconds() const {
    return arrivals.empty() ? 0 : std::chrono::duration<double>(now - arrivals.front().at).count();
  }

  void run(std::chrono::milliseconds span, double writes_per_second) {
    worst_lag_seconds = admitted_in_run = 0;
    const auto seconds = std::chrono::duration<double>(delivery_balance::interval).count();
    for (auto i = span / delivery_balance::interval; i > 0; --i) {
      const auto asked = writes_per_second * seconds;
      const auto allowed = balance.limit() ? std::min(asked, *balance.limit() * seconds) : asked;
      refused += asked - allowed;
      admitted += allowed;
      admitted_in_run += allowed;
      const auto arrived = allowed * deliveries_of_a_write;
      if (arrived > 0) arrivals.push_back({now, arrived});
      now += delivery_balance::interval;
      for (owed_due += arrived; owed_due >= 1; owed_due -= 1) balance.on_due();
      for (owed_sent += send(capacity * seconds); owed_sent >= 1; owed_sent -= 1) balance.on_sent();
      worst_lag_seconds = std::max(worst_lag_seconds, lag_seconds());
      const auto wrong_by = noise_ms == 0 ? 0 : static_cast<long>(chance() % (2 * noise_ms + 1)) - noise_ms;
      balance.sample(now, duration_ms{std::max(0L, std::lround(1'000 * lag_seconds()) + wrong_by)},
                     static_cast<std::uint64_t>(waiting()), static_cast<std::uint64_t>(admitted),
                     static_cast<std::uint64_t>(std::ceil(refused)));
    }
  }

 private:
  std::mt19937 chance{1};

  double send(double most) {
    double sent = 0;
    while (!arrivals.empty() && sent < most) {
      const auto some = std::min(arrivals.front().count, most - sent);
      sent += some;
      arrivals.front().count -= some;
      if (arrivals.front().count <= 1e-9) arrivals.pop_front();
    }
    return sent;
  }
};

std::size_t begun_in_a_second(pace& of, const delivery_load& load) {
  std::size_t begun = 0;
  for (auto now = pace::clock::time_point{1h}; now < pace::clock::time_point{1h + 1s}; now += 1ms) {
    of.refill(now, load);
    for (; of.permits() && begun < 100'000; ++begun) of.on_sent();
  }
  return begun;
}

}  // namespace

TEST_CASE("no write is refused while webhooks keep up, nor for a burst that goes out within a second") {
  line_of_deliveries line;
  line.run(60s, 1'000);
  CHECK_FALSE(line.balance.limit());
  line.run(1s, 1'900);
  line.run(10s, 500);
  CHECK_FALSE(line.balance.limit());
  CHECK(line.refused == 0);
}

TEST_CASE("at any rate of writes and deliveries, no webhook waits long, and the machine is used") {
  const auto writes = GENERATE(1'100.0, 2'000.0, 20'000.0);
  const auto deliveries_of_a_write = GENERATE(0.3, 1.0, 4.0);
  if (writes * deliveries_of_a_write < 1'050) return;
  line_of_deliveries line;
  line.deliveries_of_a_write = deliveries_of_a_write;
  CAPTURE(writes, deliveries_of_a_write);
  line.run(120s, writes);
  CHECK(line.worst_lag_seconds < 4 + 0.4 * writes * deliveries_of_a_write / line.capacity);  // until detected
  line.run(120s, writes);
  CHECK(line.worst_lag_seconds < 2.5);
  CHECK(line.admitted_in_run * deliveries_of_a_write > 0.75 * 120 * line.capacity);
}

TEST_CASE("a backlog that shrinks despite the writes causes no refusals, however old it is") {
  line_of_deliveries line;
  line.arrivals.push_back({line.now - 1min, 100'000});
  line.run(60s, 800);
  CHECK(line.refused == 0);
}

TEST_CASE("a backlog that does not shrink causes refusals until it does") {
  line_of_deliveries line;
  line.arrivals.push_back({line.now - 1min, 20'000});
  line.run(300s, 1'500);
  CHECK(line.refused > 0);
  CHECK(line.waiting() < 2'000);
}

TEST_CASE("once no write is refused any more the limit is lifted") {
  line_of_deliveries line;
  line.run(30s, 2'000);
  REQUIRE(line.balance.limit());
  line.run(60s, 300);
  CHECK_FALSE(line.balance.limit());
}

TEST_CASE("where nothing goes out a few writes a second are admitted, to detect when it improves") {
  line_of_deliveries line;
  line.capacity = 0.001;
  line.run(60s, 1'000);
  REQUIRE(line.balance.limit());
  CHECK(*line.balance.limit() == delivery_balance::least);
}

TEST_CASE("a store that was stalled for seconds causes no refusals once it continues") {
  const auto writes = GENERATE(20.0, 200.0, 900.0);
  const auto span = GENERATE(2s, 5s, 20s);
  CAPTURE(writes, span.count());
  line_of_deliveries line;
  line.run(10s, writes);
  // The age of the last commit's deliveries; no more arrive, since nothing is committed.
  line.capacity = 0;
  line.run(200ms, writes);
  line.run(span, 0);
  line.capacity = 1'000;
  line.run(300ms, 2 * writes);  // the clients that waited, all at once
  line.run(10s, writes);
  CHECK(line.refused == 0);
}

TEST_CASE("a cold machine under full load admits as much as it can send, seconds later") {
  const auto cold = GENERATE(100.0, 1'000.0, 3'000.0);
  CAPTURE(cold);
  line_of_deliveries line;
  line.balance.sample(line.now, 0ms, 0, 0, 0);
  line.now += 10min;
  line.capacity = cold;
  line.run(2s, 8'000);
  line.capacity = 9'000;
  line.run(6s, 8'000);
  line.run(10s, 8'000);
  CHECK(line.admitted_in_run > 0.9 * 10 * 8'000);
  CHECK(line.worst_lag_seconds < 2);
}

TEST_CASE("after a cut the limit rises slowly at first, even if nothing has waited for long before it") {
  line_of_deliveries line;
  line.run(60s, 500);
  while (!line.balance.limit()) line.run(delivery_balance::interval, 5'000);
  CHECK(line.lag_seconds() < 0.5);
  const auto cut = *line.balance.limit();
  line.arrivals.clear();  // a store that was slow for a moment has sent them all
  line.run(500ms, 5'000);
  CHECK(*line.balance.limit() > cut);
  CHECK(*line.balance.limit() < 1.15 * cut);
}

TEST_CASE("noise in the measured lag does not hide an overload") {
  line_of_deliveries line;
  line.noise_ms = 40;
  line.run(60s, 1'200);
  CHECK(line.refused > 0);
  CHECK(line.worst_lag_seconds < 4);
}

TEST_CASE("a limit that was set far too low is lifted in seconds, however often refused clients retry") {
  line_of_deliveries line;
  line.capacity = 0.001;
  line.run(30s, 1'000);
  REQUIRE(line.balance.limit());
  line.arrivals.clear();
  line.capacity = 5'000;
  line.run(8s, 4'000);
  line.run(5s, 4'000);
  CHECK(line.admitted_in_run > 0.9 * 5 * 4'000);
}

TEST_CASE("a backlog goes out at its rate, and at three tenths of it while clients wait") {
  pace alone{6'500}, beside{6'500};
  CHECK(begun_in_a_second(alone, {}) == Approx(6'500).epsilon(0.02));
  CHECK(begun_in_a_second(beside, {.clients_wait = true}) == Approx(1'950).epsilon(0.02));
}

TEST_CASE("fresh deliveries go out faster than they arrive, and faster still once they wait") {
  pace keeping_up{6'500}, behind{6'500}, beyond{1'000};
  CHECK(begun_in_a_second(keeping_up, {true, 4'000, 0ms}) == Approx(5'000).epsilon(0.02));
  CHECK(begun_in_a_second(behind, {true, 4'000, 1s}) == Approx(9'000).epsilon(0.02));
  CHECK(begun_in_a_second(beyond, {false, 4'000, 0ms}) == Approx(5'000).epsilon(0.02));
}

TEST_CASE("a backlog of hours takes no more from payments than one of a second") {
  pace of{6'500};
  CHECK(begun_in_a_second(of, {true, 200, 3h}) == Approx(1'950).epsilon(0.02));
}

TEST_CASE("without a rate a backlog is not limited") {
  pace of{0};
  CHECK(begun_in_a_second(of, {true, 10, 0ms}) == 100'000);
}
