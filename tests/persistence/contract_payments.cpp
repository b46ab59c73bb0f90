// The store contract: lists of a merchant's payments, a payment's deliveries, and totals by day.
#include <catch2/catch.hpp>

#include <algorithm>
#include <tuple>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

const merchant_id lister{"merch_1"};
using names = std::vector<std::string>;

payment payment_of(const std::string& id, std::int64_t created, payment_state state, std::string_view code = "HKD") {
  auto p = a_payment(id);
  p.created_at = at(created);
  p.state = state;
  p.amount.unit = currency::parse(code).value();
  p.provider_ref = "ref_" + id;
  return p;
}

void insert_payments(contract_store& store, const std::vector<payment>& rows) {
  std::vector<unit_parts> units(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) units[i].insert_payment = rows[i];
  REQUIRE(store.commit(units) == std::vector(rows.size(), committed));
}

names listed(const payments_lookup& found) {
  names ids;
  for (const auto& p : found.payments) ids.push_back(p->key.id.substr(4));
  return ids;
}

find_payments of_lister(std::optional<payment_state> state = {}, std::string code = "", std::uint32_t limit = 50) {
  find_payments what{lister, environment::test};
  what.state = state;
  what.currency = std::move(code);
  what.limit = limit;
  return what;
}

payment_position position_of(const payment_ptr& p) { return {p->created_at, p->key.id}; }

/// Reads all pages from the newest payment on, and then back again.
void check_paging(contract_store& store, find_payments what, const names& expected) {
  names seen;
  std::vector<names> pages;
  for (auto page = store.run(what);; page = store.run(what)) {
    pages.push_back(listed(page));
    std::ranges::copy(pages.back(), std::back_inserter(seen));
    CHECK(page.more == (seen.size() < expected.size()));
    if (!page.more || page.payments.empty()) break;
    what.before = position_of(page.payments.back());
  }
  CHECK(seen == expected);
  if (pages.size() < 2) return;
  // The page before the last one, starting at the last page's newest payment.
  const auto last = store.run(what);
  auto back = what;
  back.before.reset();
  back.after = position_of(last.payments.front());
  const auto page = store.run(back);
  CHECK(listed(page) == pages[pages.size() - 2]);
  CHECK(page.more == (pages.size() > 2));
}

/// `rows`: newest first.
void check_filter(contract_store& store, const std::vector<payment>& rows, std::optional<payment_state> state,
                  const std::string& code, std::optional<time_point> from, std::optional<time_point> until) {
  names expected;
  for (const auto& p : rows)
    if ((!state || p.state == *state) && (code.empty() || p.amount.unit.code() == code) &&
        (!from || p.created_at >= *from) && (!until || p.created_at < *until))
      expected.push_back(p.key.id.substr(4));
  for (const std::uint32_t limit : {3u, 5u, 100u}) {
    auto what = of_lister(state, code, limit);
    what.from = from;
    what.until = until;
    check_paging(store, what, expected);
  }
}

count_daily counted(int day, daily_counter what, std::int64_t count, std::int64_t minor, std::string_view code = "HKD",
                    environment env = environment::test) {
  const std::chrono::sys_days of{std::chrono::days{day}};
  return {lister, env, daily_total{of, what, count, money{minor, currency::parse(code).value()}}};
}

std::vector<daily_total> totals(contract_store& store, int from, int until, environment env = environment::test) {
  using std::chrono::days;
  using std::chrono::sys_days;
  return store.run(find_daily_totals{lister, env, sys_days{days{from}}, sys_days{days{until}}}).totals;
}

}  // namespace

TEST_CASE("a merchant's payments are listed by state, currency and time, page by page and back") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  using enum payment_state;
  std::vector<payment> rows;
  // Two at each time, ordered by their ids.
  const payment_state states[] = {captured, failed, refunded};
  const std::string_view codes[] = {"HKD", "EUR", "USD", "JPY"};
  for (int i = 0; i < 48; ++i)
    rows.push_back(payment_of(std::to_string(100 + i), i / 2, states[i % 3], codes[i / 3 % 4]));
  insert_payments(store, rows);
  auto elsewhere = payment_of("200", 5, captured);
  elsewhere.key.merchant = merchant_id{"merch_2"};
  auto live = payment_of("201", 5, captured);
  live.key.env = environment::live;
  insert_payments(store, {elsewhere, live});

  std::ranges::reverse(rows);
  for (const auto state : {std::optional<payment_state>{}, std::optional{captured}, std::optional{voided}})
    for (const std::string code : {"", "EUR", "KWD"})
      for (const auto from : {std::optional<time_point>{}, std::optional{at(4)}})
        for (const auto until : {std::optional<time_point>{}, std::optional{at(20)}}) {
          INFO((state ? to_string(*state) : "any state")
               << ' ' << code << (from ? " from" : "") << (until ? " until" : ""));
          check_filter(store, rows, state, code, from, until);
        }
}

TEST_CASE("a merchant's payments are counted by state, currency and time, up to a limit for each state") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  using enum payment_state;
  std::vector<payment> rows;
  const payment_state states[] = {captured, captured, failed};
  for (int i = 0; i < 30; ++i)
    rows.push_back(payment_of(std::to_string(100 + i), i, states[i % 3], i % 2 == 0 ? "HKD" : "EUR"));
  insert_payments(store, rows);
  auto elsewhere = payment_of("200", 5, captured);
  elsewhere.key.merchant = merchant_id{"merch_2"};
  auto live = payment_of("201", 5, captured);
  live.key.env = environment::live;
  insert_payments(store, {elsewhere, live});

  using counted = payment_counts::count;
  count_payments what{lister, environment::test};
  CHECK(store.run(what).of(captured) == counted{20, false});
  CHECK(store.run(what).of(failed) == counted{10, false});
  CHECK(store.run(what).of(voided) == counted{0, false});
  // The limit is for all currencies together.
  for (const auto& [most, of_captured, of_failed] : {std::tuple{9u, counted{9, true}, counted{9, true}},
                                                     {10u, counted{10, true}, counted{10, false}},
                                                     {19u, counted{19, true}, counted{10, false}},
                                                     {20u, counted{20, false}, counted{10, false}}}) {
    CAPTURE(most);
    what.most = most;
    CHECK(store.run(what).of(captured) == of_captured);
    CHECK(store.run(what).of(failed) == of_failed);
  }
  what.most = 100;
  what.currency = "EUR";
  CHECK(store.run(what).of(captured) == counted{10, false});
  what.from = at(10);  // included
  what.until = at(21);  // not included
  CHECK(store.run(what).of(captured) == counted{3, false});
  CHECK(store.run(what).of(failed) == counted{2, false});
  what.currency.clear();
  CHECK(store.run(what).of(captured) == counted{7, false});
  CHECK(store.run(what).of(failed) == counted{4, false});
  what.currency = "KWD";
  CHECK(store.run(what).of(captured) == counted{0, false});
}

TEST_CASE("a page of payments ends before their texts exceed its bytes, and has at least one payment") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::vector<payment> rows;
  names expected;
  for (int i = 0; i < 12; ++i) {
    rows.push_back(payment_of(std::to_string(100 + i), i, payment_state::captured));
    rows.back().details.description = std::string(i % 4 == 3 ? 5'000 : 300, 'x');
    rows.back().details.metadata = {{"k", std::string(100, 'y')}};
    expected.insert(expected.begin(), std::to_string(100 + i));
  }
  insert_payments(store, rows);
  for (const auto state : {std::optional<payment_state>{}, std::optional{payment_state::captured}}) {
    auto what = of_lister(state, "", 7);
    what.most_bytes = 1'000;
    names seen;
    std::vector<std::size_t> sizes;
    for (auto page = store.run(what);; page = store.run(what)) {
      sizes.push_back(page.payments.size());
      std::ranges::copy(listed(page), std::back_inserter(seen));
      if (!page.more) break;
      what.before = position_of(page.payments.back());
    }
    CHECK(seen == expected);
    CHECK(sizes == std::vector<std::size_t>{1, 2, 1, 1, 2, 1, 1, 2, 1});
  }
}

TEST_CASE("a list of a state includes payments of more currencies than are read at once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const std::string_view codes[] = {"AED", "AUD", "BRL", "CAD", "CHF", "CNY", "EUR", "GBP", "HKD", "INR", "JPY", "USD"};
  std::vector<payment> rows;
  names expected;
  for (int i = 0; i < 24; ++i) {
    rows.push_back(payment_of(std::to_string(100 + i), i, payment_state::captured, codes[i % 12]));
    expected.insert(expected.begin(), std::to_string(100 + i));
  }
  insert_payments(store, rows);
  check_paging(store, of_lister(payment_state::captured, "", 7), expected);
}

TEST_CASE("a listed payment equals the stored one") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(std::vector{begin_unit("1"), finish_unit("1")}) == std::vector(2, committed));
  const auto stored = payment_in(store.run(find_entity{key_of("1")})).value();
  for (const auto& what : {of_lister(), of_lister(payment_state::captured), of_lister({}, "HKD"),
                           of_lister(payment_state::captured, "HKD")}) {
    const auto found = store.run(what).payments;
    REQUIRE(found.size() == 1);
    CHECK(*found[0] == stored);
  }
  CHECK(store.run(of_lister(payment_state::created)).payments.empty());
}

TEST_CASE("payments are found by the provider's reference") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  using enum payment_state;
  auto second = payment_of("2", 2, captured);
  second.provider_ref = "ref_1";
  auto without = payment_of("3", 3, created);
  without.provider_ref.clear();
  insert_payments(store, {payment_of("1", 1, captured), second, without});
  const auto by = [&](const std::string& ref) {
    return listed(store.run(find_payments_by_ref{lister, environment::test, ref}));
  };
  CHECK(by("ref_1") == names{"2", "1"});
  CHECK(by("ref_3").empty());
  CHECK(by("").empty());
  CHECK(store.run(find_payments_by_ref{lister, environment::live, "ref_1"}).payments.empty());
  const auto one = store.run(find_payments_by_ref{lister, environment::test, "ref_1", 1});
  CHECK(one.payments.size() == 1);
  CHECK(one.more);
}

TEST_CASE("a payment is found by its provider's reference alone, if its merchant is connected to that provider") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto paid_by = [](const std::string& merchant, const std::string& ref, environment env = environment::test) {
    auto p = payment_of("1", 1, payment_state::captured);
    p.key.merchant = merchant_id{merchant};
    p.key.env = env;
    p.provider = provider_kind::jazzcash;
    p.provider_ref = ref;
    return p;
  };
  auto by_another = paid_by("merch_3", "T3");
  by_another.provider = provider_kind::stripe;
  insert_payments(store, {paid_by("merch_1", "T1"), paid_by("merch_2", "T2"), by_another,
                          paid_by("merch_4", "T4", environment::live), paid_by("merch_5", "")});
  unit_parts connected;
  for (const std::string id : {"merch_1", "merch_3", "merch_5"})
    connected.records.push_back(save_connection{
        merchant_id{id}, {environment::test, provider_kind::jazzcash, connection_status::connected, "MC1"}, "c_" + id});
  // A merchant that is not connected any more may still get notifications of earlier payments.
  connected.records.push_back(
      save_connection{merchant_id{"merch_4"},
                      {environment::live, provider_kind::jazzcash, connection_status::not_connected, {}},
                      "c_merch_4"});
  REQUIRE(store.commit(connected) == committed);
  const auto by = [&](const std::string& ref, environment env = environment::test,
                      provider_kind provider = provider_kind::jazzcash) {
    const auto found = store.run(find_payment_key{env, provider, ref}).found;
    return found ? *found : entity_key{};
  };
  CHECK(by("T1") == paid_by("merch_1", "T1").key);
  CHECK(by("T4", environment::live) == paid_by("merch_4", "T4", environment::live).key);
  for (const auto* ref : {"T2", "T3", "T4", "T5", "t1", ""}) {
    CAPTURE(ref);
    CHECK(by(ref) == entity_key{});
  }
  CHECK(by("T1", environment::live) == entity_key{});
  CHECK(by("T1", environment::test, provider_kind::stripe) == entity_key{});
}

TEST_CASE("a payment's deliveries are listed, newest first") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto sent = [](const std::string& payment, std::int64_t id) {
    delivery d;
    d.id = id;
    d.subject = key_of(payment);
    d.event_seq = 2;
    d.to = destination_id{"dest_1"};
    d.created_at = at(id);
    d.next_attempt_at = at(id);
    return d;
  };
  for (const std::string id : {"1", "2"}) {
    auto finish = finish_unit(id);
    finish.deliveries = {sent(id, 10 * std::stoi(id)), sent(id, 10 * std::stoi(id) + 5)};
    REQUIRE(store.commit(std::vector{begin_unit(id), finish}) == std::vector(2, committed));
  }
  const auto numbers = [&](const find_deliveries& what) {
    std::vector<std::int64_t> found;
    for (const auto& job : store.run(what).jobs) found.push_back(job.row.id);
    return found;
  };
  CHECK(numbers({.subject = key_of("1")}) == std::vector<std::int64_t>{15, 10});
  CHECK(numbers({.subject = key_of("2"), .before = 25}) == std::vector<std::int64_t>{20});
  CHECK(numbers({.subject = key_of("2"), .limit = 1}) == std::vector<std::int64_t>{25});
  CHECK(numbers({.subject = key_of("3")}).empty());
  auto live = key_of("1");
  live.env = environment::live;
  CHECK(numbers({.subject = live}).empty());
}

TEST_CASE("totals add up within a unit, within a batch, and over batches") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  using enum daily_counter;
  unit_parts one, other;
  one.totals = {counted(20'000, captured, 1, 100), counted(20'000, authorized, 1, 100)};
  other.totals = {counted(20'000, captured, 1, 50), counted(20'000, captured, 1, 7, "JPY"),
                  counted(20'001, failed, 1, 30), counted(20'000, captured, 1, 9, "HKD", environment::live)};
  REQUIRE(store.commit(std::vector{one, other, one}) == std::vector(3, committed));
  REQUIRE(store.commit(one) == committed);
  const std::vector<daily_total> first{counted(20'000, authorized, 3, 300).added,
                                       counted(20'000, captured, 4, 350).added,
                                       counted(20'000, captured, 1, 7, "JPY").added};
  const auto second = counted(20'001, failed, 1, 30).added;
  auto both = first;
  both.push_back(second);
  CHECK(totals(store, 20'000, 20'002) == both);
  CHECK(totals(store, 20'000, 20'001) == first);
  CHECK(totals(store, 20'001, 20'002) == std::vector{second});
  CHECK(totals(store, 19'000, 20'000).empty());
  CHECK(totals(store, 20'000, 20'002, environment::live) ==
        std::vector{counted(20'000, captured, 1, 9, "HKD", environment::live).added});
}

TEST_CASE("a unit that fails adds to no total, though other units of its batch do") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::vector<unit_parts> units;
  std::vector<commit_outcome> expected;
  for (int i = 0; i < 20; ++i) {
    auto unit = begin_unit(std::to_string(i % 15));
    unit.totals = {counted(20'000, daily_counter::captured, 1, 10)};
    units.push_back(unit);
    expected.push_back(i < 15 ? committed : duplicate_command);
  }
  CHECK(store.commit(units) == expected);
  CHECK(totals(store, 20'000, 20'001) == std::vector{counted(20'000, daily_counter::captured, 15, 150).added});
}

TEST_CASE("a total is the sum of its lanes") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  unit_parts unit;
  unit.totals = {counted(20'000, daily_counter::captured, 1, 10)};
  const unit_of_work whole = unit;
  for (const std::int64_t lane : {0, 1, 64, 1})
    REQUIRE(commit_units(*store.writer, {&whole, 1}, lane).front() == committed);
  const std::chrono::sys_days day{std::chrono::days{20'000}};
  const auto found =
      run(*store.reader, find_daily_totals{lister, environment::test, day, day + std::chrono::days{1}}).totals;
  CHECK(found == std::vector{counted(20'000, daily_counter::captured, 4, 40).added});
}
