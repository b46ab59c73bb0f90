// Several nodes, one of which loses its link to the database and gets it back.
#include <catch2/catch.hpp>

#include "cluster.hpp"
#include "destinations.hpp"
#include "gateway/domain/node.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

using steady = std::chrono::steady_clock;

bool can_run() { return std::ranges::count(stores(), store_kind::mysql) > 0; }

/// A live-mode destination of the merchant, at that receiver, that the node `owner` of three owns.
webhook_destination destination_of(const cluster& nodes, const std::string& owner, const merchant_account& shop,
                                   const webhook_receiver& receiver) {
  const std::vector<std::string> names{"n1", "n2", "n3"};
  for (int i = 0;; ++i) {
    auto made = set_destination(nodes[0], shop, receiver.url("/hooks-" + std::to_string(i)), "live");
    if (gateway::owner_of(gateway::stable_hash(made.id), names) == owner) return made;
  }
}

}  // namespace

TEST_CASE(
    "cluster: where a payment's owner has lost its database, the node that received the request serves the payment") {
  if (!can_run()) return;
  cluster nodes{3, {.proxied = true}};
  const auto shop = new_merchant(nodes[0]);
  api client{nodes[0], shop.test};
  // About ten of the 30 payments belong to the second node.
  const auto longest_of_30 = [&] {
    steady::duration longest{};
    for (int i = 0; i < 30; ++i) {
      const auto began = steady::now();
      CHECK(summary_of(client.create(server_payment(new_payment_id()))) == "200 authorized");
      longest = std::max(longest, steady::now() - began);
    }
    return longest;
  };
  REQUIRE(eventually([&] { return nodes.all_up(); }));
  const auto links = [&] {
    const auto log = lines_of(nodes[0].log());
    return std::ranges::count_if(log, [](const auto& line) { return line.find("node.linked") != std::string::npos; });
  };
  REQUIRE(eventually([&] { return links() == 2; }));
  longest_of_30();
  const auto usual = longest_of_30();

  nodes.database_link(1).cut();
  CHECK(longest_of_30() < 1s + 10 * usual);
  nodes.database_link(1).pass();
  REQUIRE(eventually([&] { return nodes.all_up(); }));
  longest_of_30();

  nodes.database_link(1).black_hole();
  CHECK(longest_of_30() < 3s + 10 * usual);
}

TEST_CASE("cluster: a node that lost its lease and returned before other nodes noticed sends its webhooks again") {
  if (!can_run()) return;
  webhook_receiver receiver;
  cluster nodes{3, {.proxied = true}};
  const auto shop = new_merchant(nodes[0], {"Lantern Books", "standard", "", true});
  const auto to = destination_of(nodes, "n2", shop, receiver);
  api client{nodes[0], shop.live};
  const auto tell_something = [&] {
    REQUIRE(summary_of(client.create(server_payment(new_payment_id(), "pm_card_chargeDeclined"))) == "200 failed");
  };
  REQUIRE(eventually([&] { return nodes.all_up(); }));
  tell_something();
  REQUIRE(receiver.comes_to(1, to.path));

  // The node counts 3.5 s from its last renewal, the others 5 s, so it has 1.5 s to return before they notice. A
  // machine may occasionally be too slow for that.
  const auto times = [&](const std::string& event) {
    const auto log = lines_of(nodes[1].log());
    return std::ranges::count_if(log, [&](const auto& line) { return line.find(event) != std::string::npos; });
  };
  for (int tries = 0; tries < 5; ++tries) {
    const auto ended = times("node.lease_ended");
    nodes.database_link(1).cut();
    REQUIRE(eventually([&] { return times("node.lease_ended") > ended; }));
    nodes.database_link(1).pass();
    REQUIRE(eventually([&] { return nodes.all_up() && nodes[1].ready(); }));
    if (times("node.lease_kept_again") > 0) break;
  }
  CHECK(times("node.lease_kept_again") > 0);
  tell_something();
  CHECK(receiver.comes_to(2, to.path));
}

TEST_CASE("cluster: a link that swallows everything from its first byte does not prevent other links") {
  if (!can_run()) return;
  cluster nodes{3, {.proxied = true}};
  const auto links_made = [&](const std::string& to) {
    const auto log = lines_of(nodes[0].log());
    return std::ranges::count_if(log, [&](const auto& line) {
      return line.find("node.linked") != std::string::npos && line.find('"' + to + '"') != std::string::npos;
    });
  };
  REQUIRE(eventually([&] { return links_made("n2") == 1 && links_made("n3") == 1; }));
  nodes.node_link(1).cut();
  nodes.node_link(1).black_hole();
  REQUIRE(eventually([&] { return nodes.node_link(1).connections() > 0; }));
  nodes.node_link(2).cut();
  nodes.node_link(2).pass();
  CHECK(eventually([&] { return links_made("n3") == 2; }));
  CHECK(links_made("n2") == 1);
  nodes.node_link(1).pass();
  CHECK(eventually([&] { return links_made("n2") == 2; }));
}
