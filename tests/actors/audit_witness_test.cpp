// The witness of the audit log: the chains' ends go to the process log once a minute, where they advanced.
#include <catch2/catch.hpp>

#include <caf/all.hpp>

#include "memory_store.hpp"
#include "process/audit_witness.hpp"
#include "virtual_time.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;

namespace {

/// The witness over a store in memory, in virtual time.
class witness_stand {
 public:
  witness_stand() {
    archive_ = system_.spawn([this](store_reader::pointer) -> store_reader::behavior_type {
      return {[this](const store_question& question) -> caf::result<store_answer> {
        ++asked;
        if (is_away) return make_error(actor_errc::store_unavailable);
        return store_answer{rows.run(std::get<find_audit_heads>(question))};
      }};
    });
    witness_ = actors::spawn_audit_witness(system_, archive_, clock_, meters);
    coordinator().run();
  }
  ~witness_stand() {
    system_.await_actors_before_shutdown(false);
    caf::anon_send_exit(witness_, caf::exit_reason::kill);
    caf::anon_send_exit(archive_, caf::exit_reason::kill);
    coordinator().clock().cancel_all();
    coordinator().run();
  }
  witness_stand(const witness_stand&) = delete;
  witness_stand& operator=(const witness_stand&) = delete;

  void write(const std::string& id) {
    save_audit entry;
    entry.user = user_id{"operator:root"};
    entry.at = clock_.at;
    entry.id = id;
    unit_of_work unit;
    unit.inserts.emplace_back(std::move(entry));
    REQUIRE(rows.commit(unit) == commit_outcome::committed);
  }
  void advance(std::chrono::seconds by) {
    for (; by > 0s; by -= 1s) {
      clock_.at += 1s;
      coordinator().advance_time(1s);
      coordinator().run();
    }
  }
  double seconds_since_witnessed() const {
    return std::chrono::duration<double>(clock_.at.time_since_epoch()).count() - meters.audit_witnessed_at.Value();
  }

  memory_store rows;
  metrics meters;
  int asked = 0;
  bool is_away = false;

 private:
  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

  hand_clock clock_;
  deterministic_config caf_config_;
  caf::actor_system system_{caf_config_};
  store_reader archive_;
  actors::audit_witness witness_;
};

}  // namespace

TEST_CASE("the ends of the audit log's chains are read at the start and once a minute") {
  witness_stand stand;
  CHECK(stand.asked == 1);
  CHECK(stand.meters.audit_entries.Value() == 0);
  stand.write("audit_1");
  stand.write("audit_2");
  stand.advance(59s);
  CHECK(stand.asked == 1);
  stand.advance(1s);
  CHECK(stand.asked == 2);
  CHECK(stand.meters.audit_entries.Value() == 2);
  CHECK(stand.seconds_since_witnessed() == 0);
}

TEST_CASE("the time of the last backup is known at the start, and follows within a minute") {
  witness_stand stand;
  CHECK(stand.meters.backup_made_at.Value() == 0);
  stand.rows.facts[std::string{last_backup_name}] = "1795918276826";
  stand.advance(60s);
  CHECK(stand.meters.backup_made_at.Value() == 1795918276.826);
}

TEST_CASE("while the store is away the time of the last reading stands still, and the next reading follows") {
  witness_stand stand;
  stand.is_away = true;
  stand.advance(5min);
  CHECK(stand.asked == 6);
  CHECK(stand.seconds_since_witnessed() == 300);
  stand.is_away = false;
  stand.advance(1min);
  CHECK(stand.seconds_since_witnessed() == 0);
}
