// How fast old idempotency keys are deleted beside the writer's other work.
#include <catch2/catch.hpp>

#include <chrono>

#include "persistence/purge_pace.hpp"

using namespace gateway::persistence;
using namespace std::chrono_literals;

namespace {

constexpr purge_pace::instant noon{};

/// Runs `batches` batches of begins, of so many units each, one right after the other: somebody always waits. Returns
/// how many old keys were deleted. There are always more.
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

TEST_CASE("while writes always wait, twice as many keys are deleted as are taken, in steps of two batches at most") {
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

TEST_CASE("where an operator has made batches of one unit, steps are still worth a flush of the disk") {
  purge_pace pace{1};
  pace.begin(0);
  const auto deleted = deleted_under_load(pace, 1'000, 1, purge_pace::small_step);
  CHECK(deleted + purge_pace::small_step > 2'000);
}

TEST_CASE("a writer that was kept from purging for some batches makes up for them") {
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

TEST_CASE("keys that were taken before a purge began do not hurry it") {
  purge_pace pace{128};
  pace.begin(1'000'000);
  CHECK(pace.next_step(1'000'000, true, noon) == 0);
  CHECK(pace.next_step(1'000'031, true, noon) == 0);
  CHECK(pace.next_step(1'000'032, true, noon) == 64);
}

TEST_CASE("while no write waits and none comes, small steps take a tenth of the time") {
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

TEST_CASE("a step that keys were taken for waits for no rest") {
  purge_pace pace{128};
  pace.begin(0);
  pace.stepped(64, 32, noon, noon + 100ms);
  CHECK(pace.due(64, noon + 100ms) == noon + 100ms);
  CHECK(pace.next_step(64, false, noon + 100ms) == 64);
}

TEST_CASE("a step that found fewer keys than it might have deleted leaves the rest for the next one") {
  purge_pace pace{128};
  pace.begin(0);
  REQUIRE(pace.next_step(100, true, noon) == 200);
  pace.stepped(120, 100, noon, noon);
  CHECK(pace.next_step(100, true, noon) == 80);
}
