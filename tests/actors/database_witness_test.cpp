// The witness of the database: the file outside of it follows the commits, and a start that finds it ahead takes the
// database for an old one.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <caf/all.hpp>

#include "memory_store.hpp"
#include "process/database_witness.hpp"
#include "virtual_time.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

class witness_folder {
 public:
  witness_folder() {
    auto name = (std::filesystem::temp_directory_path() / "gateway-witness-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~witness_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  witness_folder(const witness_folder&) = delete;
  witness_folder& operator=(const witness_folder&) = delete;

  std::filesystem::path file() const { return path_ / "witness"; }
  std::string text() const {
    std::ifstream in{file()};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  void put(const std::string& text) const { std::ofstream{file(), std::ios::trunc} << text; }

 private:
  std::filesystem::path path_;
};

/// The witness of a store in memory, in virtual time.
class database_stand {
 public:
  /// An empty name: a gateway that serves alone.
  explicit database_stand(const std::string& node = {}) : nodes{node, node, [this] { return now_; }} {
    if (!node.empty()) nodes.serve_until(ticks_ms{1'000'000'000});
    recorder_ = system_.spawn([this](store_writer::pointer) -> store_writer::behavior_type {
      return {[this](unit_of_work& unit) -> caf::result<commit_outcome> {
                if (is_away) return commit_outcome::unavailable;
                meters.commits.Increment();
                return rows.commit(unit);
              },
              [](const purge_commands&) -> caf::result<purge_result> { return purge_result{}; },
              [](redeliver_rows&) -> caf::result<redeliver_rows_result> { return redeliver_rows_result{}; },
              [](const clear_free_pages&) { return clear_free_pages_result{}; }, [](work_atom) {}};
    });
  }
  ~database_stand() {
    system_.await_actors_before_shutdown(false);
    if (witness_) caf::anon_send_exit(witness_, caf::exit_reason::kill);
    caf::anon_send_exit(recorder_, caf::exit_reason::kill);
    coordinator().clock().cancel_all();
    coordinator().run();
  }
  database_stand(const database_stand&) = delete;
  database_stand& operator=(const database_stand&) = delete;

  /// What a start of the gateway finds.
  actors::witness_state find(bool is_new = false) const {
    return actors::compare_with_witness(
        folder.file(), nodes.name(),
        [this](std::string_view name) {
          const auto at = rows.facts.find(std::string{name});
          return at == rows.facts.end() ? std::nullopt : std::optional{at->second};
        },
        is_new);
  }
  void start() {
    auto found = find();
    if (!found.why_old.empty()) gate.close();
    witness_ = actors::spawn_database_witness(system_, recorder_, std::move(found), clock_, meters, gate, nodes,
                                              actors::runs_on::scheduler);
    coordinator().run();
  }
  void advance(int seconds) {
    for (; seconds > 0; --seconds) {
      now_ += ticks_ms{1'000};
      coordinator().advance_time(1s);
      coordinator().run();
    }
  }
  /// A commit of another part of the gateway.
  void commit() { meters.commits.Increment(); }
  template <class Message>
  void send(Message message) {
    caf::scoped_actor self{system_};
    self->send(witness_, message);
    coordinator().run();
  }
  std::string fact(const std::string& name) const {
    const auto at = rows.facts.find(name);
    return at == rows.facts.end() ? "" : at->second;
  }

  witness_folder folder;
  memory_store rows;
  metrics meters;
  write_gate gate;
  ticks_ms now_{0};
  membership nodes;
  bool is_away = false;

 private:
  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

  hand_clock clock_;
  deterministic_config caf_config_;
  caf::actor_system system_{caf_config_};
  store_writer recorder_;
  database_witness_actor witness_;
};

}  // namespace

TEST_CASE("a start without a file makes one, and each second with commits counts once in the database and the file") {
  database_stand s;
  s.start();
  CHECK(s.fact("witness:") == "1");
  CHECK_THAT(s.folder.text(), Catch::StartsWith("witness: 1 "));
  s.advance(10);
  CHECK(s.fact("witness:") == "1");
  s.commit();
  s.commit();
  s.advance(1);
  CHECK(s.fact("witness:") == "2");
  CHECK_THAT(s.folder.text(), Catch::StartsWith("witness: 2 "));
  s.advance(10);
  CHECK(s.fact("witness:") == "2");
  CHECK(s.find().why_old.empty());
}

TEST_CASE("while the database does not answer the file stands still, and follows afterwards") {
  database_stand s;
  s.start();
  s.is_away = true;
  s.commit();
  s.advance(3);
  CHECK_THAT(s.folder.text(), Catch::StartsWith("witness: 1 "));
  s.is_away = false;
  s.advance(1);
  CHECK(s.fact("witness:") == "2");
  CHECK_THAT(s.folder.text(), Catch::StartsWith("witness: 2 "));
}

TEST_CASE("one of several nodes counts on although it commits nothing, so that a restored database is old for it") {
  database_stand s{"b"};
  s.start();
  CHECK(s.fact("witness:b") == "1");
  s.advance(9);
  CHECK(s.fact("witness:b") == "1");
  s.advance(2);
  CHECK(s.fact("witness:b") == "2");
  s.advance(10);
  CHECK_THAT(s.folder.text(), Catch::StartsWith("witness:b 3 "));
}

TEST_CASE("a node that takes no writes says so in the database, for nodes that start, until an operator accepts it") {
  database_stand s{"b"};
  s.folder.put("witness:b 7 t\n");
  s.rows.facts["witness:b"] = "5";
  s.is_away = true;
  s.start();
  s.advance(1);
  CHECK(s.fact("recovery_required").empty());
  s.is_away = false;
  s.advance(2);
  CHECK_THAT(s.fact("recovery_required"), Catch::StartsWith("b: the database is at 5"));
  database_stand fresh{"c"};
  fresh.rows.facts = s.rows.facts;
  CHECK_THAT(fresh.find().why_old, Contains("not accepted at node b"));
  fresh.start();
  CHECK(fresh.gate.is_closed());
  s.send(accept_database{save_audit{}});
  CHECK_FALSE(s.gate.is_closed());
  CHECK(s.fact("recovery_required").empty());
}

TEST_CASE("a clean stop counts what was committed last") {
  database_stand s;
  s.start();
  s.commit();
  s.send(drain_atom::value);
  CHECK(s.fact("witness:") == "2");
  CHECK_THAT(s.folder.text(), Catch::StartsWith("witness: 2 "));
}

TEST_CASE("an old database is not counted on until an operator accepts it, with an entry on the audit log") {
  database_stand s;
  s.folder.put("witness: 7 2026-11-28T09:00:00.000Z\n");
  s.rows.facts["witness:"] = "5";
  s.start();
  CHECK(s.gate.is_closed());
  CHECK(s.meters.recovery_required.Value() == 1);
  s.commit();
  s.advance(5);
  CHECK(s.fact("witness:") == "5");
  save_audit note;
  note.id = "audit_1";
  note.action = "accept database";
  s.is_away = true;
  s.send(accept_database{note});
  CHECK(s.gate.is_closed());
  s.is_away = false;
  s.send(accept_database{note});
  CHECK_FALSE(s.gate.is_closed());
  CHECK(s.meters.recovery_required.Value() == 0);
  CHECK(s.fact("witness:") == "8");
  CHECK_THAT(s.folder.text(), Catch::StartsWith("witness: 8 "));
  CHECK(s.find().why_old.empty());
}

TEST_CASE("what a start finds") {
  struct row {
    const char* words;
    const char* file;    ///< null: there is none
    const char* number;  ///< in the database; empty: none
    const char* copied;  ///< when a backup was made; empty: the database is no backup
    const char* why;     ///< a part of the reason; empty: the database is current
  };
  const auto each =
      GENERATE(row{"a new database", nullptr, "", "", ""}, row{"the file was lost", nullptr, "7", "", ""},
               row{"both agree", "witness: 7 t\n", "7", "", ""},
               row{"the file was not written any more", "witness: 7 t\n", "8", "", ""},
               row{"an older database", "witness: 8 t\n", "7", "", "the database is at 7"},
               row{"another database, without a number", "witness: 8 t\n", "", "", "the database is at 0"},
               row{"another node's file", "witness:b 8 t\n", "9", "", "the database is at 0"},
               row{"a restored backup without a file", nullptr, "7", "2026-11-28", "the backup of 2026-11-28"},
               row{"a restored backup, older", "witness: 8 t\n", "7", "2026-11-28", "the database is at 7"},
               row{"a restored backup, and nothing since", "witness: 7 t\n", "7", "2026-11-28", ""},
               row{"a damaged file", "witness", "7", "", "cannot be read"},
               row{"a damaged number", "witness: 7x t\n", "7", "", "cannot be read"},
               row{"an empty file", "", "7", "", "cannot"});
  CAPTURE(each.words);
  database_stand s;
  if (each.file) s.folder.put(each.file);
  if (*each.number) s.rows.facts["witness:"] = each.number;
  if (*each.copied) s.rows.facts[std::string{backup_mark_name}] = each.copied;
  const auto found = s.find();
  if (*each.why)
    CHECK_THAT(found.why_old, Contains(each.why));
  else
    CHECK(found.why_old.empty());
  CHECK(found.is_copy == (*each.copied != '\0'));
  // A database that was made on purpose is compared with no file.
  if (!*each.copied) CHECK(s.find(true).why_old.empty());
}
