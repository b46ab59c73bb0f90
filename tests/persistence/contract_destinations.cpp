// The store contract: the names of destinations, deleted ones, what the attempts at them show, and what waits for them.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

const std::string lantern = "merch_1";

save_destination a_hook(const std::string& id, destination_status status = destination_status::enabled) {
  save_destination d;
  d.what.id = destination_id{id};
  d.what.owner = lantern;
  d.what.url = "https://lantern.example/" + id;
  d.what.status = status;
  d.what.created_at = at(1);
  d.what.name = "Zoë's 店";
  d.what.enabled_at = at(7);
  d.what.standard_webhooks = id == "dest_1";
  d.sealed_secret = "sealed";
  return d;
}

destination_health health_of(const std::string& owner, const std::string& id) {
  destination_health h;
  h.owner = owner;
  h.id = destination_id{id};
  return h;
}

template <class Row>
void must_insert(contract_store& store, const Row& row) {
  unit_of_work unit;
  if constexpr (std::is_same_v<Row, destination_health>) unit.kind = unit_kind::record;
  unit.inserts.emplace_back(row);
  REQUIRE(store.commit(unit) == committed);
}

}  // namespace

TEST_CASE("a destination's name and the time when it was enabled are stored; a deleted one is not listed") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto kept = a_hook("dest_1");
  must_insert(store, kept);
  must_insert(store, a_hook("dest_2"));
  must_insert(store, a_hook("dest_2", destination_status::deleted));
  CHECK(store.run(find_destinations{}).destinations == std::vector{kept});
  CHECK(store.run(find_destinations{.limit = 1}).left_out == 0);
  // The directory still reads it.
  unit_of_work unit;
  unit.inserts.emplace_back(save_merchant{merchant_id{lantern}, entity_id{"ent_1"}, "Lantern", {}, {}, at(1)});
  REQUIRE(store.commit(unit) == committed);
  find_directory query;
  query.of.push_back({directory_name::kind::merchant, lantern});
  const auto found = store.run(query).destinations;
  REQUIRE(found.size() == 2);
  CHECK(found[1].what.status == destination_status::deleted);
}

TEST_CASE("a destination's health is stored whole, replaced, and read by owner or alone") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto full = health_of(lantern, "dest_1");
  full.failing_since = at(1);
  full.last_success_at = at(2);
  full.last_failure_at = at(3);
  full.paused_until = at(4);
  full.hours = {{500'000, 4'294'967'295U, 17}, {500'001, 1, 0}};
  must_insert(store, full);
  const auto empty = health_of(lantern, "dest_2"), other = health_of("merch_2", "dest_3");
  must_insert(store, empty);
  must_insert(store, other);
  CHECK(store.run(find_destination_health{lantern}).of == std::vector{full, empty});
  CHECK(store.run(find_destination_health{.owner = lantern, .limit = 1}).of == std::vector{full});
  CHECK(store.run(find_destination_health{lantern, destination_id{"dest_2"}}).of == std::vector{empty});
  CHECK(store.run(find_destination_health{lantern, destination_id{"dest_3"}}).of.empty());
  full.failing_since.reset();
  full.paused_until.reset();
  full.hours = {{500'002, 3, 1}};
  must_insert(store, full);
  CHECK(store.run(find_destination_health{lantern, destination_id{"dest_1"}}).of == std::vector{full});
}

TEST_CASE("what waits for a destination is counted up to a number, with the oldest and the next attempt") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(begin_unit("1")) == committed);
  auto unit = finish_unit("1");
  const destination_id to{"dest_1"};
  for (const auto& [number, due] : {std::pair{5, 50}, {6, 40}, {7, 60}, {8, 70}}) {
    delivery d;
    d.id = number;
    d.subject = key_of("1");
    d.event_seq = 2;
    d.to = number == 8 ? destination_id{"dest_2"} : to;
    d.next_attempt_at = at(due);
    d.created_at = at(1);
    unit.deliveries.push_back(d);
  }
  REQUIRE(store.commit(unit) == committed);
  const auto all = store.run(find_waiting_deliveries{to, 10});
  CHECK(all.count == 3);
  CHECK(all.oldest_number == 5);
  CHECK(all.next_attempt_at == at(40));
  const auto some = store.run(find_waiting_deliveries{to, 1});
  CHECK(some.count == 1);
  CHECK(some.oldest_number == 6);
  const auto none = store.run(find_waiting_deliveries{destination_id{"dest_3"}, 10});
  CHECK(none.count == 0);
  CHECK(none.oldest_number == 0);
  CHECK_FALSE(none.next_attempt_at);
}
