// The store contract: the lists of a merchant's disputes.
#include <algorithm>

#include <catch2/catch.hpp>

#include "contract_store.hpp"
#include "persistence/tables/row_kinds.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

using enum dispute_status;
using names = std::vector<std::string>;

const merchant_id lister{"merch_1"};

dispute a_dispute(const std::string& id, std::int64_t opened, dispute_status status = needs_response) {
  dispute d;
  d.id = "dp_" + id;
  d.amount = 100;
  d.status = status;
  d.opened_at = at(opened);
  d.provider_ref = "d_" + id;
  return d;
}

dispute_entry entry_of(const payment& p, const dispute& d) {
  return {p.key.merchant, p.key.env, d.id, p.key.id, d.status, d.opened_at};
}

/// A captured payment with these disputes, and their entries.
unit_parts disputed(const std::string& payment, std::vector<dispute> all, const std::string& merchant = "merch_1",
                    environment env = environment::test) {
  unit_parts unit;
  auto p = captured(a_payment(payment));
  p.version = 1;
  p.key.merchant = merchant_id{merchant};
  p.key.env = env;
  p.records.disputes = std::move(all);
  for (const auto& each : p.records.disputes) unit.records.emplace_back(entry_of(p, each));
  unit.insert_payment = std::move(p);
  return unit;
}

/// The same payment one version later, with this dispute changed.
unit_parts changed(const unit_parts& before, const dispute& now) {
  unit_parts unit;
  auto p = *before.insert_payment;
  p.version += 1;
  *std::ranges::find(p.records.disputes, now.id, &dispute::id) = now;
  unit.records.emplace_back(entry_of(p, now));
  unit.update_payment = std::move(p);
  return unit;
}

names listed(const disputes_lookup& found) {
  names ids;
  for (const auto& each : found.disputes) {
    REQUIRE(each.of);
    CHECK(std::ranges::count(each.of->records.disputes, each.dispute_id, &dispute::id) == 1);
    ids.push_back(each.dispute_id.substr(3));
  }
  return ids;
}

/// All pages, one after the other.
names read_through(contract_store& store, find_disputes what) {
  names all;
  for (int page = 0; page < 100; ++page) {
    const auto found = store.run(what);
    std::ranges::copy(listed(found), std::back_inserter(all));
    CHECK(found.disputes.size() <= what.limit);
    if (!found.more) return all;
    REQUIRE(found.disputes.size() == what.limit);
    const auto& last = found.disputes.back();
    const auto& stands = *std::ranges::find(last.of->records.disputes, last.dispute_id, &dispute::id);
    what.before = dispute_position{stands.opened_at, last.dispute_id};
  }
  FAIL("the pages do not end");
  return all;
}

find_disputes of_lister() {
  find_disputes what;
  what.merchant = lister;
  what.env = environment::test;
  return what;
}

}  // namespace

TEST_CASE("a merchant's disputes are listed newest first, by status and payment, page by page") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  // Two at one time are in the order of their ids.
  const std::vector units{disputed("1", {a_dispute("a", 10), a_dispute("d", 30, won)}),
                          disputed("2", {a_dispute("b", 20, lost), a_dispute("c", 20)}),
                          disputed("3", {a_dispute("e", 40, warning)}),
                          disputed("4", {}),
                          disputed("5", {a_dispute("x", 25)}, "merch_2"),
                          disputed("6", {a_dispute("y", 25)}, "merch_1", environment::live)};
  REQUIRE(store.commit(units) == std::vector(units.size(), committed));
  struct row {
    const char* what;
    std::optional<dispute_status> status;
    std::string payment;
    names expected;
  };
  const row table[] = {
      {"all", {}, "", {"e", "d", "c", "b", "a"}},
      {"of a status", needs_response, "", {"c", "a"}},
      {"of another", lost, "", {"b"}},
      {"of a status that none has", under_review, "", {}},
      {"of a payment", {}, "pay_1", {"d", "a"}},
      {"of a payment, two at one time", {}, "pay_2", {"c", "b"}},
      {"of a payment and a status", won, "pay_1", {"d"}},
      {"of a payment without one", {}, "pay_4", {}},
      {"of another merchant's payment", {}, "pay_5", {}},
      {"of an unknown payment", {}, "pay_9", {}},
  };
  for (const auto& r : table)
    for (const std::uint32_t limit : {1u, 2u, 3u, 50u}) {
      CAPTURE(r.what, limit);
      auto what = of_lister();
      what.status = r.status;
      what.payment_id = r.payment;
      what.limit = limit;
      CHECK(read_through(store, what) == r.expected);
    }
}

TEST_CASE("a full page with nothing behind it says so") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(disputed("1", {a_dispute("a", 10), a_dispute("b", 20)})) == committed);
  for (const std::string payment : {"", "pay_1"}) {
    auto what = of_lister();
    what.payment_id = payment;
    what.limit = 2;
    CHECK_FALSE(store.run(what).more);
    what.limit = 1;
    CHECK(store.run(what).more);
  }
}

TEST_CASE("a dispute is found by its id, of its merchant and environment only") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(std::vector{disputed("1", {a_dispute("a", 10), a_dispute("b", 20)}),
                                   disputed("2", {a_dispute("c", 10)}, "merch_2")}) == std::vector(2, committed));
  const auto by = [&](const std::string& id, const std::string& merchant = "merch_1",
                      environment env = environment::test) {
    find_disputes what;
    what.merchant = merchant_id{merchant};
    what.env = env;
    what.dispute_id = id;
    return listed(store.run(what));
  };
  CHECK(by("dp_a") == names{"a"});
  CHECK(by("dp_c", "merch_2") == names{"c"});
  CHECK(by("dp_c").empty());
  CHECK(by("dp_A").empty());
  CHECK(by("dp_a", "merch_1", environment::live).empty());
}

TEST_CASE("a dispute that changes is listed once, under its new status, with what its payment says") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto first = disputed("1", {a_dispute("a", 10), a_dispute("b", 20)});
  auto over = a_dispute("a", 10, lost);
  over.closed_at = at(99);
  REQUIRE(store.commit(std::vector{first, changed(first, over)}) == std::vector(2, committed));
  auto what = of_lister();
  CHECK(read_through(store, what) == names{"b", "a"});
  what.status = needs_response;
  CHECK(read_through(store, what) == names{"b"});
  what.status = lost;
  const auto found = store.run(what);
  REQUIRE(listed(found) == names{"a"});
  CHECK(found.disputes.front().of->records.disputes.front() == over);
}

TEST_CASE("a dispute that is opened and closed in one unit is listed as closed") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto unit = disputed("1", {a_dispute("a", 10, lost)});
  // As for a comparison that finds a dispute only when it is closed: an entry for each step.
  unit.records.insert(unit.records.begin(), inserted_row{entry_of(*unit.insert_payment, a_dispute("a", 10))});
  REQUIRE(store.commit(unit) == committed);
  auto what = of_lister();
  CHECK(read_through(store, what) == names{"a"});
  what.status = lost;
  CHECK(read_through(store, what) == names{"a"});
  what.status = needs_response;
  CHECK(read_through(store, what).empty());
}

TEST_CASE("a unit whose claim is lost leaves the lists of disputes as they are") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto first = disputed("1", {a_dispute("a", 10)});
  REQUIRE(store.commit(first) == committed);
  auto late = changed(first, a_dispute("a", 10, won));
  late.update_payment->version += 5;
  CHECK(store.commit(late) == lost_claim);
  auto what = of_lister();
  what.status = needs_response;
  CHECK(read_through(store, what) == names{"a"});
}
