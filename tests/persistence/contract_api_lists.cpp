// The store contract: the lists of the API. Payments by several states, customer and reference; a platform's customers
// and subscriptions.
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

using pay_state = payment_state;
using listed_ids = std::vector<std::string>;

const merchant_id api_shop{"merch_1"};

struct api_payment {
  std::string id;
  std::int64_t created = 0;
  pay_state is = pay_state::captured;
  std::string code = "HKD";
  std::string ref{};       ///< the provider's
  std::string customer{};  ///< of plat_1
};

payment api_row(const api_payment& of, environment env = environment::live, const std::string& merchant = "merch_1",
                const std::string& platform = "plat_1") {
  auto p = a_payment(of.id);
  p.key.merchant = merchant_id{merchant};
  p.key.env = env;
  p.created_at = at(of.created);
  p.state = of.is;
  p.amount.unit = *currency::parse(of.code);
  p.provider_ref = of.ref;
  if (!of.customer.empty())
    p.customer = payment_customer{platform_id{platform}, of.customer, "cus_1", false, false, {}};
  return p;
}

void keep_listed(contract_store& store, const std::vector<payment>& rows) {
  std::vector<unit_parts> units(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) units[i].insert_payment = rows[i];
  REQUIRE(store.commit(units) == std::vector(rows.size(), committed));
}

void move_to(contract_store& store, payment& p, payment_state to) {
  p.state = to;
  p.version += 1;
  unit_parts unit;
  unit.update_payment = p;
  REQUIRE(store.commit(unit) == committed);
}

find_payments of_shop(std::uint32_t limit = 100) {
  find_payments what{api_shop, environment::live};
  what.limit = limit;
  return what;
}

std::optional<payment_position> position_behind(const payments_lookup& page) {
  if (!page.more) return std::nullopt;
  if (page.read_to) return page.read_to;
  REQUIRE_FALSE(page.payments.empty());
  return payment_position{page.payments.back()->created_at, page.payments.back()->key.id};
}

/// All pages, one after the other; `between` runs after each.
listed_ids api_pages(contract_store& store, find_payments what, const std::function<void()>& between = [] {}) {
  listed_ids seen;
  for (int pages = 0; pages < 100; ++pages) {
    const auto page = store.run(what);
    CHECK(page.payments.size() <= what.limit);
    for (const auto& p : page.payments) seen.push_back(p->key.id.substr(4));
    what.before = position_behind(page);
    if (!what.before) return seen;
    between();
  }
  FAIL("the list does not end");
  return seen;
}

const std::vector<api_payment> some_payments{
    {"1", 1, pay_state::captured, "HKD", "ch_1", "ada"},
    {"2", 2, pay_state::captured, "EUR", "ch_2", "bob"},
    {"3", 2, pay_state::partially_refunded, "HKD", "ch_3", "ada"},
    {"4", 3, pay_state::failed, "HKD", "ch_4"},
    {"5", 4, pay_state::refunded, "USD", "ch_5", "ada"},
    {"6", 5, pay_state::captured, "HKD", "ch_1"},
    {"7", 6, pay_state::authorized, "JPY", "", "ada "},
    {"8", 7, pay_state::captured, "EUR", "ch_1 "},
};

std::vector<payment> rows_of(const std::vector<api_payment>& all) {
  std::vector<payment> rows;
  for (const auto& each : all) rows.push_back(api_row(each));
  return rows;
}

customer api_customer(const std::string& id, std::int64_t created, const std::string& platform = "plat_1") {
  customer c;
  c.key = {api_shop, environment::live, entity_kind::customer, id + std::string(60, 'a')};
  c.version = 1;
  c.platform = platform_id{platform};
  c.ref = "ref-" + id;
  c.provider_id = "cus_" + id;
  c.created_at = at(created);
  return c;
}

subscription api_subscription(const std::string& id, std::int64_t created, const std::string& ref = "ada",
                              subscription_status status = subscription_status::active) {
  subscription s;
  s.key = subscription_key(api_shop, environment::live, id);
  s.version = 1;
  s.platform = platform_id{"plat_1"};
  s.details.customer_ref = ref;
  s.state.status = status;
  s.created_at = at(created);
  s.updated_at = at(created);
  return s;
}

void keep_listed(contract_store& store, const customer& c) {
  unit_parts unit;
  unit.insert_customer = c;
  REQUIRE(store.commit(unit) == committed);
}

void keep_listed(contract_store& store, const subscription& s) {
  unit_parts unit;
  unit.insert_subscription = s;
  REQUIRE(store.commit(unit) == committed);
}

listed_ids api_pages(contract_store& store, find_customers_of_platform what) {
  listed_ids seen;
  for (;;) {
    const auto page = store.run(what);
    CHECK(page.customers.size() <= what.limit);
    for (const auto& c : page.customers) seen.push_back(c->ref);
    if (!page.more) return seen;
    what.before = listed_position{page.customers.back()->created_at, page.customers.back()->key.id};
  }
}

listed_ids api_pages(contract_store& store, find_subscriptions_of_platform what) {
  listed_ids seen;
  for (;;) {
    const auto page = store.run(what);
    CHECK(page.subscriptions.size() <= what.limit);
    for (const auto& s : page.subscriptions) seen.push_back(s->key.id);
    if (!page.next) return seen;
    what.before = page.next;
  }
}

}  // namespace

TEST_CASE("payments are listed by several states, customer and reference, and by all of them together") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto rows = rows_of(some_payments);
  rows.push_back(api_row({"a", 9, pay_state::captured, "HKD", "ch_1", "ada"}, environment::test));
  rows.push_back(api_row({"b", 9, pay_state::captured, "HKD", "ch_1", "ada"}, environment::live, "merch_2"));
  rows.push_back(api_row({"c", 9, pay_state::captured, "HKD", "ch_9", "ada"}, environment::live, "merch_1", "plat_2"));
  auto hidden = api_row({"d", 9, pay_state::captured, "PKR", "ch_1"});
  hidden.hides_provider = true;
  rows.push_back(hidden);
  keep_listed(store, rows);
  using filter = std::function<void(find_payments&)>;
  const auto of_ada = [](find_payments& what) {
    what.platform = platform_id{"plat_1"};
    what.customer_ref = "ada";
  };
  const std::pair<filter, listed_ids> cases[] = {
      {[](auto& what) { what.any_of = {pay_state::partially_refunded, pay_state::failed}; }, {"4", "3"}},
      {[](auto& what) { what.any_of = {pay_state::refunded, pay_state::captured, pay_state::authorized}; },
       {"d", "c", "8", "7", "6", "5", "2", "1"}},
      {[](auto& what) {
         what.any_of = {pay_state::captured, pay_state::failed};
         what.currency = "EUR";
       },
       {"8", "2"}},
      {[](auto& what) { what.any_of = {pay_state::created, pay_state::voided}; }, {}},
      {of_ada, {"5", "3", "1"}},
      {[&](auto& what) { of_ada(what), what.customer_ref = "ada "; }, {"7"}},
      {[&](auto& what) { of_ada(what), what.platform = platform_id{"plat_2"}; }, {"c"}},
      {[&](auto& what) { of_ada(what), what.customer_ref = "ad"; }, {}},
      {[&](auto& what) { of_ada(what), what.state = pay_state::captured; }, {"1"}},
      {[&](auto& what) { of_ada(what), what.any_of = {pay_state::captured, pay_state::refunded}; }, {"5", "1"}},
      {[&](auto& what) { of_ada(what), what.currency = "HKD"; }, {"3", "1"}},
      {[&](auto& what) { of_ada(what), what.from = at(2), what.until = at(4); }, {"3"}},
      {[&](auto& what) { of_ada(what), what.from = at(4), what.until = at(2); }, {}},
      {[](auto& what) { what.provider_ref = "ch_1"; }, {"6", "1"}},
      {[](auto& what) { what.provider_ref = "ch_1 "; }, {"8"}},
      {[](auto& what) { what.provider_ref = "ch_7"; }, {}},
      {[](auto& what) { what.provider_ref = "ch_1", what.until = at(5); }, {"1"}},
      {[](auto& what) { what.provider_ref = "ch_1", what.from = at(5); }, {"6"}},
      {[&](auto& what) { of_ada(what), what.provider_ref = "ch_1"; }, {"1"}},
      {[&](auto& what) { of_ada(what), what.provider_ref = "ch_1", what.state = pay_state::failed; }, {}},
  };
  for (const std::uint32_t limit : {1u, 2u, 3u, 100u})
    for (std::size_t i = 0; i < std::size(cases); ++i) {
      CAPTURE(limit, i);
      const auto& [narrow, expected] = cases[i];
      auto what = of_shop(limit);
      narrow(what);
      CHECK(api_pages(store, what) == expected);
    }
}

TEST_CASE("a page that is full, with nothing behind it, is the last") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  keep_listed(store, rows_of(some_payments));
  auto of_customer = of_shop(3);
  of_customer.platform = platform_id{"plat_1"};
  of_customer.customer_ref = "ada";
  auto of_reference = of_shop(2), of_states = of_shop(2);
  of_reference.provider_ref = "ch_1";
  of_states.any_of = {pay_state::partially_refunded, pay_state::failed};
  for (const auto& what : {of_customer, of_reference, of_states}) {
    const auto page = store.run(what);
    CHECK(page.payments.size() == what.limit);
    CHECK_FALSE(page.more);
  }
}

TEST_CASE("a payment that moves between the wanted states while pages are read is listed once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::vector<payment> rows;
  listed_ids expected;
  for (int i = 100; i < 140; ++i) {
    // With three states these are more ranges than the shorter statement has room for.
    const char* codes[] = {"HKD", "EUR", "USD", "JPY", "GBP", "CHF", "SEK"};
    rows.push_back(api_row({std::to_string(i), i, pay_state::captured, codes[i % 7]}));
    expected.insert(expected.begin(), std::to_string(i));
  }
  keep_listed(store, rows);
  auto what = of_shop(7);
  what.any_of = {pay_state::captured, pay_state::partially_refunded, pay_state::refunded};
  int round = 0;
  const auto seen = api_pages(store, what, [&] {
    ++round;
    keep_listed(store, {api_row({"new" + std::to_string(round), 500 + round})});
    for (auto& p : rows)
      if (p.state != pay_state::refunded && (p.key.id.back() + round) % 3 == 0)
        move_to(store, p, p.state == pay_state::captured ? pay_state::partially_refunded : pay_state::refunded);
  });
  CHECK(round > 3);
  CHECK(seen == expected);
}

TEST_CASE("of a customer with many payments a page reads a bounded number, and says where it goes on") {
  FOR_EACH_STORE(kind);
  contract_store store{kind == store_kind::sqlite ? contract_kind::sqlite : contract_kind::mysql};
  constexpr int count = static_cast<int>(most_filtered_payments) + 200;
  std::vector<payment> rows;
  for (int i = 0; i < count; ++i)
    rows.push_back(
        api_row({std::to_string(10'000 + i), i, i == 0 ? pay_state::failed : pay_state::captured, "HKD", "", "ada"}));
  keep_listed(store, rows);
  auto what = of_shop(20);
  what.platform = platform_id{"plat_1"};
  what.customer_ref = "ada";
  what.state = pay_state::failed;
  const auto first = store.run(what);
  CHECK(first.payments.empty());
  CHECK(first.more);
  REQUIRE(first.read_to);
  CHECK(first.read_to->created_at == at(count - static_cast<int>(most_filtered_payments)));
  CHECK(api_pages(store, what) == listed_ids{"10000"});
}

TEST_CASE("a platform's customers at a merchant are listed newest first, with the times at which methods were saved") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto a = api_customer("a", 1);
  a.methods = {"pm_\"1\"", "pm_2"};
  a.saved_at = {{"pm_\"1\"", at(5)}, {"pm_2", at(6)}};
  keep_listed(store, a);
  for (const auto& each : {api_customer("b", 3), api_customer("c", 2), api_customer("d", 3)}) keep_listed(store, each);
  keep_listed(store, api_customer("e", 4, "plat_2"));
  auto elsewhere = api_customer("f", 4);
  elsewhere.key.merchant = merchant_id{"merch_2"};
  keep_listed(store, elsewhere);
  find_customers_of_platform what{api_shop, platform_id{"plat_1"}};
  for (const std::uint32_t limit : {1u, 2u, 3u, 4u, 100u}) {
    what.limit = limit;
    CHECK(api_pages(store, what) == listed_ids{"ref-d", "ref-b", "ref-c", "ref-a"});
  }
  what.limit = 4;
  const auto page = store.run(what);
  CHECK_FALSE(page.more);
  CHECK(*page.customers.back() == a);
  a.version = 2;
  a.methods = {"pm_2"};
  a.saved_at.erase("pm_\"1\"");
  unit_parts unit;
  unit.update_customer = a;
  REQUIRE(store.commit(unit) == committed);
  CHECK(*store.run(what).customers.back() == a);
}

TEST_CASE("a platform's subscriptions at a merchant are listed newest first, by status and by customer") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  using enum subscription_status;
  for (const auto& each :
       {api_subscription("s1", 1), api_subscription("s2", 3, "bob"), api_subscription("s3", 3, "ada", canceled),
        api_subscription("s4", 2, "ada "), api_subscription("s5", 5, "bob", pending)})
    keep_listed(store, each);
  auto others = api_subscription("s6", 9);
  others.platform = platform_id{"plat_2"};
  keep_listed(store, others);
  others.platform = platform_id{"plat_1"};
  others.key.merchant = merchant_id{"merch_2"};
  keep_listed(store, others);
  find_subscriptions_of_platform what{api_shop, platform_id{"plat_1"}};
  for (const std::uint32_t limit : {1u, 2u, 100u}) {
    const auto listed = [&](std::optional<subscription_status> status, const std::string& ref) {
      what.limit = limit;
      what.status = status;
      what.customer_ref = ref;
      return api_pages(store, what);
    };
    CHECK(listed(std::nullopt, "") == listed_ids{"s5", "s3", "s2", "s4", "s1"});
    CHECK(listed(active, "") == listed_ids{"s2", "s4", "s1"});
    CHECK(listed(std::nullopt, "ada") == listed_ids{"s3", "s1"});
    CHECK(listed(std::nullopt, "ada ") == listed_ids{"s4"});
    CHECK(listed(canceled, "ada") == listed_ids{"s3"});
    CHECK(listed(unpaid, "") == listed_ids{});
    CHECK(listed(std::nullopt, "eve") == listed_ids{});
  }
}

TEST_CASE("rows of an earlier version are found by the lists of the API after the migration") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  unit_parts first, second, third;
  first.insert_payment = api_row({"1", 1, pay_state::captured, "HKD", "ch_1", "Zoë \"42\" \\ 日本語 🦊 "});
  second.insert_payment = api_row({"2", 2});
  third.insert_subscription = api_subscription("s1", 7, "Zoë \"42\" \\ 🦊 ");
  const std::vector<unit_of_work> units{first, second, third};
  REQUIRE(commit_units(*store.writer, units) == std::vector(units.size(), committed));
  // As the rows were before, and again what the migration does to rows.
  store.writer->begin();
  for (const auto* sql :
       {"DELETE FROM customer_payments", "UPDATE subscriptions SET created_at = NULL, customer_ref = NULL"})
    store.writer->execute(sql);
  for (const auto& step : known_migrations())
    if (step.name == "0022_api_lists")
      for (const auto& sql : render_migration(store.writer->language(), step.sql))
        if (sql.starts_with("INSERT") || sql.starts_with("UPDATE")) store.writer->execute(sql);
  store.writer->commit();
  auto what = of_shop();
  what.platform = platform_id{"plat_1"};
  what.customer_ref = first.insert_payment->customer->ref;
  const auto db = connect(store.where(), access::read);
  const auto payments = run(*db, what).payments;
  REQUIRE(payments.size() == 1);
  CHECK(*payments.front() == *first.insert_payment);
  find_subscriptions_of_platform of_platform{api_shop, platform_id{"plat_1"}};
  of_platform.customer_ref = third.insert_subscription->details.customer_ref;
  const auto subscriptions = run(*db, of_platform).subscriptions;
  REQUIRE(subscriptions.size() == 1);
  CHECK(*subscriptions.front() == *third.insert_subscription);
}
