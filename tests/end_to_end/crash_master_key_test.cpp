// The gateway is killed while its master key rotates: before the new key is written, before and after it is current,
// while the rest is resealed, and while the old key is retired. No secret is lost, wherever it stopped.
#include <catch2/catch.hpp>

#include <thread>

#include "crash_fixture.hpp"
#include "text.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

constexpr int more_keys = 120;  ///< several steps of the resealing

struct key_state {
  std::string current;
  std::vector<std::string> older;
  std::int64_t left = 0;  ///< texts that older keys have sealed
};

key_state state_of(const gateway_process& gateway) {
  key_state state;
  for (const auto& row : gateway.ctl({"master-key", "status"})["keys"].items()) {
    if (row["current"] == true) {
      CHECK(state.current.empty());
      state.current = row["id"].text();
    } else {
      state.older.push_back(row["id"].text());
      state.left += row["sealed"].number();
    }
  }
  CHECK_FALSE(state.current.empty());
  return state;
}

bool is_known(const gateway_process& gateway, const credentials& key) {
  return api{gateway, key}.get("/v1/payment_intents/pay_none").status == 404;
}

}  // namespace

TEST_CASE("kill -9 at any step of a rotation of the master key loses no secret, and the next start goes on with it") {
  crash_fixture fixture{{.store = GENERATE(from_range(stores())), .provider_timeout = "30s"}};
  auto& gateway = *fixture.gateway;
  std::vector<credentials> keys;
  for (int i = 0; i < more_keys; ++i) keys.push_back(mint_key(gateway, fixture.bystander.id));
  fixture.start_clients();
  for (int round = 0; round < std::max(3, fixture.settings.rounds); ++round) {
    fixture.work();
    // The answer may not arrive. Rounds alternate between a kill in the command and one in the resealing after it.
    std::thread command{[&] { gateway.run_ctl({"master-key", "rotate"}); }};
    if (round % 2 == 0) {
      std::this_thread::sleep_for(fixture.between(0, 60));
    } else {
      command.join();
      std::this_thread::sleep_for(fixture.between(900, 1'300));
    }
    gateway.kill();
    if (command.joinable()) command.join();
    gateway.start();
    CHECK(is_known(gateway, keys[static_cast<std::size_t>(round) % keys.size()]));
    CHECK(is_known(gateway, fixture.bystander.test));

    // Kill it once more while it retires what is done.
    REQUIRE(eventually([&] { return state_of(gateway).left == 0; }));
    const auto before = state_of(gateway);
    std::thread retirement{[&] {
      for (const auto& id : before.older) gateway.run_ctl({"master-key", "retire", id});
    }};
    std::this_thread::sleep_for(fixture.between(0, 60));
    gateway.kill();
    retirement.join();
    gateway.start();
    CHECK(is_known(gateway, keys[static_cast<std::size_t>(round) % keys.size()]));
  }
  // An interrupted rotation ends by itself, and every old key can go.
  REQUIRE(eventually([&] {
    const auto state = state_of(gateway);
    bool all = state.left == 0;
    for (const auto& id : state.older) all = gateway.run_ctl({"master-key", "retire", id}).code == 0 && all;
    return all && state_of(gateway).older.empty();
  }));
  for (const auto& key : keys) CHECK(is_known(gateway, key));
  CHECK(lines_of(read_file(gateway.data_dir() / "master.key")).size() >= 1);
  fixture.finish();
  fixture.holds("kill -9 of the gateway while its master key rotates");
}
