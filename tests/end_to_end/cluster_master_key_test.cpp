// A rotation of the master key on three nodes under load, each with a key file of its own.
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include "cluster.hpp"
#include "merchant.hpp"
#include "paths.hpp"
#include "text.hpp"

using namespace gateway::e2e;

namespace {

bool mysql_is_tested() { return std::ranges::count(stores(), store_kind::mysql) > 0; }

std::int64_t left_to_seal(const gateway_process& node) {
  std::int64_t left = 0;
  for (const auto& row : node.ctl({"master-key", "status"})["keys"].items())
    if (!(row["current"] == true)) left += row["sealed"].number();
  return left;
}

std::string current_key(const gateway_process& node) {
  for (const auto& row : node.ctl({"master-key", "status"})["keys"].items())
    if (row["current"] == true) return row["id"].text();
  return {};
}

}  // namespace

TEST_CASE("cluster: a rotation reaches every node before it is answered, and no request fails meanwhile") {
  if (!mysql_is_tested()) return;
  cluster nodes{3, {.arguments = {"--begin-wait=30s"}, .own_key_files = true}};
  REQUIRE(eventually([&] { return nodes.all_up(); }));
  const auto shop = new_merchant(nodes[0]);
  std::vector<credentials> keys;
  for (int i = 0; i < 60; ++i) keys.push_back(mint_key(nodes[static_cast<std::size_t>(i) % 3], shop.id));

  std::atomic<bool> over{false};
  std::atomic<int> answered{0};
  std::vector<std::string> failures[3];
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < 3; ++i)
    clients.emplace_back([&, i] {
      api client{nodes[i], shop.test};
      while (!over) {
        const auto reply = client.create(server_payment(new_payment_id()));
        ++answered;
        if (reply.status != 200) failures[i].push_back(summary_of(reply));
      }
    });
  const auto first = current_key(nodes[1]);
  const auto second = nodes[1].ctl({"master-key", "rotate"})["id"].text();
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(current_key(nodes[i]) == second);
    const auto made = mint_key(nodes[i], shop.id);
    CHECK(nodes[i].sql("SELECT sealed_secret FROM api_keys WHERE key_id = '" + made.key_id + "';").find(second + ".") !=
          std::string::npos);
    for (std::size_t at = 0; at < 3; ++at)
      CHECK(api{nodes[at], made}.get("/v1/payment_intents/pay_none").status == 404);
  }
  REQUIRE(eventually([&] { return left_to_seal(nodes[2]) == 0; }));
  CHECK(nodes[2].run_ctl({"master-key", "retire", first}).code == 0);
  const auto enough = answered + 30;
  CHECK(eventually([&] { return answered >= enough; }));
  over = true;
  for (auto& client : clients) client.join();
  for (const auto& each : failures) CHECK(each == std::vector<std::string>{});

  for (const auto& key : keys)
    for (std::size_t at = 0; at < 3; ++at) CHECK(api{nodes[at], key}.get("/v1/payment_intents/pay_none").status == 404);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto file = read_file(nodes.key_file(i));
    CHECK(lines_of(file).size() == 1);
    CHECK(file.starts_with(second + " "));
  }
}

TEST_CASE("cluster: a node that was away during a rotation gets the key when it starts, while the old key is there") {
  if (!mysql_is_tested()) return;
  cluster nodes{2, {.own_key_files = true}};
  REQUIRE(eventually([&] { return nodes.all_up(); }));
  const auto shop = new_merchant(nodes[0]);
  REQUIRE(nodes[1].terminate());
  const auto second = nodes[0].ctl({"master-key", "rotate"})["id"].text();
  const auto made = mint_key(nodes[0], shop.id);
  nodes[1].start();
  CHECK(current_key(nodes[1]) == second);
  CHECK(read_file(nodes.key_file(1)) == read_file(nodes.key_file(0)));
  for (const auto& key : {shop.test, made}) CHECK(api{nodes[1], key}.get("/v1/payment_intents/pay_none").status == 404);
}
