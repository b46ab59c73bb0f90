// A revoke while requests come over many connections.
#include <catch2/catch.hpp>

#include <atomic>
#include <set>
#include <thread>

#include "platform.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

TEST_CASE("after a revoke is answered none of 64 connections begins anything for the merchant") {
  gateway_process gateway{gateway_options{.store = GENERATE(from_range(stores()))}};
  const auto platform = new_platform(gateway, "acme");
  const auto shop = new_merchant(gateway);
  add_person(gateway, shop.id, "owner@example.com");
  const auto grant = grant_access(gateway, platform, "owner@example.com", "test");

  constexpr int connections = 64;
  std::atomic<bool> revoked = false, stopping = false;
  std::atomic<int> taken = 0, refused = 0, strange = 0;
  std::vector<std::set<std::string>> late(connections);  ///< payments asked for after the revoke was answered
  std::vector<std::thread> threads;
  for (int i = 0; i < connections; ++i)
    threads.emplace_back([&, i] {
      api signer{gateway, platform.key};
      while (!stopping) {
        const bool after = revoked;
        const auto id = new_payment_id();
        if (after) late[static_cast<std::size_t>(i)].insert(id);
        const auto answer =
            signer.post("/v1/payment_intents?environment=test", server_payment(id).text(), on_behalf_of(shop.id));
        if (answer.status == 200 && !after)
          ++taken;
        else if (answer.status == 403)
          ++refused;
        else if (answer.status != 503)
          ++strange;
      }
    });
  CHECK(eventually([&] { return taken > 500; }, 30s));
  api other{gateway, platform.key};
  CHECK(other.post("/v1/grants/" + grant.id + "/revoke").status == 204);
  revoked = true;
  CHECK(eventually([&] { return refused > 2'000; }, 30s));
  stopping = true;
  for (auto& each : threads) each.join();

  CHECK(strange == 0);
  std::set<std::string> executed;
  for (const auto& entry : read_ledger(gateway.ledger_file())) executed.insert(entry.payment_id);
  CHECK(executed.size() >= static_cast<std::size_t>(taken));
  std::size_t asked_late = 0;
  for (const auto& mine : late) {
    asked_late += mine.size();
    for (const auto& id : mine) CHECK_FALSE(executed.contains(id));
  }
  CHECK(asked_late > 1'000);
  WARN(taken << " payments taken, " << refused << " refused, " << asked_late << " asked for after the answer, "
             << executed.size() << " executed");
}
