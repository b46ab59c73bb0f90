// The ledger: each entry is stored once, adds up, and is read by merchant and time.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum gateway::commit_outcome;

namespace {

const auto first_day = std::chrono::floor<std::chrono::days>(at(0));

ledger_entry an_entry(const std::string& id, std::uint32_t seq, std::int64_t offset_ms,
                      movement moved = {ledger_kind::captured, 4200}, const std::string& merchant = "merch_1") {
  auto p = a_payment(id);
  p.key.merchant = merchant_id{merchant};
  p.provider_ref = "pi_" + id;
  p.next_seq = seq + 1;
  p.updated_at = at(offset_ms);
  return entry_of(moved, p, "ch_" + id);
}

unit_parts entering(std::vector<ledger_entry> entries) {
  unit_parts unit;
  unit.kind = unit_kind::finish;
  unit.ledger = std::move(entries);
  return unit;
}

find_ledger of_first(const std::string& merchant, std::uint32_t limit) {
  find_ledger what;
  what.merchant = merchant_id{merchant};
  what.env = environment::test;
  what.from = at(0);
  what.until = at(1'000);
  what.limit = limit;
  return what;
}

/// All pages, one after the other.
std::vector<ledger_entry> read_through(contract_store& store, find_ledger what) {
  std::vector<ledger_entry> all;
  for (int page = 0; page < 100; ++page) {
    auto found = store.run(what);
    std::ranges::move(found.entries, std::back_inserter(all));
    if (!found.next) return all;
    what.after = std::move(found.next);
  }
  FAIL("the pages do not end");
  return all;
}

/// The sums of all merchants, page by page.
std::vector<ledger_sum> sums_of(contract_store& store, find_ledger_sums what) {
  std::vector<ledger_sum> all;
  for (;;) {
    auto found = store.run(what);
    std::ranges::move(found.sums, std::back_inserter(all));
    if (found.next.empty()) return all;
    what.after = found.next;
  }
}

}  // namespace

TEST_CASE("an entry of the ledger is read as it was written, and written once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto wallet = an_entry("2", 4, 20, {ledger_kind::refunded, 700});
  wallet.account.clear();
  wallet.movement_ref.clear();
  wallet.accounts = {700, -700, 0};
  const std::vector entries{an_entry("1", 2, 10), wallet, an_entry("3", 2, 30, {ledger_kind::failed, 4200})};
  REQUIRE(store.commit(entering(entries)) == committed);
  CHECK(store.run(of_first("merch_1", 100)).entries == entries);
  CHECK(store.commit(entering({entries[1]})) == lost_claim);
  CHECK(store.commit(entering({an_entry("4", 2, 40), an_entry("4", 2, 40)})) == lost_claim);
  CHECK(store.run(of_first("merch_1", 100)).entries == entries);
}

TEST_CASE("every kind of entry is stored, and one whose sign is another kind's is not") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::vector<ledger_entry> entries;
  for (std::size_t i = 0; i < enum_count<ledger_kind>; ++i) {
    const auto what = static_cast<ledger_kind>(i);
    const auto entry = an_entry("1", static_cast<std::uint32_t>(2 + i), 10, {what, 700});
    INFO(to_string(what));
    for (const std::int64_t customer : {-700, 0, 700}) {
      if (customer == entry.accounts.customer) continue;
      auto wrong = entry;
      wrong.accounts = {customer, 0, -customer};
      CHECK(store.commit(entering({wrong})) == unavailable);
    }
    CHECK(store.commit(entering({entry})) == committed);
    entries.push_back(entry);
  }
  CHECK(store.run(of_first("merch_1", 100)).entries == entries);
}

TEST_CASE("a unit with an entry that does not add up fails whole") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const ledger_accounts faults[] = {{-4200, 4199, 0}, {-4200, 4200, 1}, {4200, 0, -4200}, {0, 0, 0}};
  for (const auto& fault : faults) {
    auto wrong = an_entry("1", 2, 10);
    wrong.accounts = fault;
    CHECK(store.commit(entering({an_entry("2", 2, 10), wrong})) == unavailable);
  }
  auto nothing = an_entry("1", 2, 10);
  nothing.amount.minor = 0;
  nothing.accounts = {};
  CHECK(store.commit(entering({nothing})) == unavailable);
  CHECK(store.run(of_first("merch_1", 100)).entries.empty());
}

TEST_CASE("an entry is committed with its payment's change, or not at all") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(begin_unit("1")) == committed);
  auto finish = finish_unit("1");
  finish.ledger = {an_entry("1", 2, 50)};
  auto late = finish;
  late.ledger = {an_entry("1", 2, 60)};
  CHECK(store.commit(std::vector{finish, late}) == std::vector{committed, lost_claim});
  CHECK(store.run(of_first("merch_1", 100)).entries == finish.ledger);
}

TEST_CASE("the ledger is read page by page, of one merchant or of all") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::vector<ledger_entry> of_one, of_all;
  for (const std::string merchant : {"merch_1", "merch_2", "merch_3"})
    for (int i = 0; i < 6; ++i) {
      // Two at each time, ordered by their ids; two movements of one payment at one time, ordered by their numbers.
      auto entry = an_entry(std::to_string(i % 4), static_cast<std::uint32_t>(2 + i), 100 * (i / 2),
                            {ledger_kind::captured, 10 + i}, merchant);
      if (merchant == "merch_2") entry.provider = provider_kind::stripe;
      auto live = entry;
      live.payment.env = environment::live;
      REQUIRE(store.commit(entering({entry, live})) == committed);
      if (merchant == "merch_1") of_one.push_back(entry);
      if (merchant != "merch_2") of_all.push_back(entry);
    }
  const auto in_order = [](std::vector<ledger_entry>& all) {
    std::ranges::sort(
        all, {}, [](const ledger_entry& e) { return std::tuple{e.payment.merchant.value, e.at, e.payment.id, e.seq}; });
  };
  in_order(of_one);
  in_order(of_all);
  for (const std::uint32_t limit : {1u, 2u, 5u, 100u}) {
    CHECK(read_through(store, of_first("merch_1", limit)) == of_one);
    CHECK(read_through(store, of_first("", limit)) == of_all);
    CHECK(read_through(store, of_first("merch_2", limit)).empty());
  }
  auto some = of_first("merch_1", 2);
  some.from = at(100);
  some.until = at(200);
  CHECK(read_through(store, some) == std::vector{of_one[2], of_one[3]});
}

TEST_CASE("the ledger has a sum for each day, currency, provider and kind") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  constexpr std::int64_t day_ms = 86'400'000;
  const auto midnight = (std::chrono::sys_time<std::chrono::milliseconds>{first_day} - at(0)).count() + day_ms;
  auto elsewhere = an_entry("3", 2, 3, {ledger_kind::captured, 30});
  elsewhere.provider = provider_kind::stripe;
  auto yen = an_entry("4", 2, 4, {ledger_kind::captured, 40});
  yen.amount.unit = currency::parse("JPY").value();
  REQUIRE(store.commit(entering({an_entry("1", 2, 1), an_entry("1", 4, 2, {ledger_kind::refunded, 200}),
                                 an_entry("2", 2, midnight - 1, {ledger_kind::captured, 1'000}),
                                 an_entry("5", 2, midnight, {ledger_kind::failed, 5}), elsewhere, yen,
                                 an_entry("6", 2, 6, {ledger_kind::captured, 60}, "merch_2")})) == committed);
  const auto hkd = currency::parse("HKD").value();
  using enum ledger_kind;
  constexpr auto sandbox = provider_kind::sandbox;
  const std::vector<ledger_sum> of_day{{first_day, sandbox, captured, 2, {5'200, hkd}},
                                       {first_day, sandbox, refunded, 1, {200, hkd}},
                                       {first_day, provider_kind::stripe, captured, 1, {30, hkd}},
                                       {first_day, sandbox, captured, 1, yen.amount}};
  const ledger_sum of_next{first_day + std::chrono::days{1}, sandbox, failed, 1, {5, hkd}};
  find_ledger_sums what;
  what.merchant = merchant_id{"merch_1"};
  what.env = environment::test;
  what.from_day = first_day;
  what.until_day = first_day + std::chrono::days{1};
  CHECK(sums_of(store, what) == of_day);
  what.until_day += std::chrono::days{1};
  auto both = of_day;
  both.push_back(of_next);
  CHECK(sums_of(store, what) == both);
  what.from_day += std::chrono::days{1};
  CHECK(sums_of(store, what) == std::vector{of_next});

  what.merchant = {};
  what.from_day = first_day;
  both[0] = {first_day, sandbox, captured, 3, {5'260, hkd}};
  CHECK(sums_of(store, what) == both);
  what.after = merchant_id{"merch_1"};
  CHECK(sums_of(store, what) == std::vector<ledger_sum>{{first_day, sandbox, captured, 1, {60, hkd}}});
}

TEST_CASE("sums and entries of more merchants than are read at once continue on the next page") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::vector<ledger_entry> entries;
  for (int i = 0; i < 150; ++i)
    entries.push_back(an_entry("1", 2, 10, {ledger_kind::captured, 1}, "merch_" + std::to_string(1'000 + i)));
  REQUIRE(store.commit(entering(entries)) == committed);
  CHECK(read_through(store, of_first("", 1'000)) == entries);
  find_ledger_sums what;
  what.env = environment::test;
  what.from_day = first_day;
  what.until_day = first_day + std::chrono::days{1};
  std::int64_t count = 0;
  for (const auto& sum : sums_of(store, what)) count += sum.count;
  CHECK(count == 150);
}
