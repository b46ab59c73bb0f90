// The store contract: operators' lists of the payments of several merchants, and of unknown outcomes.
#include <catch2/catch.hpp>

#include <algorithm>

#include "contract_store.hpp"
#include "gateway/domain/payment_machine.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

using lines = std::vector<std::string>;

payment merchants_payment(const std::string& merchant, environment env, const std::string& id, std::int64_t created,
                          payment_state state = payment_state::captured) {
  auto p = a_payment(id);
  p.key.merchant = merchant_id{merchant};
  p.key.env = env;
  p.created_at = at(created);
  p.state = state;
  return p;
}

void insert_rows(contract_store& store, const std::vector<payment>& rows) {
  std::vector<unit_parts> units(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) units[i].insert_payment = rows[i];
  REQUIRE(store.commit(units) == std::vector(rows.size(), committed));
}

std::string line_of(const payment& p) {
  return p.key.merchant.value + ' ' + std::string{to_string(p.key.env)} + ' ' + p.key.id.substr(4);
}

/// All pages, one after the other.
lines all_pages(contract_store& store, find_payments_of_merchants what) {
  lines seen;
  for (int pages = 0; pages < 100; ++pages) {
    const auto found = store.run(what);
    CHECK(found.payments.size() <= what.limit);
    for (const auto& p : found.payments) seen.push_back(line_of(*p));
    if (!found.next) return seen;
    what.after = found.next;
  }
  FAIL("the list does not end");
  return seen;
}

}  // namespace

TEST_CASE("the payments of all merchants are listed merchant by merchant, live first, newest first") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  using enum environment;
  insert_rows(store, {merchants_payment("merch_1", live, "1", 1), merchants_payment("merch_1", live, "2", 2),
                      merchants_payment("merch_1", live, "3", 2), merchants_payment("merch_1", test, "4", 9),
                      merchants_payment("merch_2", test, "5", 1, payment_state::failed),
                      merchants_payment("merch_3", live, "6", 3, payment_state::failed),
                      merchants_payment("merch_3", live, "7", 4)});
  const auto listed = [&](std::uint32_t limit, auto narrow) {
    find_payments_of_merchants what;
    what.limit = limit;
    narrow(what);
    return all_pages(store, what);
  };
  for (const std::uint32_t limit : {1u, 2u, 3u, 100u}) {
    INFO(limit);
    CHECK(listed(limit, [](auto&) {}) == lines{"merch_1 live 3", "merch_1 live 2", "merch_1 live 1", "merch_1 test 4",
                                               "merch_2 test 5", "merch_3 live 7", "merch_3 live 6"});
    CHECK(listed(limit, [](auto& what) { what.merchant = merchant_id{"merch_3"}; }) ==
          lines{"merch_3 live 7", "merch_3 live 6"});
    CHECK(listed(limit, [](auto& what) { what.env = test; }) == lines{"merch_1 test 4", "merch_2 test 5"});
    CHECK(listed(limit, [](auto& what) { what.state = payment_state::failed; }) ==
          lines{"merch_2 test 5", "merch_3 live 6"});
    CHECK(listed(limit, [](auto& what) { what.until = at(2); }) == lines{"merch_1 live 1", "merch_2 test 5"});
    CHECK(listed(limit, [](auto& what) { what.merchant = merchant_id{"merch_9"}; }).empty());
  }
}

TEST_CASE("a list over more merchants than one answer covers still finds those at its end") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::vector<payment> rows;
  for (int i = 100; i < 240; ++i)
    rows.push_back(merchants_payment("merch_" + std::to_string(i), environment::live, std::to_string(i), i));
  rows.back().state = payment_state::failed;
  insert_rows(store, rows);
  find_payments_of_merchants what;
  what.state = payment_state::failed;
  CHECK(all_pages(store, what) == lines{"merch_239 live 239"});
}

TEST_CASE("unknown outcomes are found among the payments that are due, in that order") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  using enum environment;
  const auto opened = [](payment p, bool answered, std::int64_t due) {
    p.open = open_operation{command_key_of("k"), operation::capture, 4200, answered};
    p.open->command.merchant = p.key.merchant;
    p.open->command.env = p.key.env;
    p.open->begun_at = at(1);
    p.due_at = at(due);
    return p;
  };
  const auto waiting = [](payment p, bool outlived, std::int64_t due) {
    p.state = payment_state::processing;
    p.due_at = at(due);
    if (outlived) p.error = provider_error{error_category::timeout, "checkout_outcome_unknown", "", false, true};
    return p;
  };
  auto daily = merchants_payment("merch_1", live, "7", 1, payment_state::authorized);
  daily.due_at = at(1);
  insert_rows(store, {opened(merchants_payment("merch_1", live, "1", 1), true, 9),
                      opened(merchants_payment("merch_1", live, "2", 1), false, 2),
                      waiting(merchants_payment("merch_2", test, "3", 1), true, 5),
                      waiting(merchants_payment("merch_2", test, "4", 1), false, 4),
                      opened(merchants_payment("merch_3", test, "5", 1), true, 7), daily,
                      merchants_payment("merch_1", live, "8", 1)});
  const auto listed = [&](find_unknown_payments what) {
    lines ids;
    for (const auto& p : store.run(what).payments) {
      CHECK(has_unknown_outcome(*p));
      ids.push_back(line_of(*p));
    }
    return ids;
  };
  CHECK(listed({}) == lines{"merch_2 test 3", "merch_3 test 5", "merch_1 live 1"});
  CHECK(listed({merchant_id{"merch_3"}, std::nullopt}) == lines{"merch_3 test 5"});
  CHECK(listed({{}, live}) == lines{"merch_1 live 1"});
  CHECK(listed({merchant_id{"merch_1"}, test}).empty());
  CHECK_FALSE(store.run(find_unknown_payments{}).more);
  CHECK(store.run(find_unknown_payments{{}, std::nullopt, 2}).more);
}
