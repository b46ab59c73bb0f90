// The disk fills up in the middle of the work, to the last byte, and gets room again.
#include <catch2/catch.hpp>

#include <iostream>

#include "crash_stand.hpp"
#include "small_disk.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

bool runs_on(store_kind store) {
  if (std::ranges::count(stores(), store) == 0) return false;
  if (small_disk::possible()) return true;
  WARN("NOT RUN: this user may not mount a tmpfs, not even in a user namespace of its own");
  return false;
}

bool database_runs(const crash_stand& stand) { return !stand.database || stand.database->running(); }

/// The part of the service managers: what has ended is started again.
void revive_gateway(const crash_stand& stand) {
  try {
    if (!stand.gateway->running()) stand.gateway->start();
  } catch (const start_failed&) {
    // Not yet.
  }
}
void revive_database(const crash_stand& stand) {
  if (database_runs(stand)) return;
  std::cout << "MariaDB aborted on its full disk, and is started again" << std::endl;
  stand.database->start();
}

/// InnoDB tries for five seconds to roll back what it has no room for, before it aborts: it may do so with room, too.
void outlast_rollbacks(const crash_stand& stand) {
  for (int i = 0; i < 60; ++i) {
    revive_database(stand);
    std::this_thread::sleep_for(100ms);
  }
}

/// Fills the disk in each round. While it is full, writes are refused and reads are answered; with room it goes on by
/// itself.
void fill_again_and_again(crash_stand& stand, const small_disk& disk) {
  api merchant{*stand.gateway, stand.bystander.test};
  const auto known = new_payment_id();
  REQUIRE(told(merchant.create(server_payment(known))) == "200 authorized");
  stand.go();
  for (int round = 0; round < stand.wishes.rounds; ++round) {
    stand.work();
    const auto unavailable = stand.clients->unavailable();
    disk.fill();
    CHECK(eventually([&] { return stand.clients->unavailable() > unavailable + 50; }, 60s));
    CHECK(eventually([&] { return stand.gateway->status_of("/readyz") == 503; }, 30s));
    CHECK(stand.gateway->status_of("/healthz") == 200);
    // Not each one: a database may find a gap for a small row.
    CHECK(eventually([&] {
      const auto refused = merchant.create(server_payment(new_payment_id()));
      return refused.status == 503 && refused.header("Retry-After").has_value();
    }));
    // As long as there is somebody to read from: MariaDB may abort.
    CHECK(eventually([&] { return merchant.state_of(known) == "authorized" || !database_runs(stand); }));
    CHECK(eventually([&] { return merchant.view("pay_nobody_has_seen").status == 404 || !database_runs(stand); }));
    CHECK(stand.gateway->running());

    if (round % 2 == 1) {
      // And a crash on top of it. The gateway starts again, or not before there is room.
      stand.gateway->kill();
      revive_gateway(stand);
    }
    // A MariaDB that is started on a full disk looks again for room once a minute only.
    disk.make_room();
    CHECK(eventually(
        [&] {
          revive_database(stand);
          revive_gateway(stand);
          return stand.gateway->ready();
        },
        60s));
  }
}

/// What InnoDB itself finds wrong with its tables.
std::string damage(const crash_stand& stand) {
  std::string found;
  for (const auto& line : lines_of(stand.gateway->sql("CHECK TABLE payments, commands, attempts, events;")))
    if (line.find("\tOK") == std::string::npos) found += '\n' + line;
  return found;
}

}  // namespace

TEST_CASE(
    "the embedded store's disk is full: writes answer 503, reads go on, and service resumes by itself once there is "
    "room") {
  if (!runs_on(store_kind::sqlite)) return;
  // The log file lies on it too: what cannot be logged stops nothing.
  const small_disk disk{std::size_t{96} << 20};
  crash_stand stand{{.store = store_kind::sqlite, .gateway_folder = disk.folder()}};
  fill_again_and_again(stand, disk);
  stand.finish();
  stand.holds("a full disk");
}

// MariaDB 10.11.19 loses committed rows on a full disk, now and then and without a word: its secondary indexes then
// hold more rows than its tables (seen with nothing but SQL, too). No gateway can mend that; docs/operators.md tells
// operators.
TEST_CASE("MariaDB's disk is full: writes answer 503, reads go on, and service resumes by itself once there is room") {
  if (!runs_on(store_kind::mysql)) return;
  // A new server every few rounds, so that damage to one leaves the others to be audited.
  auto wishes = crash_wishes::of_environment();
  for (int left = wishes.rounds; left > 0; left -= wishes.rounds) {
    wishes.rounds = std::min(left, 4);
    const small_disk disk{std::size_t{320} << 20};
    crash_stand stand{{.store = store_kind::mysql, .own_database = true, .database_folder = disk.folder() / "data"},
                      wishes};
    fill_again_and_again(stand, disk);
    outlast_rollbacks(stand);
    stand.finish();
    if (const auto found = damage(stand); found.empty())
      stand.holds("a full disk");
    else
      WARN("NOT RUN to its end, " << wishes.rounds
                                  << " rounds: InnoDB has damaged its tables on the full disk:" << found);
    wishes.seed += 1;
  }
}
