// A revoke while requests arrive over many connections.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "cluster.hpp"
#include "platform.hpp"
#include "provider_process.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// Makes payments over 64 connections, spread over the gateways, while one of these answers a revoke of the grant.
/// Every request sent after that answer is refused and leaves nothing in the provider's ledger.
void expect_nothing_after_a_revoke(const std::vector<const gateway_process*>& gateways, std::size_t asked_to_revoke,
                                   const std::filesystem::path& ledger) {
  const auto& first = *gateways.front();
  const auto platform = new_platform(first, "acme-" + std::to_string(asked_to_revoke));
  const auto shop = new_merchant(first);
  const auto owner = "owner" + std::to_string(asked_to_revoke) + "@example.com";
  add_person(first, shop.id, owner);
  const auto grant = grant_access(first, platform, owner, "test");

  constexpr int connections = 64;
  std::atomic<bool> revoked = false, stopping = false;
  std::atomic<int> taken = 0, refused = 0, asked_late = 0;
  std::mutex guard;
  std::set<std::string> strange;
  std::vector<std::set<std::string>> late(connections);  ///< payments requested after the revoke was answered
  std::vector<std::thread> threads;
  for (int i = 0; i < connections; ++i)
    threads.emplace_back([&, i] {
      api signer{*gateways[static_cast<std::size_t>(i) % gateways.size()], platform.key};
      while (!stopping) {
        const bool after = revoked;
        const auto id = new_payment_id();
        if (after) {
          late[static_cast<std::size_t>(i)].insert(id);
          ++asked_late;
        }
        const auto answer =
            signer.post("/v1/payment_intents?environment=test", server_payment(id).text(), on_behalf_of(shop.id));
        if (answer.status == 200 && !after)
          ++taken;
        else if (answer.status == 403) {
          ++refused;
          // Refusals are so cheap that without a pause they would use up the machine's time.
          std::this_thread::sleep_for(20ms);
        } else if (answer.status != 503 &&
                   (gateways.size() == 1 || summary_of(answer) != "409 request already processing")) {
          // On a slow machine a payment's owner may answer too late, and the node that received the request then serves
          // it, too.
          const std::lock_guard lock{guard};
          strange.insert((after ? "after: " : "before: ") + summary_of(answer));
        }
      }
    });
  CHECK(eventually([&] { return taken > 500; }));
  api other{*gateways[asked_to_revoke], platform.key};
  CHECK(other.post("/v1/grants/" + grant.id + "/revoke").status == 204);
  revoked = true;
  CHECK(eventually([&] { return asked_late > 2'000; }));
  stopping = true;
  for (auto& each : threads) each.join();

  CHECK(strange == std::set<std::string>{});
  std::set<std::string> executed;
  for (const auto& entry : read_ledger(ledger)) executed.insert(entry.payment_id);
  CHECK(executed.size() >= static_cast<std::size_t>(taken));
  for (const auto& mine : late)
    for (const auto& id : mine) CHECK_FALSE(executed.contains(id));
  WARN(taken << " payments taken, " << refused << " refused, " << asked_late << " asked for after the answer, "
             << executed.size() << " executed");
}

}  // namespace

TEST_CASE("after a revoke is answered no request of 64 connections starts anything for the merchant") {
  gateway_process gateway{gateway_options{.store = GENERATE(from_range(stores()))}};
  expect_nothing_after_a_revoke({&gateway}, 0, gateway.ledger_file());
}

TEST_CASE("after one of three nodes has answered a revoke no node starts anything for the merchant") {
  if (std::ranges::count(stores(), store_kind::mysql) == 0) return;
  provider_process provider;
  cluster nodes{3, {.provider = provider.socket()}};
  for (std::size_t asked = 0; asked < nodes.size(); ++asked) {
    CAPTURE(asked);
    REQUIRE(eventually([&] { return nodes.all_up(); }));
    expect_nothing_after_a_revoke({&nodes[0], &nodes[1], &nodes[2]}, asked, provider.ledger());
  }
}
