// Which units a writer commits next, and when maintenance may run between them.
#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "persistence/units/writer_queues.hpp"

using namespace gateway;
using namespace gateway::persistence;

namespace {

writer_limits limits_of(std::size_t batch_units) {
  writer_limits limits;
  limits.batch_units = batch_units;
  return limits;
}

/// A writer without a database: each unit's subject is its number.
struct idle_writer {
  explicit idle_writer(std::size_t batch_units) : queues(limits_of(batch_units)) {}

  void add(unit_kind kind, int number) {
    unit_of_work unit;
    unit.kind = kind;
    unit.subject.id = std::to_string(number);
    queues.add({}, std::move(unit), writer_queues::queue_of(kind));
  }
  void redeliver(std::int64_t id) { queues.add({{}, redeliver_rows{.id = id}}); }
  /// The numbers of the next batch's units.
  std::string next(bool records_are_due = true) {
    queues.take_batch(batch, records_are_due);
    std::string all;
    for (const auto& unit : batch.units) all += (all.empty() ? "" : " ") + unit.subject.id;
    return all;
  }

  writer_queues queues;
  unit_batch batch;
};

}  // namespace

TEST_CASE("batches of finishes and batches of begins alternate, and maintenance follows those of begins") {
  idle_writer w{2};
  for (int i = 1; i <= 4; ++i) w.add(unit_kind::begin, i);
  for (int i = 5; i <= 8; ++i) w.add(unit_kind::finish, i);
  const std::pair<const char*, bool> expected[] = {{"5 6", false}, {"1 2", true}, {"7 8", false}, {"3 4", true}};
  for (const auto& [units, maintenance] : expected) {
    CHECK(w.next() == units);
    CHECK(w.queues.maintenance_may_follow(w.batch) == maintenance);
  }
  CHECK(w.next().empty());
  CHECK(w.queues.maintenance_may_follow(w.batch));
}

TEST_CASE("maintenance runs while only records wait") {
  idle_writer w{2};
  for (int i = 1; i <= 6; ++i) w.add(unit_kind::record, i);
  CHECK(w.next() == "1 2");
  CHECK(w.queues.maintenance_may_follow(w.batch));
  CHECK(w.next(false).empty());
  CHECK(w.queues.maintenance_may_follow(w.batch));
  w.add(unit_kind::finish, 7);
  CHECK_FALSE(w.queues.maintenance_may_follow(w.batch));
}

TEST_CASE("a unit in the next batch of its kind waits for one step of maintenance at most") {
  const auto seed = GENERATE(range(1u, 50u));
  CAPTURE(seed);
  std::minstd_rand draw{seed};
  idle_writer w{std::uniform_int_distribution<std::size_t>{2, 5}(draw)};
  struct waiting_unit {
    unit_kind kind;
    int steps = 0;           // for which it has waited
    int batches_missed = 0;  // of its kind, which had no room for it
  };
  std::map<std::string, waiting_unit> waiting;
  int numbers = 0;
  const auto some_arrive = [&] {
    constexpr unit_kind kinds[] = {unit_kind::begin, unit_kind::finish, unit_kind::record};
    for (auto count = std::uniform_int_distribution{0, 3}(draw); count > 0; --count) {
      const auto kind = kinds[std::uniform_int_distribution{0, 2}(draw)];
      w.add(kind, ++numbers);
      if (kind != unit_kind::record) waiting[std::to_string(numbers)] = {kind};
    }
  };
  for (int round = 0; round < 300; ++round) {
    some_arrive();
    w.next();
    std::set<unit_kind> kinds;
    for (const auto& unit : w.batch.units) {
      kinds.insert(unit.kind);
      if (const auto at = waiting.extract(unit.subject.id)) CHECK(at.mapped().steps <= at.mapped().batches_missed + 1);
    }
    for (auto& [id, unit] : waiting) unit.batches_missed += kinds.contains(unit.kind) ? 1 : 0;
    some_arrive();  // while the batch commits
    if (!w.queues.maintenance_may_follow(w.batch)) continue;
    some_arrive();  // during the step
    w.queues.maintained();
    for (auto& [id, unit] : waiting) unit.steps += 1;
  }
}

TEST_CASE("a redelivery keeps its place among the records") {
  idle_writer w{2};
  for (int i = 1; i <= 3; ++i) w.add(unit_kind::record, i);
  w.redeliver(77);
  for (int i = 4; i <= 5; ++i) w.add(unit_kind::record, i);
  CHECK(w.next() == "1 2");
  CHECK_FALSE(w.queues.take_redelivery());
  CHECK(w.next() == "3");
  CHECK(w.queues.redelivery_is_next());
  CHECK(w.next().empty());
  CHECK(w.queues.take_redelivery()->what.id == 77);
  CHECK_FALSE(w.queues.redelivery_is_next());
  CHECK(w.next() == "4 5");
  CHECK(w.queues.empty());
}

TEST_CASE("records that wait for a redelivery do not delay begins and finishes") {
  idle_writer w{4};
  w.redeliver(77);
  w.add(unit_kind::record, 1);
  for (int i = 2; i <= 5; ++i) w.add(unit_kind::begin, i);
  CHECK(w.next() == "2 3 4 5");
  CHECK(w.queues.maintenance_may_follow(w.batch));
  CHECK(w.queues.take_redelivery());
  CHECK(w.next() == "1");
}

TEST_CASE("redeliveries wait up to the limit") {
  auto limits = limits_of(2);
  limits.redeliveries = 2;
  writer_queues queues{limits};
  for (int i = 0; i < 2; ++i) {
    CHECK_FALSE(queues.is_full_of_redeliveries());
    queues.add({{}, redeliver_rows{.id = 1}});
  }
  CHECK(queues.is_full_of_redeliveries());
}
