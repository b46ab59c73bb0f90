// The day of a key's last use: noted in memory by requests, and stored in the background.
#include <catch2/catch.hpp>

#include "directory/key_use_writer.hpp"
#include "failing_store.hpp"
#include "gateway/directory/key_uses.hpp"
#include "virtual_time.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;

namespace {

const merchant_id key_owner{"merch_1"};
const platform_id platform_owner{"plat_1"};

/// The writer over a store in memory with some keys, in virtual time.
class key_desk {
 public:
  explicit key_desk(int keys = 1) {
    unit_of_work owner;
    owner.inserts.push_back(
        save_merchant{key_owner, entity_id{"ent_1"}, "Shop", merchant_kind::standard, "", clock_.at});
    REQUIRE(rows.commit(owner) == commit_outcome::committed);
    for (int i = 0; i < keys; ++i) {
      const key_id id{"mk_test_" + std::to_string(i)};
      unit_of_work unit;
      unit.inserts.push_back(save_api_key{id, key_owner, environment::test, {}, "sealed", clock_.at});
      REQUIRE(rows.commit(unit) == commit_outcome::committed);
      published.publish(std::make_shared<const api_key>(api_key{id, key_owner, environment::test, {}, "secret"}));
    }
    const key_id id{"mk_platform_00000001"};
    unit_of_work unit;
    unit.inserts.push_back(save_platform_key{id, platform_owner, {}, "sealed", clock_.at});
    REQUIRE(rows.commit(unit) == commit_outcome::committed);
    published.publish(std::make_shared<const platform_key>(platform_key{id, platform_owner, {}, "secret"}));
    const auto recorder = system_.spawn([this](store_writer::pointer) -> store_writer::behavior_type {
      return {[this](const unit_of_work& unit) {
                units.push_back(unit);
                return rows.execute(unit);
              },
              [](const purge_commands&) { return purge_result{}; },
              [](const redeliver_rows&) { return redeliver_rows_result{}; },
              [](const clear_free_pages&) { return clear_free_pages_result{}; }, [](work_atom) {}};
    });
    recorder_ = recorder;
    writer_ = actors::spawn_key_use_writer(system_, recorder, published, watch_);
    coordinator().run();
  }
  ~key_desk() {
    system_.await_actors_before_shutdown(false);
    caf::anon_send_exit(writer_, caf::exit_reason::kill);
    caf::anon_send_exit(recorder_, caf::exit_reason::kill);
    coordinator().clock().cancel_all();
    coordinator().run();
  }
  key_desk(const key_desk&) = delete;
  key_desk& operator=(const key_desk&) = delete;

  void use(int number = 0) {
    published.note_use(*published.find_key(key_id{"mk_test_" + std::to_string(number)}), clock_.at);
  }
  void use_platforms() { published.note_use(*published.find_platform_key(key_id{"mk_platform_00000001"}), clock_.at); }
  void advance(std::chrono::milliseconds by) {
    for (; by > 0ms; by -= 500ms) {
      clock_.at += 500ms;
      coordinator().advance_time(500ms);
      coordinator().run();
    }
  }
  void drain() {
    caf::anon_send(writer_, drain_atom::value);
    coordinator().run();
  }
  time_point& time() { return clock_.at; }
  std::string used_on(int number = 0) const {
    return text_of(rows.run(find_directory{{{directory_name::kind::key, "mk_test_" + std::to_string(number)}}}).keys);
  }
  std::string platform_key_used_on() const { return text_of(rows.run(find_directory{{}, true}).platform_keys); }
  std::size_t written() const {
    std::size_t rows_written = 0;
    for (const auto& unit : units) rows_written += unit.claims.size();
    return rows_written;
  }

  failing_store rows;
  std::vector<unit_of_work> units;
  directory published;

 private:
  template <class Keys>
  static std::string text_of(const Keys& keys) {
    if (keys.empty()) return "no key";
    return keys.front().last_used_on ? format_day(*keys.front().last_used_on) : "never";
  }
  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

  hand_clock clock_;
  settings config_;
  metrics meters_;
  actors::clock_watch watch_{clock_, clock_.at, config_, meters_};
  deterministic_config caf_config_;
  caf::actor_system system_{caf_config_};
  store_writer recorder_;
  actors::key_use_writer writer_;
};

}  // namespace

TEST_CASE("the day of a key's first use is stored within a minute, and once for the day") {
  key_desk desk;
  desk.use();
  CHECK(desk.units.empty());
  desk.advance(1min);
  const auto day = format_day(std::chrono::floor<std::chrono::days>(desk.time()));
  CHECK(desk.used_on() == day);
  CHECK(desk.written() == 1);
  CHECK(desk.units.front().kind == unit_kind::record);
  for (int i = 0; i < 100; ++i) desk.use();
  desk.advance(2min);
  CHECK(desk.written() == 1);
  CHECK(desk.platform_key_used_on() == "never");
  desk.use_platforms();
  desk.advance(1min);
  CHECK(desk.platform_key_used_on() == day);
}

TEST_CASE("the next day's first use is stored again") {
  key_desk desk;
  desk.use();
  desk.advance(1min);
  const auto first = desk.used_on();
  desk.advance(24h);
  CHECK(desk.used_on() == first);
  desk.use();
  desk.advance(1min);
  CHECK(desk.used_on() == format_day(*parse_day(first) + std::chrono::days{1}));
  CHECK(desk.written() == 2);
}

TEST_CASE("a store that does not answer is written to again, and no use is lost") {
  const auto trouble = GENERATE(fault::queue_full, fault::before_commit, fault::after_commit);
  key_desk desk{450};
  for (int i = 0; i < 450; ++i) desk.use(i);
  desk.rows.faults = {fault::none, trouble};
  desk.advance(1min);
  desk.advance(1min);
  for (int i = 0; i < 450; ++i) REQUIRE(desk.used_on(i) != "never");
  for (const auto& unit : desk.units) CHECK(unit.claims.size() <= 200);
  CHECK(desk.published.uses().size() == 0);
}

TEST_CASE("before the process ends the uses that wait are stored") {
  key_desk desk;
  desk.use();
  desk.drain();
  CHECK(desk.used_on() != "never");
}

TEST_CASE("a clock that has jumped ahead stores no day of the future") {
  key_desk desk;
  desk.advance(1min);
  const auto today = format_day(std::chrono::floor<std::chrono::days>(desk.time()));
  desk.time() += 31 * 24h;
  desk.use();
  desk.advance(1min);
  CHECK(desk.used_on() == "never");
  desk.time() -= 31 * 24h;
  desk.advance(1min);
  CHECK(desk.used_on() == today);
}

TEST_CASE("a key that is published again keeps the day of its last use") {
  key_desk desk;
  desk.use();
  auto revoked = *desk.published.find_key(key_id{"mk_test_0"});
  revoked.revoked = true;
  desk.published.publish(std::make_shared<const api_key>(revoked));
  desk.use();
  CHECK(desk.published.uses().size() == 1);
  const auto day = std::chrono::floor<std::chrono::days>(desk.time());
  desk.published.uses().take();
  desk.published.publish(std::make_shared<const api_key>(
      api_key{key_id{"mk_test_0"}, key_owner, environment::test, {}, "secret", false, last_use{day}}));
  desk.use();
  CHECK(desk.published.uses().size() == 0);
}

TEST_CASE("the uses that wait are bounded, and a key without room is noted by a later request") {
  directory published;
  const auto now = from_unix_ms(1'795'167'000'000);
  for (std::size_t i = 0; i < key_uses::most; ++i)
    REQUIRE(published.uses().add({key_id{"mk_test_" + std::to_string(i)}, "merch_1", false, 1}));
  const api_key key{key_id{"mk_live_1"}, key_owner, environment::live, {}, "secret"};
  published.note_use(key, now);
  CHECK(published.uses().size() == key_uses::most);
  CHECK(published.uses().take().size() == key_uses::most);
  published.note_use(key, now);
  const auto waiting = published.uses().take();
  REQUIRE(waiting.size() == 1);
  CHECK(waiting.front().id == key.id);
  CHECK(waiting.front().day == number_of_day(now));
}
