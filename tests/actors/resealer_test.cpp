// What older master keys have sealed is resealed in the background, in virtual time.
#include <catch2/catch.hpp>

#include "directory/resealer.hpp"
#include "failing_store.hpp"
#include "gateway/ports/sealed_texts.hpp"
#include "virtual_time.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;

namespace {

crypto::keyring::entry ring_entry(const std::string& id, char byte) {
  return {id, std::make_shared<const crypto::master_key>(std::string(32, byte)), true};
}

const merchant_id seal_owner{"merch_1"};

/// A resealer over a store in memory; the key k1 has sealed API keys, and k2 is the current one.
class reseal_desk {
 public:
  /// `node`: its name among others, none of which it has seen; empty: it serves alone.
  explicit reseal_desk(int keys, std::string node = {})
      : nodes_{std::move(node), "incarnation", [] { return ticks_ms{0}; }} {
    insert({save_master_key{"k1", "p1", 0, master_key_status::old, {}, from_unix_ms(1)},
            save_master_key{"k2", "p2", 1, master_key_status::current, {}, from_unix_ms(2)}});
    const crypto::keyring old{{ring_entry("k1", '1')}};
    for (int i = 0; i < keys; ++i) {
      const key_id id{"mk_test_" + std::to_string(i)};
      insert({save_api_key{id, seal_owner, environment::test, {}, old.seal(secret_of(id.value), bound(id.value)), {}}});
    }
    const user_id ada{"user_ada"};
    insert({save_user{ada, "ada@example.com", "hash", from_unix_ms(1)}});
    unit_of_work unit;
    unit.claims.push_back(set_second_factor{
        ada,
        old.derive(std::string{second_factor_purpose}).seal("totp", bound_to(sealed_column::second_factor, ada.value)),
        {}});
    REQUIRE(rows->commit(unit) == commit_outcome::committed);
    recorder_ = system_.spawn(failing_writer, line_);
    reader_ = system_.spawn(failing_reader, line_);
    directory_ = system_.spawn([this](directory_actor::pointer) -> directory_actor::behavior_type {
      return {[this](const operator_command& what) -> caf::result<operator_result> { return obey(what); },
              [](const noted_command&) { return operator_result{operator_problem{}}; },
              [](const look_up&) { return false; },
              [](load_atom) { return true; },
              [](join_atom, const dispatcher_actor&) {},
              [](const catch_up&) {}};
    });
    store_handles store{{}, {}, recorder_, {}, reader_, {}};
    resealer_ = actors::spawn_resealer(system_, {store, directory_, ring, nodes_});
    coordinator().run();
  }
  ~reseal_desk() {
    system_.await_actors_before_shutdown(false);
    for (const auto& each : {caf::actor_cast<caf::actor>(resealer_), caf::actor_cast<caf::actor>(recorder_),
                             caf::actor_cast<caf::actor>(reader_), caf::actor_cast<caf::actor>(directory_)})
      caf::anon_send_exit(each, caf::exit_reason::kill);
    coordinator().clock().cancel_all();
    coordinator().run();
  }
  reseal_desk(const reseal_desk&) = delete;
  reseal_desk& operator=(const reseal_desk&) = delete;

  void advance(std::chrono::milliseconds by) {
    for (auto left = by; left > 0ms; left -= 10ms) {
      coordinator().advance_time(10ms);
      coordinator().run();
    }
  }
  void insert(std::vector<inserted_row> all) {
    unit_of_work unit;
    unit.inserts = std::move(all);
    REQUIRE(rows->commit(unit) == commit_outcome::committed);
  }
  static std::string secret_of(const std::string& id) { return "secret of " + id; }
  static std::string bound(const std::string& id) { return bound_to(sealed_column::api_key, id); }

  std::uint64_t sealed_by(const std::string& id) const {
    for (const auto& each : rows->run(find_master_keys{true}).sealed)
      if (each.id == id) return each.texts;
    return 0;
  }
  bool all_secrets_open() const {
    const auto keys = rows->whole_directory().keys;
    return std::ranges::all_of(keys, [&](const stored_key& each) {
      const auto& id = each.key.id.value;
      return ring.open(each.key.sealed_secret, bound(id)) == secret_of(id);
    });
  }

  failing_store_ptr rows = std::make_shared<failing_store>();
  crypto::keyring ring{{ring_entry("k2", '2'), ring_entry("k1", '1')}};
  std::vector<std::string> commands;  ///< to the directory
  bool nodes_follow = true;           ///< false: a node cannot get the offered key

 private:
  caf::result<operator_result> obey(const operator_command& what) {
    if (std::holds_alternative<offer_master_key>(what)) {
      commands.emplace_back("offer");
      if (!nodes_follow) return make_error(actor_errc::store_unavailable);
      return operator_result{named_result{"k3", "offered"}};
    }
    unit_of_work unit;
    if (const auto* wanted = std::get_if<promote_master_key>(&what)) {
      commands.push_back("promote " + wanted->id);
      unit.claims.push_back(promote_key{wanted->id});
    } else if (const auto* given_up = std::get_if<withdraw_master_key>(&what)) {
      commands.push_back("withdraw " + given_up->id);
      unit.claims.push_back(withdraw_key{given_up->id});
    }
    rows->commit(unit);
    return operator_result{named_result{"k3", "done"}};
  }
  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

  membership nodes_;
  deterministic_config config_;
  caf::actor_system system_{config_};
  store_line line_{rows};
  store_writer recorder_;
  store_reader reader_;
  directory_actor directory_;
  actors::resealer resealer_;
};

}  // namespace

TEST_CASE("everything that an older key has sealed is resealed, in small steps") {
  reseal_desk desk{230};
  CHECK(desk.sealed_by("k1") == 231);
  std::uint64_t largest = 0, before = desk.sealed_by("k1");
  for (int i = 0; i < 300 && before > 0; ++i) {
    desk.advance(10ms);
    const auto left = desk.sealed_by("k1");
    largest = std::max(largest, before - left);
    before = left;
  }
  CHECK(before == 0);
  CHECK(largest <= 50);
  CHECK(desk.sealed_by("k2") == 231);
  CHECK(desk.all_secrets_open());
  const auto person = desk.rows->run(find_user{"ada@example.com"}).found.value();
  CHECK(desk.ring.derive("second factor").open(person.sealed_totp, "second factor of user_ada") == "totp");
}

TEST_CASE("a store that fails or loses a claim leaves the text to the next pass") {
  const auto trouble = GENERATE(fault::queue_full, fault::before_commit, fault::after_commit, fault::held_up);
  reseal_desk desk{3};
  desk.rows->faults = {trouble, trouble};
  desk.advance(3s);
  desk.rows->land();
  desk.advance(10s);
  CHECK(desk.sealed_by("k1") == 0);
  CHECK(desk.all_secrets_open());
}

TEST_CASE("reads that fail are repeated") {
  reseal_desk desk{3};
  desk.rows->reads_fail = true;
  desk.advance(5s);
  CHECK(desk.sealed_by("k1") == 4);
  desk.rows->reads_fail = false;
  desk.advance(5s);
  CHECK(desk.sealed_by("k1") == 0);
}

TEST_CASE("a text that no key opens stays, and does not hold up the others") {
  reseal_desk desk{2};
  desk.insert({save_api_key{key_id{"mk_test_00"}, seal_owner, environment::test, {}, "k1.garbage", {}}});
  desk.advance(10s);
  CHECK(desk.sealed_by("k1") == 1);
  CHECK(desk.sealed_by("k2") == 3);
}

TEST_CASE("a text that an old key seals after the first pass is found within about a minute") {
  reseal_desk desk{1};
  desk.advance(10s);
  REQUIRE(desk.sealed_by("k1") == 0);
  const crypto::keyring old{{ring_entry("k1", '1')}};
  const std::string late = "mk_late";
  desk.insert({save_api_key{key_id{late},
                            seal_owner,
                            environment::test,
                            {},
                            old.seal(reseal_desk::secret_of(late), reseal_desk::bound(late)),
                            {}}});
  desk.advance(65s);
  CHECK(desk.sealed_by("k1") == 0);
  CHECK(desk.all_secrets_open());
}

TEST_CASE("nothing is sealed under a key that the directory has not published yet") {
  reseal_desk desk{2};
  desk.ring.replace({ring_entry("k1", '1'), ring_entry("k2", '2')});
  desk.advance(5s);
  CHECK(desk.sealed_by("k1") == 3);
  desk.ring.replace({ring_entry("k2", '2'), ring_entry("k1", '1')});
  desk.advance(5s);
  CHECK(desk.sealed_by("k1") == 0);
}

TEST_CASE("a node that does not own the maintenance reseals nothing") {
  reseal_desk desk{2, "n1"};
  desk.advance(5s);
  CHECK(desk.sealed_by("k1") == 3);
}

TEST_CASE("a rotation whose node died is ended, or given up if a node cannot get the key") {
  const bool nodes_follow = GENERATE(true, false);
  reseal_desk desk{1};
  desk.nodes_follow = nodes_follow;
  desk.insert({save_master_key{"k3", "p3", 2, master_key_status::offered, {}, from_unix_ms(3)}});
  desk.advance(1s);
  CHECK(desk.commands.empty());  // the operator's command may still be at work
  desk.advance(10s);
  if (nodes_follow)
    CHECK(desk.commands == std::vector<std::string>{"offer", "promote k3"});
  else
    CHECK(desk.commands == std::vector<std::string>{"offer", "withdraw k3"});
  const auto keys = desk.rows->run(find_master_keys{}).keys;
  CHECK(keys.back().status == master_key_status::current);
  CHECK((keys.back().id == "k3") == nodes_follow);
}
