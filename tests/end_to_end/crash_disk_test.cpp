// The disk fills up in the middle of the work, to the last byte, and gets room again.
#include <catch2/catch.hpp>

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

/// Fills the disk in each round. While it is full, writes are refused and reads are answered; with room it goes on by itself.
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
    CHECK(merchant.state_of(known) == "authorized");
    CHECK(merchant.timeline(known).status == 200);
    CHECK(merchant.view("pay_nobody_has_seen").status == 404);
    CHECK(stand.gateway->running());

    disk.make_room();
    CHECK(eventually([&] { return stand.gateway->ready(); }, 30s));
  }
}

}  // namespace

TEST_CASE("the embedded store's disk is full: writes answer 503, reads go on, and service resumes by itself once there is room") {
  if (!runs_on(store_kind::sqlite)) return;
  // The log file lies on it too: what cannot be logged stops nothing.
  const small_disk disk{std::size_t{48} << 20};
  crash_stand stand{{.store = store_kind::sqlite, .gateway_folder = disk.folder()}};
  fill_again_and_again(stand, disk);
  stand.holds("a full disk");
}

TEST_CASE("MariaDB's disk is full: writes answer 503, reads go on, and service resumes by itself once there is room") {
  if (!runs_on(store_kind::mysql)) return;
  const small_disk disk{std::size_t{256} << 20};
  crash_stand stand{{.store = store_kind::mysql, .own_database = true, .database_folder = disk.folder() / "mariadb"}};
  fill_again_and_again(stand, disk);
  CHECK(stand.database->running());
  stand.holds("a full disk");
}
