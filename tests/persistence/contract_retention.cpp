// The store contract: the purge of payments that have ended, and of the beginning of the audit log.
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <set>

#include "contract_store.hpp"
#include "gateway/domain/payment_end.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum gateway::commit_outcome;

namespace {

/// A payment that ended at that time.
payment ended(const std::string& id, std::int64_t offset_ms = 50) {
  auto p = captured(a_payment(id));
  p.version = 1;
  p.updated_at = at(offset_ms);
  return p;
}

void keep(contract_store& store, unit_parts unit) { REQUIRE(store.commit({unit}) == std::vector{committed}); }

void keep(contract_store& store, const payment& p) {
  unit_parts unit;
  unit.insert_payment = p;
  keep(store, std::move(unit));
}

purge_commands payments_before(std::int64_t offset_ms, std::uint32_t limit = 100) {
  purge_commands what{at(-1'000'000), limit};
  what.payments = at(offset_ms);
  return what;
}

/// Runs steps of the purge until it has ended. Returns the total.
std::set<std::string> purge_all(contract_store& store, purge_commands what) {
  std::set<std::string> purged;
  for (int step = 0; step < 1'000; ++step) {
    auto made = store.run(what);
    CHECK(made.payments <= what.limit);
    for (const auto& key : made.purged_payments) CHECK(purged.insert(key.id + "@" + key.merchant.value).second);
    if (!made.payments_left) return purged;
    what.payments_behind = std::move(made.payments_behind);
  }
  FAIL("the purge does not end");
  return purged;
}

bool has(contract_store& store, const std::string& id) {
  return payment_in(store.run(find_entity{key_of(id)})).has_value();
}

refund a_refund(refund_status status) {
  refund r;
  r.id = "re_1";
  r.amount = 100;
  r.status = status;
  r.created_at = at(20);
  return r;
}

dispute a_closed_dispute(dispute_status status = dispute_status::lost) {
  dispute d;
  d.id = "dp_1";
  d.amount = 100;
  d.status = status;
  d.opened_at = at(20);
  if (is_closed(status)) d.closed_at = at(30);
  return d;
}

struct end_case {
  const char* name;
  bool ends;
  std::function<void(payment&)> change;
};

const std::vector<end_case>& end_cases() {
  static const std::vector<end_case> all{
      {"captured", true, [](payment&) {}},
      {"created", false, [](payment& p) { p.state = payment_state::created; }},
      {"processing", false, [](payment& p) { p.state = payment_state::processing; }},
      {"authorized", false, [](payment& p) { p.state = payment_state::authorized; }},
      {"part refunded", true, [](payment& p) { p.state = payment_state::partially_refunded; }},
      {"refunded", true, [](payment& p) { p.state = payment_state::refunded; }},
      {"failed", true, [](payment& p) { p.state = payment_state::failed; }},
      {"voided", true, [](payment& p) { p.state = payment_state::voided; }},
      {"failed in a subscription's cycle", false,
       [](payment& p) {
         p.state = payment_state::failed;
         p.provider_ref = p.key.id.substr(4);
       }},
      {"paid in a subscription's cycle", true, [](payment& p) { p.provider_ref = p.key.id.substr(4); }},
      {"with an open operation", false,
       [](payment& p) {
         p.open.emplace();
         p.open->command = command_key_of("key-open");
         p.open->what = operation::refund;
         p.open->amount = 10;
         p.open->begun_at = at(10);
       }},
      {"with a question to its provider due", false, [](payment& p) { p.due_at = at(1'000); }},
      {"with a pending refund", false,
       [](payment& p) { p.records.refunds.push_back(a_refund(refund_status::pending)); }},
      {"with a settled refund", true,
       [](payment& p) { p.records.refunds.push_back(a_refund(refund_status::succeeded)); }},
      {"with a failed refund", true, [](payment& p) { p.records.refunds.push_back(a_refund(refund_status::failed)); }},
      {"with an inquiry", false,
       [](payment& p) { p.records.disputes.push_back(a_closed_dispute(dispute_status::warning)); }},
      {"with an open dispute", false,
       [](payment& p) { p.records.disputes.push_back(a_closed_dispute(dispute_status::under_review)); }},
      {"with a lost dispute", true, [](payment& p) { p.records.disputes.push_back(a_closed_dispute()); }},
  };
  return all;
}

/// A captured payment of a customer, with a timeline, a delivery, a closed dispute, an act of the sandbox and an entry
/// of the ledger.
unit_parts payment_with_all(const std::string& id) {
  unit_parts unit;
  auto p = ended(id);
  p.customer.emplace();
  p.customer->platform = platform_id{"plat_1"};
  p.customer->ref = "customer-" + id;
  p.records.disputes.push_back(a_closed_dispute());
  p.records.disputes.back().id = "dp_" + id;
  p.records.acts.push_back({sandbox_act_kind::dispute_open, 100, {}, at(20)});
  unit.entries = {an_attempt(1), an_event(2)};
  unit.entries.back().event_id = "evt_" + id;
  unit.insert_command = a_command("key-" + id, id);
  unit.disputes.push_back({p.key.merchant, p.key.env, "dp_" + id, p.key.id, dispute_status::lost, at(20)});
  unit.sandbox_events.push_back({p.key.merchant, p.key.env, sandbox_event_id(p.key, 1), p.provider, p.key.id,
                                 sandbox_act_kind::dispute_open, at(20)});
  auto stands = p;
  stands.next_seq = 3;
  unit.ledger.push_back(entry_of({ledger_kind::captured, 4200}, stands, "ch_" + id));
  delivery sent;
  sent.id = delivery_numbers::first_at(at(10)) + (id == "old" ? 1 : 2);
  sent.subject = p.key;
  sent.event_seq = 2;
  sent.to = destination_id{"dest_1"};
  sent.created_at = at(10);
  sent.status = delivery_status::delivered;
  sent.attempts = 1;
  sent.last = delivery_attempt{at(10), attempt_result::delivered, 200, 1, "", {}};
  unit.deliveries = {sent};
  unit.insert_payment = std::move(p);
  return unit;
}

/// How many rows of each kind the store has of the payment: entries of the timeline, events in the log, deliveries,
/// disputes, payments of the customer, events of the sandbox.
std::vector<std::size_t> rows_of(contract_store& store, const std::string& id) {
  const auto key = key_of(id);
  find_logged_events log;
  log.merchant = key.merchant;
  log.env = key.env;
  log.limit = 100;
  log.most_bytes = 1 << 20;
  log.id = "evt_" + id;
  find_deliveries sent;
  sent.subject = key;
  sent.limit = 100;
  find_disputes lost;
  lost.merchant = key.merchant;
  lost.env = key.env;
  lost.dispute_id = "dp_" + id;
  lost.limit = 100;
  find_payments of_customer;
  of_customer.merchant = key.merchant;
  of_customer.env = key.env;
  of_customer.platform = platform_id{"plat_1"};
  of_customer.customer_ref = "customer-" + id;
  const auto acts = store.run(find_sandbox_events{provider_kind::sandbox, key.env, at(0), at(1'000)}).events;
  const auto is_of_it = [&](const sandbox_event& one) { return one.payment_id == key.id; };
  return {store.run(find_timeline{key}).entries.size(),
          store.run(log).events.size(),
          store.run(sent).jobs.size(),
          store.run(lost).disputes.size(),
          store.run(of_customer).payments.size(),
          static_cast<std::size_t>(std::ranges::count_if(acts, is_of_it))};
}

}  // namespace

TEST_CASE("a payment is purged once it has ended, its refunds and disputes included, and did not change for the time") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::set<std::string> expected;
  for (std::size_t i = 0; i < end_cases().size(); ++i) {
    const auto& each = end_cases()[i];
    for (const bool old : {true, false}) {
      auto p = ended(std::to_string(i) + (old ? "-old" : "-young"), old ? 99 : 100);
      each.change(p);
      INFO(each.name);
      CHECK(has_ended(p) == each.ends);
      if (p.state == payment_state::refunded || p.state == payment_state::partially_refunded) p.refunded = 100;
      if (old && each.ends) expected.insert(p.key.id + "@merch_1");
      keep(store, p);
    }
  }
  CHECK(purge_all(store, payments_before(100)) == expected);
  CHECK(purge_all(store, payments_before(100)).empty());
  for (std::size_t i = 0; i < end_cases().size(); ++i) {
    INFO(end_cases()[i].name);
    CHECK(has(store, std::to_string(i) + "-old") != end_cases()[i].ends);
    CHECK(has(store, std::to_string(i) + "-young"));
  }
}

TEST_CASE("without a time payments are not purged") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  keep(store, ended("1"));
  const auto made = store.run(purge_commands{at(1'000'000), 100});
  CHECK(made.purged_payments.empty());
  CHECK_FALSE(made.payments_left);
  CHECK(has(store, "1"));
}

TEST_CASE("what belongs to a payment goes with it; the ledger, the totals and the idempotency key stay") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  keep(store, payment_with_all("old"));
  auto young = payment_with_all("young");
  young.insert_payment->updated_at = at(500);
  keep(store, young);
  const std::vector<std::size_t> everything{2, 1, 1, 1, 1, 1};
  REQUIRE(rows_of(store, "old") == everything);
  CHECK(purge_all(store, payments_before(100)) == std::set<std::string>{"pay_old@merch_1"});
  CHECK(rows_of(store, "old") == std::vector<std::size_t>(6));
  CHECK(rows_of(store, "young") == everything);
  find_ledger ledger;
  ledger.merchant = merchant_id{"merch_1"};
  ledger.env = environment::test;
  ledger.from = at(0);
  ledger.until = at(1'000);
  CHECK(store.run(ledger).entries.size() == 2);
  CHECK(store.run(find_command{command_key_of("key-old")}).found);
}

TEST_CASE("a payment with a delivery that waits is kept until the delivery has ended") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto waits = payment_with_all("old");
  auto& sent = waits.deliveries.front();
  sent.status = delivery_status::pending;
  sent.next_attempt_at = at(10);
  sent.attempts = 0;
  sent.last.reset();
  keep(store, waits);
  CHECK(purge_all(store, payments_before(100)).empty());
  redeliver_rows gone;
  gone.to = destination_id{"dest_1"};
  gone.limit = 10;
  gone.drop = true;
  REQUIRE(store.run(gone).changed == 1);
  CHECK(purge_all(store, payments_before(100)).size() == 1);
}

TEST_CASE("the id of a purged payment is not taken again, and a change of it is lost") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  keep(store, ended("1"));
  REQUIRE(purge_all(store, payments_before(100)).size() == 1);
  CHECK(store.run(find_purged_payment{key_of("1")}).was_purged);
  CHECK_FALSE(store.run(find_purged_payment{key_of("2")}).was_purged);
  CHECK_FALSE(store.run(find_purged_payment{key_of("1", "merch_2")}).was_purged);
  unit_parts late;
  late.update_payment = ended("1");
  late.update_payment->version = 2;
  CHECK(store.commit({late}) == std::vector{lost_claim});
  CHECK_FALSE(has(store, "1"));
  // Others of the same batch are stored; another merchant's payment of that id is another payment.
  auto elsewhere = begin_unit("1");
  elsewhere.insert_payment->key = key_of("1", "merch_2");
  elsewhere.insert_command->key.merchant = merchant_id{"merch_2"};
  CHECK(store.commit({begin_unit("2"), begin_unit("1"), elsewhere, begin_unit("3")}) ==
        std::vector{committed, entity_exists, committed, committed});
  CHECK_FALSE(has(store, "1"));
  CHECK_FALSE(store.run(find_command{command_key_of("key-1")}).found);
  CHECK(has(store, "2"));
  CHECK(has(store, "3"));
}

TEST_CASE("steps of a few payments purge those of every merchant and environment, and none twice") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::set<std::string> expected;
  for (const std::string merchant : {"merch_1", "merch_2", "merch_3"})
    for (const auto env : {environment::test, environment::live})
      for (int i = 0; i < 25; ++i) {
        auto p = ended(std::string{to_string(env)} + std::to_string(i), i % 5 == 0 ? 200 : 50);
        p.key.merchant = merchant_id{merchant};
        p.key.env = env;
        p.created_at = at(i / 3);
        if (i % 7 == 0) p.due_at = at(5'000);
        if (i % 5 != 0 && i % 7 != 0) expected.insert(p.key.id + "@" + merchant);
        keep(store, p);
      }
  const auto limit = GENERATE(1u, 4u, 100u);
  INFO("steps of " << limit);
  CHECK(purge_all(store, payments_before(100, limit)) == expected);
  CHECK(store.run(payments_before(100)).purged_payments.empty());
}

TEST_CASE("the audit log is purged from its beginning, and the rest is still proved") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::vector<std::string> hashes;
  for (int i = 1; i <= 6; ++i) {
    save_audit entry;
    entry.user = user_id{"operator:root"};
    entry.at = at(i);
    entry.id = "audit_" + std::to_string(i);
    entry.action = "revoke key";
    unit_of_work unit;
    unit.inserts.emplace_back(entry);
    REQUIRE(store.commit(unit) == committed);
  }
  for (const auto& each : store.run(find_audit_chain{}).entries) hashes.push_back(each.link->hash);
  REQUIRE(hashes.size() == 6);
  purge_commands what{at(-1'000'000), 2};
  CHECK(store.run(what).audit == 0);
  what.audit = at(4);
  CHECK(store.run(what).audit == 2);
  CHECK(store.run(find_audit_heads{}).heads == std::vector{audit_head{0, 6, hashes[5], 2, hashes[1]}});
  CHECK(store.run(what).audit == 1);
  CHECK(store.run(what).audit == 0);
  CHECK(store.run(find_audit_heads{}).heads == std::vector{audit_head{0, 6, hashes[5], 3, hashes[2]}});
  const auto left = store.run(find_audit_chain{}).entries;
  REQUIRE(left.size() == 3);
  CHECK(left.front().what.id == "audit_4");
  CHECK(left.front().link->previous_hash == hashes[2]);
  // The chain continues after all of its entries were purged.
  what.audit = at(1'000);
  CHECK(store.run(what).audit == 2);
  CHECK(store.run(what).audit == 1);
  CHECK(store.run(find_audit_chain{}).entries.empty());
  save_audit next;
  next.user = user_id{"operator:root"};
  next.at = at(2'000);
  next.id = "audit_7";
  next.action = "revoke key";
  unit_of_work unit;
  unit.inserts.emplace_back(next);
  REQUIRE(store.commit(unit) == committed);
  const auto last = store.run(find_audit_chain{}).entries;
  REQUIRE(last.size() == 1);
  CHECK(last[0].link->number == 7);
  CHECK(last[0].link->previous_hash == hashes[5]);
}
