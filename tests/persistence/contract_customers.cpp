// The store contract: platforms' customers, and the customers that payments name.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

customer a_customer(const std::string& id, std::vector<std::string> methods = {}) {
  customer c;
  c.key = {merchant_id{"merch_1"}, environment::live, entity_kind::customer, id + std::string(60, 'a')};
  c.version = 1;
  c.platform = platform_id{"plat_1"};
  c.ref = "Zoë \"42\" \\ 日本語 🦊 ";
  c.provider_id = "cus_1";
  c.methods = std::move(methods);
  c.created_at = at(7);
  return c;
}

unit_parts inserting(const customer& c) {
  unit_parts unit;
  unit.insert_customer = c;
  return unit;
}

unit_parts claiming(const customer& c) {
  unit_parts unit;
  unit.update_customer = c;
  return unit;
}

std::vector<std::string> listed(contract_store& store, const find_customers& what) {
  std::vector<std::string> ids;
  for (const auto& each : store.run(what).customers) ids.push_back(each->key.id.substr(0, 1));
  return ids;
}

}  // namespace

TEST_CASE("a customer is inserted once, and changed by its version") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto c = a_customer("a");
  CHECK_FALSE(store.run(find_entity{c.key}).found);
  CHECK(store.commit(inserting(c)) == committed);
  CHECK(customer_in(store.run(find_entity{c.key})) == c);
  CHECK(store.commit(inserting(c)) == entity_exists);
  auto next = c;
  next.version = 2;
  next.methods = {"pm_a", "pm_\"b\""};
  next.account = "acct_1";
  next.other_names = {{provider_kind::stripe, "acct_\"2\"", "cus_2", {"pm_a"}},
                      {provider_kind::sandbox, "", "cus_3", {}}};
  CHECK(store.commit(claiming(next)) == committed);
  CHECK(customer_in(store.run(find_entity{c.key})) == next);
  CHECK(store.commit(claiming(next)) == lost_claim);
  auto unknown = a_customer("z");
  unknown.version = 2;
  CHECK(store.commit(claiming(unknown)) == lost_claim);
  CHECK_FALSE(store.run(find_entity{unknown.key}).found);
  // The same id in the other environment is another customer.
  auto key = c.key;
  key.env = environment::test;
  CHECK_FALSE(store.run(find_entity{key}).found);
}

TEST_CASE("of two first records of a customer in one batch one is stored, and the other is reported as existing") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto c = a_customer("a", {"pm_a"});
  CHECK(store.commit(std::vector{inserting(c), inserting(a_customer("a"))}) ==
        std::vector<commit_outcome>{committed, entity_exists});
  CHECK(customer_in(store.run(find_entity{c.key})) == c);
}

TEST_CASE("a customer stored by an earlier gateway has no provider account") {
  FOR_EACH_STORE(kind);
  const migrated_store store{kind};
  auto c = a_customer("a", {"pm_a"});
  c.account = "acct_1";
  const unit_of_work saved = inserting(c);
  REQUIRE(commit_units(*store.writer, {&saved, 1}).front() == committed);
  store.writer->begin();
  store.writer->execute("UPDATE customers SET account = NULL, other_names = NULL");
  store.writer->commit();
  c.account.clear();
  CHECK(customer_in(run(*store.reader, find_entity{c.key})) == c);
}

TEST_CASE("a merchant's customers are listed in pages") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  for (const auto* id : {"c", "a", "b"}) CHECK(store.commit(inserting(a_customer(id))) == committed);
  auto others = a_customer("d");
  others.key.merchant = merchant_id{"merch_2"};
  CHECK(store.commit(inserting(others)) == committed);
  using ids = std::vector<std::string>;
  CHECK(listed(store, {merchant_id{"merch_1"}, {}, 10}) == ids{"a", "b", "c"});
  CHECK(listed(store, {merchant_id{"merch_1"}, {}, 2}) == ids{"a", "b"});
  CHECK(listed(store, {merchant_id{"merch_1"}, a_customer("b").key.id, 2}) == ids{"c"});
  CHECK(listed(store, {merchant_id{"merch_3"}, {}, 2}).empty());
  CHECK(*store.run(find_customers{merchant_id{"merch_2"}}).customers.at(0) == others);
}

TEST_CASE("customers are found by the provider's first name for them, in every merchant and environment") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto named = [](const std::string& id, const std::string& provider_id,
                        const std::string& merchant = "merch_1") {
    auto c = a_customer(id);
    c.key.merchant = merchant_id{merchant};
    c.provider_id = provider_id;
    return c;
  };
  auto forgotten = named("d", "");
  forgotten.generation = 2;
  const auto one = named("a", "cus_1"), other = named("b", "cus_1", "merch_2"), third = named("c", "cus_2");
  for (const auto& each : {one, other, third, forgotten}) CHECK(store.commit(inserting(each)) == committed);
  using keys = std::vector<entity_key>;
  CHECK(store.run(find_customer_keys{"cus_1"}).keys == keys{one.key, other.key});
  CHECK(store.run(find_customer_keys{"cus_1", 1}).keys == keys{one.key});
  CHECK(store.run(find_customer_keys{"CUS_1"}).keys.empty());
  CHECK(store.run(find_customer_keys{""}).keys.empty());
  CHECK(customer_in(store.run(find_entity{forgotten.key})) == forgotten);
}

TEST_CASE("a payment names its customer, and the saved method") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto p = a_payment("1");
  p.customer = payment_customer{platform_id{"plat_1"}, "Zoë \"42\" ", "", true, false, ""};
  p.details.captures_at_once = true;
  unit_parts first;
  first.insert_payment = p;
  CHECK(store.commit(first) == committed);
  CHECK(payment_in(store.run(find_entity{p.key})) == p);
  auto here = a_payment("2");
  here.customer = p.customer;
  here.customer->saves_on_session = true;
  here.customer->generation = 3;
  first.insert_payment = here;
  CHECK(store.commit(first) == committed);
  CHECK(payment_in(store.run(find_entity{here.key})) == here);
  p = captured(p);
  p.customer->provider_id = "cus_1";
  p.customer->saved_method = "pm_a";
  unit_parts second;
  second.update_payment = p;
  CHECK(store.commit(second) == committed);
  CHECK(payment_in(store.run(find_entity{p.key})) == p);
}
