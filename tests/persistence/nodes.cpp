// Nodes over a MariaDB: names, leases, and the commits that a missing lease prevents.
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include "actor_fixture.hpp"
#include "gateway/base/boot_clock.hpp"
#include "persistence/nodes/node_table.hpp"
#include "persistence/session/database_session.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/units/unit_batch.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

settings node_settings(const empty_store& store, const std::string& name) {
  auto s = store.settings();
  s.node = name;
  s.cluster_address = "127.0.0.1:9443";
  return s;
}

node_row row_of(db_connection& db, const std::string& name) {
  for (auto& row : look_at_nodes(db).rows)
    if (row.name == name) return row;
  return {};
}

/// A node that only renews its lease.
class beating_node {
 public:
  beating_node(const empty_store& store, const std::string& name)
      : link_{connect(store.where(), access::keep)}, incarnation_{take_name(*link_, node_settings(store, name))} {
    row_.name = name;
    row_.incarnation = incarnation_;
    row_.address = "127.0.0.1:9443";
    row_.status = node_status::up;
    thread_ = std::thread{[this] {
      for (; !stop_; std::this_thread::sleep_for(200ms)) renew(*link_, row_);
    }};
  }
  ~beating_node() { stop(); }
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::unique_ptr<db_connection> link_;
  std::string incarnation_;
  node_row row_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// A node's rows in memory, until the database is made unavailable. `others`: rows of further nodes, which do not
/// change.
class rows_in_memory final : public node_rows {
 public:
  explicit rows_in_memory(const std::atomic<bool>& away, std::vector<node_row> others = {})
      : away_{away}, others_{std::move(others)} {}

  node_sight look() override {
    require_database();
    node_sight seen;
    seen.rows = others_;
    seen.rows.insert(seen.rows.begin(), own_);
    return seen;
  }
  bool renew(const node_row& mine) override {
    require_database();
    own_ = mine;
    own_.beats = ++beats_;
    return true;
  }
  bool renew_and_announce(const node_row& mine) override { return renew(mine); }
  void leave(const node_row&) override {}
  void give_up(const node_row&) override {}
  bool ask_to_drain(const std::string&) override { return false; }
  void trim_log(std::int64_t) override {}
  bool is_held_by_one() override { return false; }
  void reset_connection() override {}

 private:
  void require_database() const {
    if (away_) throw database_error{database_error::kind::unreachable, 0, "is away"};
  }
  const std::atomic<bool>& away_;
  const std::vector<node_row> others_;
  node_row own_;
  std::int64_t beats_ = 0;
};

}  // namespace

TEST_CASE("a node whose start fails before it takes its name stays unknown, and a name taken in vain is released") {
  empty_store store{store_kind::mysql};
  { const prepared_store migrates{store.settings()}; }
  const auto link = connect(store.where(), access::keep);
  {
    prepared_store checked{node_settings(store, "n1")};
    CHECK_FALSE(checked.read_meta("master_key_fingerprint"));
    CHECK(look_at_nodes(*link).rows.empty());
    checked.take_name(node_settings(store, "n1"));
    CHECK(row_of(*link, "n1").status == node_status::joining);
    CHECK(row_of(*link, "n1").incarnation == checked.incarnation());
  }
  CHECK(row_of(*link, "n1").status == node_status::gone);
}

TEST_CASE("once the database is away, the list of nodes is not answered from the last read") {
  std::atomic<bool> away{false};
  // The keeper uses these until the actor system has ended.
  metrics counts;
  membership reported{"n1", "of-this-process"};
  system_config config;
  caf::actor_system system{config};
  auto keeper = spawn_node_keeper_over(system, std::make_unique<rows_in_memory>(away), "127.0.0.1:9443", reported,
                                       counts, {[] {}, [](const std::string&) {}});
  caf::anon_send(keeper, published_up_to{0});
  REQUIRE(eventually([&] { return reported.serves(); }));
  caf::scoped_actor self{system};
  const auto status_told = [&] {
    std::string status;
    self->request(keeper, 5s, list_nodes{})
        .receive([&](const node_list& list) { status = to_string(list.nodes.at(0).status); },
                 [&](const caf::error& why) { status = why == actor_errc::store_unavailable ? "unknown" : "?"; });
    return status;
  };
  CHECK(status_told() == "up");
  away = true;
  CHECK(eventually([&] { return status_told() == "unknown"; }));
  away = false;
  CHECK(eventually([&] { return status_told() == "up"; }));
  caf::anon_send_exit(keeper, caf::exit_reason::user_shutdown);
}

TEST_CASE("a node that is gone is listed without payments, whatever it had when it ended") {
  const std::atomic<bool> away{false};
  node_row drained;
  drained.name = "n2";
  drained.incarnation = "of-an-ended-process";
  drained.status = node_status::gone;
  drained.payments = 1'824;
  auto killed = drained;
  killed.name = "n3";
  killed.status = node_status::up;
  // The keeper uses these until the actor system has ended.
  metrics counts;
  membership reported{"n1", "of-this-process"};
  system_config config;
  caf::actor_system system{config};
  auto keeper = spawn_node_keeper_over(system, std::make_unique<rows_in_memory>(away, std::vector{drained, killed}),
                                       "127.0.0.1:9443", reported, counts, {[] {}, [](const std::string&) {}});
  caf::scoped_actor self{system};
  const auto shown = [&](std::size_t at) {
    node_row row;
    self->request(keeper, 5s, list_nodes{})
        .receive([&](const node_list& list) { row = list.nodes.at(at); }, [](const caf::error&) {});
    return row;
  };
  CHECK(shown(1).status == node_status::gone);
  CHECK(shown(1).payments == 0);
  CHECK(shown(2).payments == 1'824);
  CHECK(eventually([&] { return shown(2).status == node_status::gone; }));  // its lease ends
  CHECK(shown(2).payments == 0);
  caf::anon_send_exit(keeper, caf::exit_reason::user_shutdown);
}

TEST_CASE("a live node's name is refused with one line, and is free once its lease has ended") {
  migrated_store store{store_kind::mysql};
  auto first = std::make_unique<beating_node>(store, "n1");
  const auto link = connect(store.where(), access::keep);
  CHECK_THROWS_WITH(take_name(*link, node_settings(store, "n1")),
                    Contains("node 'n1' is live, at 127.0.0.1:9443") && !Contains("\n"));
  first->stop();
  const auto began = since_boot();
  CHECK_FALSE(take_name(*link, node_settings(store, "n1")).empty());
  CHECK(since_boot() - began >= lease_lasts - 1s);
  CHECK(since_boot() - began < lease_lasts + 3s);
}

TEST_CASE("a name is free at once if its node has announced its end") {
  migrated_store store{store_kind::mysql};
  const auto link = connect(store.where(), access::keep);
  node_row mine;
  mine.name = "n1";
  mine.incarnation = take_name(*link, node_settings(store, "n1"));
  leave(*link, mine);
  const auto began = since_boot();
  const auto second = take_name(*link, node_settings(store, "n1"));
  CHECK(since_boot() - began < 1s);
  CHECK(second != mine.incarnation);
  // The earlier holder of the name can renew nothing any more.
  CHECK_FALSE(renew(*link, mine));
}

TEST_CASE("a gateway that serves alone does not start beside a live node, and removes dead ones") {
  empty_store store{store_kind::mysql};
  { const prepared_store migrates{store.settings()}; }
  beating_node first{store, "n1"};
  CHECK_THROWS_WITH(prepared_store{store.settings()},
                    Contains("node 'n1'") && Contains("cluster options") && !Contains("\n"));
  first.stop();
  CHECK_NOTHROW(prepared_store{store.settings()});
  const auto link = connect(store.where(), access::keep);
  CHECK(row_of(*link, "n1").status == node_status::gone);
}

TEST_CASE("a node does not start beside a gateway that serves alone") {
  empty_store store{store_kind::mysql};
  const prepared_store lone{store.settings()};
  CHECK_THROWS_WITH(prepared_store{node_settings(store, "n1")},
                    Contains("a gateway without cluster options") && !Contains("\n"));
}

TEST_CASE("a gateway that has lost its lock does not take it again if a node has started meanwhile") {
  migrated_store store{store_kind::mysql};
  auto where = store.where();
  where.process = std::string(32, 'a');
  where.has_looked_for_nodes = true;
  CHECK_NOTHROW(connect(where, access::write));
  REQUIRE(eventually([&] {
    const auto link = connect(store.where(), access::keep);
    return !is_held_by_one(*link);
  }));
  const beating_node node{store, "n1"};
  try {
    connect(where, access::write);
    FAIL("it has the lock");
  } catch (const database_error& error) {
    CHECK(error.what_kind == database_error::kind::locked_out);
    CHECK_THAT(error.what(), Contains("node 'n1'"));
  }
}

TEST_CASE("without its lease a node commits nothing, and resumes by itself once it has it") {
  migrated_store store{store_kind::mysql};
  membership reported{"n1", "process"};
  auto where = store.where();
  where.node = &reported;
  metrics counts;
  database_session session{where, access::write, std::make_shared<store_health>(counts)};
  const unit_of_work unit = begin_unit("1");
  CHECK_FALSE(session.run([&](db_connection& db) { commit_units(db, {&unit, 1}); }));
  CHECK(session.away());
  CHECK_FALSE(run(*store.reader, find_entity{key_of("1")}).found);
  CHECK_FALSE(session.try_to_reconnect());
  reported.serve_until(since_boot() + 60s);
  CHECK(session.try_to_reconnect());
  CHECK(session.run([&](db_connection& db) { commit_units(db, {&unit, 1}); }));
  CHECK(run(*store.reader, find_entity{key_of("1")}).found);
}

TEST_CASE("a node's uncommitted work from before it was stopped is not committed when it resumes") {
  migrated_store store{store_kind::mysql};
  membership reported{"n1", "process"};
  reported.serve_until(since_boot() + 60s);
  auto where = store.where();
  where.node = &reported;
  const auto db = connect(where, access::write);
  probe_write(*db);
  std::this_thread::sleep_for(2s);
  probe_write(*db);  // a connection that is idle between transactions stays
  db->begin();
  const cell row[] = {std::string_view{"half"}, std::string_view{"done"}};
  REQUIRE(db->write(statements::insert_meta, row) == write_result::done);
  std::this_thread::sleep_for(2s);  // the process was stopped here; its lease ended and other nodes took over
  CHECK_THROWS_AS(db->commit(), database_error);
  CHECK_FALSE(read_meta(*store.reader, "half"));
}

TEST_CASE("a keeper lets its node join, sees other nodes join and leave, and reports what is published everywhere") {
  empty_store store{store_kind::mysql};
  { const prepared_store migrates{store.settings()}; }
  // The keeper uses these until the actor system has ended.
  metrics counts;
  prepared_store prepared{node_settings(store, "n1")};
  prepared.take_name(node_settings(store, "n1"));
  membership reported{"n1", prepared.incarnation()};
  CHECK_FALSE(reported.serves());
  CHECK(reported.has_other_nodes());
  std::atomic<int> drains{0};
  system_config config;
  caf::actor_system system{config};
  auto keeper = prepared.keep_lease(system, node_settings(store, "n1"), reported, counts,
                                    {[&] { ++drains; }, [](const std::string&) {}});
  std::this_thread::sleep_for(300ms);
  CHECK_FALSE(reported.serves());  // it has published nothing yet
  caf::anon_send(keeper, published_up_to{0});
  // Its own joining is in the log: it must have published that, too.
  const auto link = connect(store.where(), access::keep);
  REQUIRE(eventually([&] { return look_at_nodes(*link).head.number == 1; }));
  CHECK_FALSE(reported.serves());
  caf::anon_send(keeper, published_up_to{1});
  REQUIRE(eventually([&] { return reported.serves(); }));
  CHECK(eventually([&] { return !reported.has_other_nodes(); }));
  CHECK(reported.owns("anything"));

  caf::scoped_actor self{system};
  const auto ask_published = [&](std::chrono::milliseconds within) {
    bool answered = false;
    self->request(keeper, within, await_published{}).receive([&](bool) { answered = true; }, [](const caf::error&) {});
    return answered;
  };
  CHECK(ask_published(tests::hang_timeout));
  {
    const beating_node other{store, "n2"};  // never publishes anything
    REQUIRE(eventually([&] { return reported.has_other_nodes(); }));
    CHECK_FALSE(ask_published(500ms));
  }
  // Its lease has ended, so no node waits for it any longer.
  CHECK(ask_published(tests::hang_timeout));
  CHECK(reported.deaths() == 1);
  CHECK_FALSE(reported.has_other_nodes());
  CHECK(reported.owns("anything"));

  CHECK(ask_to_drain(*link, "n1"));
  CHECK(eventually([&] { return drains == 1; }));
  CHECK_FALSE(ask_to_drain(*link, "n9"));
  caf::anon_send(keeper, drain_atom::value);
  CHECK(eventually([&] { return row_of(*link, "n1").status == node_status::draining; }));
  CHECK(reported.serves());
  // Owners are updated right after the row has been written.
  CHECK(eventually([&] { return !reported.owns("anything"); }));
  caf::anon_send_exit(keeper, caf::exit_reason::user_shutdown);
  keeper = nullptr;
  CHECK(eventually([&] { return row_of(*link, "n1").status == node_status::gone; }));
  CHECK_FALSE(reported.serves());
}
