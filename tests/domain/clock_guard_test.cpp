// When the wall clock is trusted: machines whose clocks are right, wrong, corrected, slewed and suspended.
#include <catch2/catch.hpp>

#include <string>

#include "gateway/domain/clock_guard.hpp"

using namespace gateway;
using namespace std::chrono_literals;

namespace {

using change = clock_guard::change;
constexpr auto month = 30 * 24h;
const auto noon = from_unix_ms(1'795'167'000'000);

/// A machine with its two clocks, which a gateway on it reads every second.
class machine {
 public:
  /// The gateway starts now. `last_seen`: how long ago the time was last stored in the database, by the true time.
  explicit machine(std::optional<duration_ms> last_seen, duration_ms ahead = 0ms)
      : ahead_{ahead}, guard_{last_seen ? std::optional{noon - *last_seen} : std::nullopt} {
    look();
  }

  machine& run(duration_ms time, duration_ms between_looks = 1s) {
    for (duration_ms left = time; left > 0ms; left -= between_looks) {
      passed_ += std::min(left, between_looks);
      look();
    }
    return *this;
  }
  machine& set_ahead(duration_ms ahead) {
    ahead_ = ahead;
    look();
    return *this;
  }
  /// The wall clock runs faster than the monotonic one by `parts` in a million.
  machine& slew(duration_ms time, double parts) {
    for (auto left = time; left > 0ms; left -= 1s) {
      slewed_ms_ += parts / 1'000;
      passed_ += 1s;
      look();
    }
    return *this;
  }
  /// The wall clock advances while the monotonic one stands still.
  machine& suspend(duration_ms time) {
    suspended_ += time;
    look();
    return *this;
  }

  bool trusted() const { return last_.trusted; }
  /// What has happened since the last call: j for a jump, u for unproven, t for trusted again.
  std::string logged() { return std::exchange(logged_, {}); }
  duration_ms jumped_by() const { return jumped_by_; }

 private:
  void look() {
    const auto wall = noon + passed_ + suspended_ + ahead_ + duration_ms{static_cast<std::int64_t>(slewed_ms_)};
    last_ = guard_.look(wall, clock_guard::monotonic_time{passed_ + 5min});
    constexpr const char* letters[] = {"", "j", "u", "t"};
    logged_ += letters[static_cast<int>(last_.what)];
    if (last_.what == change::jumped) jumped_by_ = last_.by;
  }

  duration_ms passed_{0}, suspended_{0}, ahead_{0};
  double slewed_ms_ = 0;
  clock_guard guard_;
  clock_guard::verdict last_{};
  std::string logged_;
  duration_ms jumped_by_{0};
};

}  // namespace

TEST_CASE("a clock that runs with the monotonic one is trusted from the start") {
  machine m{30s};
  CHECK(m.trusted());
  CHECK(m.run(3h).trusted());
  CHECK(m.logged().empty());
}

TEST_CASE("a machine that boots a month ahead is untrusted, and trusted as soon as it is corrected") {
  machine m{20min, month};
  CHECK_FALSE(m.trusted());
  CHECK(m.jumped_by() == month + 20min);
  CHECK_FALSE(m.run(4min).trusted());
  CHECK(m.set_ahead(0s).trusted());
  CHECK(m.run(1h).trusted());
  CHECK(m.logged() == "jt");
}

TEST_CASE("a month ahead without a correction is trusted after ten steady minutes") {
  machine m{30s, month};
  CHECK_FALSE(m.run(9min + 59s).trusted());
  CHECK(m.run(1s).trusted());
  CHECK(m.logged() == "jt");
  // The later correction is another jump, and the month ahead does not block the clock for a month.
  CHECK_FALSE(m.set_ahead(0s).trusted());
  CHECK(m.jumped_by() == -month);
  CHECK(m.run(10min).trusted());
  CHECK(m.logged() == "jt");
}

TEST_CASE("a gateway that was down for a month waits for ten minutes") {
  machine m{month};
  CHECK_FALSE(m.trusted());
  CHECK_FALSE(m.run(9min).trusted());
  CHECK(m.run(1min).trusted());
}

TEST_CASE("a restart within an hour is trusted at once, and one after more than an hour is not") {
  CHECK(machine{1h}.trusted());
  CHECK_FALSE(machine{1h + 1s}.trusted());
}

TEST_CASE("a start before the last time seen is not trusted, unless by less than a minute") {
  CHECK(machine(30s, -90s).trusted());
  CHECK_FALSE(machine(30s, -91s).trusted());
  machine dead_battery{30s, -50 * 365 * 24h};
  CHECK(dead_battery.logged() == "j");
  CHECK(dead_battery.run(2min).set_ahead(0s).trusted());
}

TEST_CASE("on a database of an older gateway version the clock is trusted after ten minutes") {
  machine m{std::nullopt};
  CHECK_FALSE(m.run(9min + 59s).trusted());
  CHECK(m.run(1s).trusted());
  CHECK(m.logged() == "ut");
}

TEST_CASE("a clock that jumps while the gateway runs is untrusted until it is back or has run for ten minutes") {
  for (const duration_ms jump : {duration_ms{month}, duration_ms{2h}, duration_ms{61s}, -duration_ms{month}}) {
    CAPTURE(jump.count());
    machine m{30s};
    m.run(1h);
    CHECK_FALSE(m.set_ahead(jump).trusted());
    CHECK(m.jumped_by() == jump);
    CHECK_FALSE(m.run(5min).trusted());
    CHECK(m.set_ahead(0s).trusted());
    CHECK_FALSE(m.set_ahead(jump).trusted());
    CHECK(m.run(10min).trusted());
    CHECK(m.logged() == "jtjt");
  }
}

TEST_CASE("each further jump restarts the ten minutes") {
  machine m{30s};
  for (int i = 1; i <= 4; ++i) CHECK_FALSE(m.set_ahead(i * 24h).run(9min).trusted());
  CHECK(m.logged() == "jjjj");
  CHECK(m.run(1min).trusted());
}

TEST_CASE("a leap of 30 s is no jump") {
  machine m{30s};
  CHECK(m.run(1h).set_ahead(30s).trusted());
  CHECK(m.run(24h, 10s).set_ahead(0s).trusted());
  CHECK(m.logged().empty());
}

TEST_CASE("a slewed clock is trusted, and may come to differ by hours over years") {
  machine m{30s};
  CHECK(m.slew(72h, 500).trusted());  // NTP's fastest
  CHECK(m.slew(72h, -900).trusted());
  CHECK(m.logged().empty());
}

TEST_CASE("drift that was not measured for days is accepted as well") {
  machine m{30s};
  m.run(1s);
  CHECK(m.run(72h, 1h).set_ahead(90s).trusted() == false);  // a step of 90 s is a jump, even after days without one
  machine slow{30s};
  CHECK(slow.run(24h, 24h).set_ahead(50s).run(24h, 24h).set_ahead(100s).trusted());
}

TEST_CASE("a jump in many small steps is detected") {
  machine m{30s};
  unsigned steps = 0;
  for (duration_ms ahead = 30s; m.trusted() && steps < 1'000; ahead += 30s, ++steps) m.set_ahead(ahead).run(10s);
  CHECK(steps <= 3);
}

TEST_CASE("a machine that was suspended counts as one whose clock has jumped") {
  machine m{30s};
  CHECK(m.run(1h).suspend(30s).trusted());
  CHECK_FALSE(m.suspend(8h).trusted());
  CHECK(m.run(10min).trusted());
  CHECK(m.logged() == "jt");
}

TEST_CASE("rare readings suffice: what happens between two of them is detected at the second") {
  machine m{30s};
  CHECK(m.run(24h, 1h).trusted());
  m.set_ahead(month);
  CHECK_FALSE(m.trusted());
  CHECK(m.run(1h, 1h).trusted());
}

TEST_CASE("a reading with a monotonic time from just before the last one changes nothing") {
  clock_guard guard{noon};
  const clock_guard::monotonic_time start{1h};
  CHECK(guard.look(noon, start).trusted);
  CHECK(guard.look(noon + 5s, start + 5s).trusted);
  CHECK(guard.look(noon + 5s, start + 4s).trusted);
}
