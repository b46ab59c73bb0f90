// The ledger of an earlier version takes more kinds of entries, and keeps the ones that it has; payments and timelines
// of that version have no records and no origins.
#include <catch2/catch.hpp>

#include "persistence/connection/dialect.hpp"
#include "persistence/connection/rows.hpp"
#include "persistence/store.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/units/unit_batch.hpp"
#include "samples.hpp"
#include "stores.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;

namespace {

constexpr std::size_t before = 16;  ///< the migrations of that version

/// A refunded payment with its timeline, and the entries of its ledger. `merch_1` has several payments.
void fill_with_ledger(db_connection& db) {
  db.begin();
  for (const std::string id : {"pay_1", "pay_2", "pay_3"}) {
    db.execute(
        "INSERT INTO payments (merchant_id, environment, payment_id, state, amount, currency, captured, refunded, "
        "flow, provider, account, hides_provider, provider_ref, status, hosted_url, next_seq, created_at, updated_at, "
        "captured_at, details, version) VALUES ('merch_1', 'live', '" +
        id +
        "', 'partially_refunded', 900, 'EUR', 900, 500, 'server', 'stripe', 'acct_1', 0, 'pi_1', 'approved', '', 5, "
        "1, 1, 2, '{}', 5)");
    const std::string subject = "('merch_1', 'live', 'payment', '" + id + "', ";
    db.execute(
        "INSERT INTO attempts (merchant_id, environment, subject_kind, subject_id, seq, operation, status, "
        "error_code, message, occurred_at) VALUES " +
        subject + "1, 'charge', 'approved', '', '', 11)");
    db.execute(
        "INSERT INTO events (merchant_id, environment, subject_kind, subject_id, seq, type, status, occurred_at, "
        "event_id, data) VALUES " +
        subject + "2, 'payment.captured', 'published', 12, 'evt_" + id + "', '{}')");
    const std::string entry =
        "INSERT INTO ledger (merchant_id, environment, occurred_at, payment_id, seq, kind, amount, currency, "
        "customer_amount, provider_amount, merchant_amount, provider, account, payment_ref, movement_ref) VALUES "
        "('merch_1', 'live', ";
    const std::string refs = ", 'stripe', 'acct_1', 'pi_1', 'ref_" + id + "')";
    db.execute(entry + "12, '" + id + "', 2, 'captured', 900, 'EUR', -900, 0, 900" + refs);
    db.execute(entry + "13, '" + id + "', 4, 'refunded', 500, 'EUR', 500, 0, -500" + refs);
    db.execute(entry + "10, '" + id + "', 1, 'failed', 900, 'EUR', 0, 0, 0" + refs);
  }
  db.commit();
}

std::vector<ledger_entry> ledger_in(const empty_store& store) {
  find_ledger what;
  what.merchant = merchant_id{"merch_1"};
  what.provider = provider_kind::stripe;
  what.until = at(0);
  return run(*connect(store.where(), access::read), what).entries;
}

commit_outcome enter(const empty_store& store, const ledger_entry& entry) {
  unit_parts parts;
  parts.kind = unit_kind::finish;
  parts.ledger = {entry};
  const unit_of_work unit = parts;
  return commit_units(*connect(store.where(), access::write), {&unit, 1}).front();
}

/// The nine entries, and each kind of entry that the ledger takes now.
void check_ledger(const empty_store& store) {
  const auto entries = ledger_in(store);
  REQUIRE(entries.size() == 9);
  std::int64_t customer = 0;
  for (const auto& each : entries) {
    customer += each.accounts.customer;
    CHECK(sum_of(each.accounts) == 0);
    CHECK(each.payment_ref == "pi_1");
    CHECK(each.movement_ref == "ref_" + each.payment.id);
    CHECK(each.account == "acct_1");
  }
  CHECK(customer == 3 * (500 - 900));
  for (std::size_t i = 0; i < enum_count<ledger_kind>; ++i) {
    auto entry = entries.front();
    entry.what = static_cast<ledger_kind>(i);
    INFO(to_string(entry.what));
    entry.seq = static_cast<std::uint32_t>(100 + i);
    entry.accounts = accounts_of({entry.what, entry.amount.minor}, true);
    auto wrong = entry;
    wrong.accounts = {-entry.accounts.customer + 1, 0, entry.accounts.customer - 1};
    CHECK(enter(store, wrong) == commit_outcome::unavailable);
    CHECK(enter(store, entry) == commit_outcome::committed);
    CHECK(enter(store, entry) == commit_outcome::lost_claim);
  }
  CHECK(ledger_in(store).size() == 9 + enum_count<ledger_kind>);
}

}  // namespace

TEST_CASE("the ledger takes more kinds and keeps its entries, also after interrupted starts") {
  FOR_EACH_STORE(kind);
  const auto all = known_migrations();
  const auto& truth = all[before];
  REQUIRE(truth.name == "0017_provider_truth");
  empty_store store{kind};
  const auto db = connect(store.where(), access::migrate);
  migrate(*db, all.first(before));
  fill_with_ledger(*db);
  // Interrupted after each statement; the next start begins with the first statement again.
  const auto whole = render_migration(db->language(), truth.sql);
  for (std::size_t done = 0; done <= whole.size(); ++done) {
    INFO("died after " << done << " statements");
    std::string sql;
    for (std::size_t i = 0; i < done; ++i) (sql += whole[i]) += ";\n";
    std::vector<migration> steps{all.begin(), all.begin() + before};
    steps.push_back({truth.version, truth.name, sql += "CREATE NONSENSE;"});
    CHECK_THROWS_AS(migrate(*db, steps), database_error);
  }
  migrate(*db, all);
  check_ledger(store);
  CHECK_NOTHROW(prepared_store{store.settings()});
}

TEST_CASE("a start interrupted before it recorded the migration of the ledger is followed by one that keeps it") {
  // On SQLite one transaction does both.
  const auto all = known_migrations();
  empty_store store{store_kind::mysql};
  const auto db = connect(store.where(), access::migrate);
  migrate(*db, all.first(before));
  fill_with_ledger(*db);
  migrate(*db, all);
  db->begin();
  db->execute("DELETE FROM schema_migrations WHERE version >= " + std::to_string(all[before].version));
  db->commit();
  migrate(*db, all);
  check_ledger(store);
}

TEST_CASE("payments of before have no records, their timelines are of the API, and both take what comes") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  {
    const auto db = connect(store.where(), access::migrate);
    const auto all = known_migrations();
    migrate(*db, all.first(before));
    fill_with_ledger(*db);
    migrate(*db, all);
  }
  const auto key = payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_1"});
  const auto reader = connect(store.where(), access::read);
  auto p = payment_in(run(*reader, find_entity{key})).value();
  CHECK(p.records.empty());
  CHECK(p.refunded == 500);
  auto entries = run(*reader, find_timeline{key}).entries;
  REQUIRE(entries.size() == 2);
  for (const auto& each : entries) CHECK(each.by == entry_origin::api);

  unit_parts parts;
  p.version += 1;
  p.records.refunds = {{"re_1", 500, refund_status::succeeded, entry_origin::api, at(0), {}, {}, "r1"}};
  parts.update_payment = p;
  parts.entries = {an_attempt(3)};
  parts.entries.front().by = entry_origin::provider;
  const unit_of_work unit = parts;
  REQUIRE(commit_units(*connect(store.where(), access::write), {&unit, 1}).front() == commit_outcome::committed);
  CHECK(payment_in(run(*reader, find_entity{key})) == p);
  entries.push_back(parts.entries.front());
  CHECK(run(*reader, find_timeline{key}).entries == entries);
}
