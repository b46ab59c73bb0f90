// The store contract: what operators look for, over all merchants.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;

namespace {

void insert(contract_store& store, std::vector<inserted_row> records) {
  unit_parts unit;
  unit.records = std::move(records);
  REQUIRE(store.commit(unit) == commit_outcome::committed);
}

save_merchant shop_of(const std::string& id, std::string name, std::string owner, std::int64_t age) {
  return {merchant_id{id}, entity_id{"ent_" + id}, std::move(name), merchant_kind::standard, std::move(owner), at(age)};
}

/// Three merchants made one after the other, of which two are of the same millisecond.
void insert_shops(contract_store& store) {
  insert(store, {shop_of("merch_1", "Corner 100% Shop", "ada@corner.example", 1),
                 shop_of("merch_2", "ÄRZTE_Bedarf", "", 2), shop_of("merch_3", "Tea", "Ada@Tea.example", 2)});
}

using ids = std::vector<std::string>;

ids ids_of(const merchants_lookup& found) {
  ids out;
  for (const auto& one : found.merchants) out.push_back(one.id.value);
  return out;
}

void insert_payment(contract_store& store, const std::string& merchant, const std::string& id, std::string ref) {
  unit_parts unit;
  unit.insert_payment = a_payment(id);
  unit.insert_payment->key = key_of(id, merchant);
  unit.insert_payment->provider_ref = std::move(ref);
  REQUIRE(store.commit(unit) == commit_outcome::committed);
}

}  // namespace

TEST_CASE("merchants are listed newest first, and found by a part of the name or the owner's address") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK(store.run(find_merchants{}).merchants.empty());
  CHECK_FALSE(store.run(find_merchants{}).next);
  insert_shops(store);
  struct row {
    const char* search;
    ids found;
  };
  for (const auto& [search, found] :
       {row{"", {"merch_3", "merch_2", "merch_1"}}, row{"corner", {"merch_1"}}, row{"ADA@", {"merch_3", "merch_1"}},
        row{"ärzte_b", {"merch_2"}}, row{"0% s", {"merch_1"}}, row{"%", {"merch_1"}}, row{"_", {"merch_2"}},
        row{"c%r", {}}, row{"merch_1", {}}}) {
    INFO(search);
    CHECK(ids_of(store.run(find_merchants{search})) == found);
  }
  CHECK(ids_of(store.run(find_merchants{"nobody", "ent_merch_2"})) == ids{"merch_2"});
  const auto all = store.run(find_merchants{});
  CHECK(all.merchants[1].name == "ÄRZTE_Bedarf");
  CHECK(all.merchants[1].created_at == at(2));
}

TEST_CASE("a list of merchants continues where its page ended, and a search where its reading ended") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  insert_shops(store);
  find_merchants page;
  page.limit = 2;
  const auto first = store.run(page);
  CHECK(ids_of(first) == ids{"merch_3", "merch_2"});
  CHECK(first.next == merchant_position{at(2), merchant_id{"merch_2"}});
  page.after = first.next;
  const auto second = store.run(page);
  CHECK(ids_of(second) == ids{"merch_1"});
  CHECK_FALSE(second.next);

  find_merchants search{"corner"};
  search.compared = 1;
  ids found;
  int parts = 0;
  for (;; ++parts) {
    REQUIRE(parts < 5);
    const auto part = store.run(search);
    for (const auto& one : part.merchants) found.push_back(one.id.value);
    if (!part.next) break;
    search.after = part.next;
  }
  CHECK(found == ids{"merch_1"});
  CHECK(parts == 3);
}

TEST_CASE("people are found by a part of their address, with the merchants that they belong to") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const user_id ada{"user_1"}, ben{"user_2"};
  insert(store, {save_user{ada, "Ada@tea.example", "hash", at(1)}, save_user{ben, "ben@tea.example", "", at(2)},
                 save_membership{merchant_id{"merch_2"}, ada, member_role::owner, at(1)},
                 save_membership{merchant_id{"merch_1"}, ada, member_role::viewer, at(2)}});
  const found_person found_ada{ada, "Ada@tea.example", {merchant_id{"merch_1"}, merchant_id{"merch_2"}}};
  const found_person found_ben{ben, "ben@tea.example", {}};
  CHECK(store.run(find_people{"TEA.ex"}).people == std::vector{found_ada, found_ben});
  CHECK(store.run(find_people{"ada@"}).people == std::vector{found_ada});
  CHECK(store.run(find_people{"t%a"}).people.empty());
  CHECK_FALSE(store.run(find_people{"tea"}).next);

  find_people part{"tea"};
  part.limit = 1;
  const auto first = store.run(part);
  CHECK(first.people == std::vector{found_ada});
  CHECK(first.next == ada);
  part.after = ada;
  const auto second = store.run(part);
  CHECK(second.people == std::vector{found_ben});
  CHECK_FALSE(second.next);
  find_people compared{"ben"};
  compared.compared = 1;
  CHECK(store.run(compared).people.empty());
  CHECK(store.run(compared).next == ada);
}

TEST_CASE("payments of every merchant are found by their id and by their provider's reference") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  insert_shops(store);
  insert_payment(store, "merch_1", "same", "ref_1");
  insert_payment(store, "merch_3", "same", "");
  insert_payment(store, "merch_2", "other", "pay_same");
  const auto merchants_of = [&](find_payments_everywhere what) {
    ids out;
    for (const auto& one : store.run(what).payments) out.push_back(one->key.merchant.value + " " + one->key.id);
    std::ranges::sort(out);
    return out;
  };
  CHECK(merchants_of({"pay_same"}) == ids{"merch_1 pay_same", "merch_2 pay_other", "merch_3 pay_same"});
  CHECK(merchants_of({"ref_1"}) == ids{"merch_1 pay_same"});
  CHECK(merchants_of({"pay_sam"}).empty());
  CHECK(merchants_of({"pay_%"}).empty());
  CHECK(merchants_of({""}).empty());
  CHECK_FALSE(store.run(find_payments_everywhere{"pay_same"}).next);

  find_payments_everywhere part{"pay_same"};
  part.merchants = 2;
  CHECK(merchants_of(part) == ids{"merch_1 pay_same", "merch_2 pay_other"});
  CHECK(store.run(part).next == merchant_id{"merch_2"});
  part.after = merchant_id{"merch_2"};
  CHECK(merchants_of(part) == ids{"merch_3 pay_same"});
  CHECK_FALSE(store.run(part).next);
}

TEST_CASE("a payment is found by its dispute") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  insert_shops(store);
  unit_parts unit;
  unit.insert_payment = a_payment("1");
  dispute one;
  one.id = "dp_1";
  one.amount = 100;
  one.opened_at = at(3);
  unit.insert_payment->records.disputes.push_back(one);
  unit.records = {
      dispute_entry{merchant_id{"merch_1"}, environment::test, "dp_1", "pay_1", dispute_status::needs_response, at(3)}};
  REQUIRE(store.commit(unit) == commit_outcome::committed);
  const auto found = store.run(find_payments_everywhere{"dp_1"}).payments;
  REQUIRE(found.size() == 1);
  CHECK(found.front()->key == key_of("1"));
}

TEST_CASE("an event is found by its id, and a write by its request") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto begin = begin_unit("1");
  begin.insert_command->request_id = "req_1";
  REQUIRE(store.commit(begin) == commit_outcome::committed);
  REQUIRE(store.commit(finish_unit("1")) == commit_outcome::committed);
  REQUIRE(store.commit(begin_unit("2")) == commit_outcome::committed);

  const auto events = store.run(find_events_by_id{"evt_2"}).events;
  REQUIRE(events.size() == 1);
  CHECK(events.front().subject == key_of("1"));
  CHECK(events.front().type == "payment.captured");
  CHECK(store.run(find_events_by_id{"evt_"}).events.empty());

  const found_request expected{
      merchant_id{"merch_1"}, environment::test, begin.insert_command->operation, "payment", "pay_1", at(0)};
  CHECK(store.run(find_requests{"req_1", at(-5), at(5)}).requests == std::vector{expected});
  CHECK(store.run(find_requests{"req_1", at(0), at(0)}).requests.size() == 1);
  CHECK(store.run(find_requests{"req_1", at(1), at(5)}).requests.empty());
  CHECK(store.run(find_requests{"req_2", at(-5), at(5)}).requests.empty());
  CHECK(store.run(find_command{command_key_of("key-1")}).found->request_id == "req_1");
  CHECK(store.run(find_command{command_key_of("key-2")}).found->request_id.empty());
}
