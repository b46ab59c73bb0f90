// How fast old idempotency keys are deleted during the writer's other work.
#include <catch2/catch.hpp>

#include <chrono>

#include "persistence/units/purge_pace.hpp"

using namespace gateway::persistence;
using namespace std::chrono_literals;

namespace {

constexpr purge_pace::instant noon{};

/// Runs `batches` batches of begins, of that many units each, without a pause, so that units always wait. Returns how
/// many old keys were deleted; there are always more.
std::uint64_t deleted_under_load(purge_pace& pace, unsigned batches, unsigned units, std::size_t most_at_once) {
  std::uint64_t taken = 0, deleted = 0;
  for (unsigned i = 0; i < batches; ++i) {
    taken += units;
    const auto step = pace.next_step(taken, true, noon);
    CHECK(step <= most_at_once);
    if (step == 0) continue;
    CHECK(step >= purge_pace::small_step);
    pace.stepped(step, taken, noon, noon + 2ms);
    deleted += step;
  }
  return deleted;
}

}  // namespace

TEST_CASE("while writes always wait, twice as many keys are deleted as are added, in steps of at most two batches") {
  const auto units = GENERATE(1u, 8u, 40u, 128u);
  CAPTURE(units);
  purge_pace pace{128};
  pace.begin(0);
  constexpr unsigned batches = 1'000;
  const std::uint64_t taken = std::uint64_t{batches} * units;
  const auto deleted = deleted_under_load(pace, batches, units, 256);
  CHECK(deleted <= 2 * taken);
  CHECK(deleted + purge_pace::small_step > 2 * taken);
}

TEST_CASE("if an operator has set batches of one unit, a step is still large enough to be worth a disk flush") {
  purge_pace pace{1};
  pace.begin(0);
  const auto deleted = deleted_under_load(pace, 1'000, 1, purge_pace::small_step);
  CHECK(deleted + purge_pace::small_step > 2'000);
}

TEST_CASE("a writer that could not purge for some batches catches up") {
  purge_pace pace{128};
  pace.begin(0);
  std::uint64_t taken = 4 * 128, deleted = 0;
  for (int i = 0; i < 8; ++i) {
    taken += 64;
    const auto step = pace.next_step(taken, true, noon);
    pace.stepped(step, taken, noon, noon);
    deleted += step;
  }
  CHECK(deleted == 2 * taken);
}

TEST_CASE("keys added before a purge began do not speed it up") {
  purge_pace pace{128};
  pace.begin(1'000'000);
  CHECK(pace.next_step(1'000'000, true, noon) == 0);
  CHECK(pace.next_step(1'000'031, true, noon) == 0);
  CHECK(pace.next_step(1'000'032, true, noon) == 64);
}

TEST_CASE("while no write waits and none arrives, small steps take a tenth of the time") {
  purge_pace pace{128};
  pace.begin(500);
  auto now = noon + 1h;
  CHECK(pace.next_step(500, false, now) == purge_pace::small_step);
  pace.stepped(purge_pace::small_step, 500, now, now + 2ms);
  CHECK(pace.due(500, now + 2ms) == now + 20ms);
  CHECK(pace.next_step(500, false, now + 19ms) == 0);
  CHECK(pace.next_step(500, true, now + 20ms) == 0);
  CHECK(pace.next_step(500, false, now + 20ms) == purge_pace::small_step);
}

TEST_CASE("a step that added keys call for does not wait for the pause") {
  purge_pace pace{128};
  pace.begin(0);
  pace.stepped(64, 32, noon, noon + 100ms);
  CHECK(pace.due(64, noon + 100ms) == noon + 100ms);
  CHECK(pace.next_step(64, false, noon + 100ms) == 64);
}

TEST_CASE("a step that deleted fewer keys than it may leaves the rest to the next one") {
  purge_pace pace{128};
  pace.begin(0);
  REQUIRE(pace.next_step(100, true, noon) == 200);
  pace.stepped(120, 100, noon, noon);
  CHECK(pace.next_step(100, true, noon) == 80);
}
