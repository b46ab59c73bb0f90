// Which nodes are live, and what each owns.
#include <catch2/catch.hpp>

#include "gateway/domain/node.hpp"

using namespace gateway;
using namespace std::chrono_literals;

namespace {

node_row row_of(const std::string& name, std::int64_t beats, node_status status = node_status::up) {
  node_row row;
  row.name = name;
  row.incarnation = "first";
  row.status = status;
  row.beats = beats;
  return row;
}

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 1; i <= count; ++i) all.push_back("n" + std::to_string(i));
  return all;
}

entity_key payment_number(int i) {
  return {merchant_id{"merch_" + std::to_string(i % 7)}, environment::live, entity_kind::payment,
          "pay_" + std::to_string(i)};
}

}  // namespace

TEST_CASE("a node is live for a lease after its row was last seen to change, and no longer") {
  node_watch watch;
  const std::vector rows{row_of("n1", 1)};
  watch.look(rows, 1'000ms);
  CHECK(watch.lives(rows[0], 1'000ms + lease_lasts - 1ms));
  watch.look(rows, 1'000ms + lease_lasts - 1ms);  // read again, and unchanged
  CHECK_FALSE(watch.lives(rows[0], 1'000ms + lease_lasts));

  const std::vector later{row_of("n1", 2)};
  watch.look(later, 20'000ms);
  CHECK(watch.lives(later[0], 24'999ms));
  CHECK_FALSE(watch.lives(later[0], 25'000ms));
}

TEST_CASE("another process under the same name is a change, also with the same count") {
  node_watch watch;
  std::vector rows{row_of("n1", 1)};
  watch.look(rows, 0ms);
  rows[0].incarnation = "second";
  watch.look(rows, 9'000ms);
  CHECK(watch.lives(rows[0], 10'000ms));
}

TEST_CASE("a node that has announced its leaving is not live, and one whose row was never read may be") {
  node_watch watch;
  const std::vector rows{row_of("n1", 1, node_status::gone)};
  watch.look(rows, 0ms);
  CHECK_FALSE(watch.lives(rows[0], 1ms));
  CHECK(watch.lives(row_of("n2", 1), 1ms));
}

TEST_CASE("a node stops writing before any other node may consider it gone") {
  // The node counts its lease from a time before the renewal is sent; the others see the renewed row later.
  constexpr auto own_end = lease_lasts - lease_in_hand;
  constexpr auto commit_on_its_way = 1'000ms;
  CHECK(own_end + commit_on_its_way < lease_lasts);
  CHECK(own_end > 2 * lease_renewed_every);
}

TEST_CASE("an owner is the same on each node, and for any order of the nodes") {
  const auto some = names(3);
  const std::vector<std::string> reversed{some.rbegin(), some.rend()};
  for (int i = 0; i < 1'000; ++i) {
    const auto hash = ownership_hash(payment_number(i));
    CHECK(owner_of(hash, some) == owner_of(hash, reversed));
  }
  // All program versions must agree: these numbers must never change.
  CHECK(stable_hash("merch_1") == 0x9ca448064b44ebd0ULL);
  CHECK(owner_of(42, {}).empty());
}

TEST_CASE("every node owns its share, within a tenth") {
  for (const std::size_t count : {2u, 3u, 5u}) {
    const auto all = names(count);
    std::map<std::string, int> owned;
    constexpr int things = 20'000;
    for (int i = 0; i < things; ++i) ++owned[std::string{owner_of(ownership_hash(payment_number(i)), all)}];
    for (const auto& [name, share] : owned) {
      CAPTURE(count, name, share);
      CHECK(share == Approx(things / static_cast<double>(count)).epsilon(0.1));
    }
    CHECK(owned.size() == count);
  }
}

TEST_CASE("when a node joins or leaves, only entities that it owns or owned move") {
  const auto four = names(4);
  const std::vector<std::string> three{four.begin(), four.end() - 1};
  for (int i = 0; i < 5'000; ++i) {
    const auto hash = ownership_hash(payment_number(i));
    if (owner_of(hash, four) != "n4") CHECK(owner_of(hash, four) == owner_of(hash, three));
  }
}

TEST_CASE("keys that differ in any part differ in their hash") {
  const entity_key one{merchant_id{"m"}, environment::test, entity_kind::payment, "p"};
  auto other = one;
  other.env = environment::live;
  CHECK(ownership_hash(one) != ownership_hash(other));
  other = one;
  other.kind = entity_kind::subscription;
  CHECK(ownership_hash(one) != ownership_hash(other));
  other = one;
  other.id = "q";
  CHECK(ownership_hash(one) != ownership_hash(other));
}
