// Several nodes over a Galera cluster of three members, one of which is killed under load.
#include <catch2/catch.hpp>

#include <algorithm>
#include <iostream>
#include <thread>

#include "audit.hpp"
#include "cluster.hpp"
#include "destinations.hpp"
#include "load.hpp"
#include "merchant.hpp"
#include "provider_process.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point then) {
  return std::chrono::duration<double>(clock_type::now() - then).count();
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += '\n' + line;
  return text;
}

/// Two nodes that prefer different members, a merchant with a destination, and clients of both nodes.
struct galera_fixture {
  explicit galera_fixture(const galera_cluster& members) : database{members} {}

  const galera_cluster& database;
  provider_process provider;
  webhook_receiver receiver;
  cluster nodes{2,
                {.database = database.new_database(),
                 .provider = provider.socket(),
                 .arguments = {"--reconcile-first=200ms", "--reconcile-interval=100ms"}}};
  merchant_account shop = live_merchant(nodes[0]);
  merchant_account bystander = new_merchant(nodes[0]);
  webhook_destination to = set_destination(nodes[0], shop, receiver.url(), "live");
  load clients{{&nodes[0], &nodes[1]}, shop, 8, seed()};

  static unsigned seed() { return static_cast<unsigned>(environment_or("GATEWAY_CRASH_SEED", 42)); }

  static merchant_account live_merchant(const gateway_process& node) {
    auto made = new_merchant(node, {"Lantern Books", "standard", "", true});
    made.test = made.live;  // the clients sign with it
    return made;
  }

  bool makes_progress(std::uint64_t writes) const {
    const auto before = clients.answered();
    return eventually([&] { return clients.answered() >= before + writes; });
  }

  /// Seconds until that node has made a payment.
  double serves_again(std::size_t node) const {
    const auto began = clock_type::now();
    const bool serves = eventually(
        [&] {
          try {
            api caller{nodes[node], bystander.test};
            return caller.create(server_payment(new_payment_id(), "pm_card_visa")).status == 200;
          } catch (const connection_failed&) {
            return false;
          }
        },
        hang_timeout);
    CHECK(serves);
    return seconds_since(began);
  }
};

/// Nodes that cannot pass requests to each other, each on another member: only the database makes them agree.
void nodes_agree_through_their_members(const galera_cluster& database) {
  provider_process provider;
  cluster nodes{2, {.database = database.new_database(), .provider = provider.socket(), .linked = false}};
  const auto shop = new_merchant(nodes[0]);
  api here{nodes[0], shop.test}, there{nodes[1], shop.test};
  constexpr int payments = 20;
  for (int round = 0; round < payments; ++round) {
    CAPTURE(round);
    const auto id = new_payment_id();
    REQUIRE(here.create(server_payment(id, "pm_card_visa")).status == 200);
    REQUIRE(there.capture(id).status == 200);
    REQUIRE(here.state_of(id) == "captured");
    int statuses[2] = {};
    std::thread other{[&] { statuses[1] = there.refund(id).status; }};
    statuses[0] = here.refund(id).status;
    other.join();
    CAPTURE(statuses[0], statuses[1]);
    CHECK(std::ranges::count(statuses, 200) == 1);
    for (const auto status : statuses) CHECK((status == 200 || status == 409 || status == 422 || status == 503));
    CHECK(here.state_of(id) == "refunded");
    CHECK(there.state_of(id) == "refunded");
  }
  std::size_t refunds = 0;
  for (const auto& entry : read_ledger(provider.ledger())) refunds += entry.operation == "refund" ? 1 : 0;
  CHECK(refunds == payments);

  // A member applies another member's commits with a delay, here of a whole second, and the read waits for them.
  const auto late = new_payment_id();
  REQUIRE(here.create(server_payment(late, "pm_card_visa")).status == 200);
  std::thread pause{[&] { database.hold_back(1, 2s); }};
  std::this_thread::sleep_for(700ms);
  REQUIRE(here.capture(late).status == 200);
  CHECK(there.state_of(late) == "captured");
  pause.join();

  // A gateway without cluster options relies on a database lock, which would hold on one member only.
  try {
    gateway_process lone{nodes.beside()};
    FAIL("a gateway without cluster options serves on a member of a Galera cluster");
  } catch (const start_failed& failure) {
    CHECK_THAT(failure.what(), Catch::Matchers::Contains("Galera") && Catch::Matchers::Contains("cluster options"));
  }
}

}  // namespace

TEST_CASE("galera: nodes on different members agree, and kill -9 of a member under load loses nothing") {
  if (const auto missing = galera_cluster::missing(); !missing.empty()) {
    WARN("NOT RUN: this machine has no " << missing);
    return;
  }
  const auto rounds = environment_or("GATEWAY_GALERA_ROUNDS", 1);
  galera_cluster members;
  nodes_agree_through_their_members(members);
  galera_fixture t{members};
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    REQUIRE(t.makes_progress(60));
    const auto unavailable_before = t.clients.unavailable();
    const auto victim = static_cast<std::size_t>(round) % galera_cluster::size;
    const auto killed = clock_type::now();
    members.kill(victim);
    REQUIRE(t.makes_progress(1));
    const auto first = seconds_since(killed);
    const auto n1 = t.serves_again(0), n2 = t.serves_again(1);
    REQUIRE(t.makes_progress(60));
    std::cout << "galera, round " << round + 1 << ": member " << victim + 1 << " killed; the first answer after "
              << first << " s, n1 serves " << n1 << " s and n2 " << n2 << " s later, "
              << t.clients.unavailable() - unavailable_before << " answers of 503" << std::endl;
    CHECK(seconds_since(killed) < 30);
    members.start();
  }
  REQUIRE(t.makes_progress(60));
  t.clients.stop();
  CHECK(left_open(t.nodes[0], t.shop) == std::vector<std::string>{});
  for (std::size_t i = 0; i < t.nodes.size(); ++i) {
    const auto broken = audit(t.nodes[i], t.provider.ledger(), t.shop, t.clients.records());
    INFO("as node " << i + 1 << " tells:" << joined(broken));
    CHECK(broken.empty());
  }
  INFO(joined(t.clients.unexpected_answers()));
  CHECK(t.clients.unexpected_answers().empty());
  CHECK(t.clients.without_retry_after() == 0);
  CHECK(t.clients.in_doubt() == 0);
  CHECK(left_undelivered(t.nodes[0], t.shop) == std::vector<std::string>{});
  const auto reported = audit_deliveries(t.nodes[0], t.shop, "live", {{t.receiver, t.to}});
  INFO("webhooks:" << joined(reported.broken));
  CHECK(reported.broken.empty());
  std::cout << "galera: " << rounds << " rounds, " << t.clients.records().size() << " payments, "
            << t.clients.answered() << " writes answered, " << t.clients.repeated() << " sent again, "
            << t.clients.unavailable() << " answers of 503, " << reported.events << " events in " << reported.posts
            << " posts" << std::endl;
}
