// The databases' plans for the lists of the merchants' pages: only a page is read, never a merchant's history.
#include <catch2/catch.hpp>

#include "plan_of.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using Catch::Matchers::Contains;

namespace {

/// Payments of a merchant and others, each with an event that is delivered.
void fill_payments(db_connection& db) {
  std::vector<unit_of_work> units;
  for (int i = 0; i < 400; ++i) {
    const auto n = std::to_string(i);
    unit_parts unit;
    unit.insert_payment = captured(a_payment(n));
    unit.insert_payment->version = 1;
    unit.insert_payment->created_at = at(i);
    unit.insert_payment->provider_ref = "ref_" + n;
    unit.entries = {an_attempt(1), an_event(2)};
    delivery d;
    d.id = i + 1;
    d.subject = unit.insert_payment->key;
    d.event_seq = 2;
    d.to = destination_id{"dest"};
    d.next_attempt_at = d.created_at = at(i);
    unit.deliveries = {d};
    unit.totals = {count_daily{d.subject.merchant,
                               environment::test,
                               {std::chrono::sys_days{std::chrono::days{i}}, daily_counter::captured, 1, {}}}};
    auto moved = *unit.insert_payment;
    moved.updated_at = at(i);
    unit.ledger = {entry_of({ledger_kind::captured, moved.captured}, moved, "ch_" + n)};
    unit.records = {save_audit{user_id{"user_" + std::to_string(i % 4)}, at(i), "audit_" + n, "", "mint", "key",
                               merchant_id{"merch_" + std::to_string(i % 8)}, environment::test},
                    dispute_entry{d.subject.merchant, environment::test, "dp_" + n, d.subject.id,
                                  i % 2 == 0 ? dispute_status::lost : dispute_status::needs_response, at(i)}};
    units.push_back(unit);
  }
  for (const auto outcome : commit_units(db, units)) REQUIRE(outcome == commit_outcome::committed);
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

const std::string_view list_merchant = "merch_1", list_env = "test", list_state = "captured", list_code = "HKD",
                       list_id = "pay_7";

void add_positions(std::vector<cell>& to) {
  const auto upper = to_unix_ms(at(300)), lower = to_unix_ms(at(100));
  to.insert(to.end(), {upper, upper, list_id, lower, lower, list_id, std::int64_t{10}});
}

}  // namespace

TEST_CASE("a page of payments is read in the order of its index") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  fill_payments(*store.writer);
  const bool sqlite = kind == store_kind::sqlite;
  std::vector<cell> by_age{list_merchant, list_env};
  add_positions(by_age);
  for (const auto* sql : {&statements::read_payments_by_age, &statements::read_payments_by_age_back}) {
    const auto plan = plan_of(store, *sql, by_age);
    INFO(plan);
    if (sqlite)
      CHECK_THAT(plan, Contains("payments USING INDEX payments_by_age (merchant_id=? AND environment=? AND "
                                "created_at>? AND created_at<?)") &&
                           !Contains("TEMP B-TREE"));
    else
      CHECK_THAT(plan, Contains("payments range payments_by_age") && !Contains("filesort"));
  }

  std::vector<cell> one{list_merchant, list_env, list_state, list_code};
  add_positions(one);
  for (const auto* sql : {&statements::read_payments_of_range, &statements::read_payments_of_range_back}) {
    const auto plan = plan_of(store, *sql, one);
    INFO(plan);
    if (sqlite)
      CHECK_THAT(plan, Contains("payments USING INDEX payments_by_state (merchant_id=? AND environment=? AND state=? "
                                "AND currency=? AND created_at>? AND created_at<?)") &&
                           !Contains("TEMP B-TREE"));
    else
      CHECK_THAT(plan, Contains("payments range payments_by_state") && !Contains("filesort"));
  }
}

TEST_CASE("for several states or currencies a page of each is read in the index, and then the page's rows") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  fill_payments(*store.writer);
  std::vector<cell> ranges;
  for (std::size_t i = 0; i < statements::ranges_at_once; ++i) {
    ranges.insert(ranges.end(), {list_merchant, list_env, to_string(static_cast<payment_state>(i)), list_code});
    add_positions(ranges);
  }
  ranges.emplace_back(std::int64_t{10});
  for (const auto* sql : {&statements::read_payments_of_ranges, &statements::read_payments_of_ranges_back}) {
    const auto plan = plan_of(store, *sql, ranges);
    INFO(plan);
    if (kind == store_kind::sqlite) {
      CHECK(count_of(plan,
                     "payments USING COVERING INDEX payments_by_state (merchant_id=? AND environment=? AND "
                     "state=? AND currency=? AND created_at>? AND created_at<?)") == statements::ranges_at_once);
      CHECK_THAT(plan, Contains("SEARCH payments USING INDEX sqlite_autoindex_payments_1 (merchant_id=? AND "
                                "environment=? AND payment_id=?)"));
    } else {
      CHECK(count_of(plan, "payments range payments_by_state") == statements::ranges_at_once);
      CHECK_THAT(plan, Contains("payments eq_ref PRIMARY"));
    }
  }
  const cell step[] = {list_merchant, list_env, list_state, std::string_view{"EUR"}};
  const auto plan = plan_of(store, statements::read_next_currency, step);
  INFO(plan);
  if (kind == store_kind::sqlite)
    CHECK_THAT(plan, Contains("COVERING INDEX payments_by_state (merchant_id=? AND environment=? AND state=? AND "
                              "currency>?)") &&
                         !Contains("TEMP B-TREE"));
  else
    CHECK_THAT(plan, Contains("payments range payments_by_state") && Contains("Using index") && !Contains("filesort"));
}

TEST_CASE("references, a payment's deliveries, totals and the audit list are found by their indexes") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  fill_payments(*store.writer);
  const bool sqlite = kind == store_kind::sqlite;
  const std::int64_t limit = 10, now = to_unix_ms(at(300));
  const auto check = [&](const statement& sql, std::span<const cell> parameters, const char* of_sqlite,
                         const char* of_mysql) {
    const auto plan = plan_of(store, sql, parameters);
    INFO(plan);
    CHECK_THAT(plan, Contains(sqlite ? of_sqlite : of_mysql) && !Contains("TEMP B-TREE") && !Contains("filesort"));
  };
  const cell ref[] = {list_merchant, list_env, std::string_view{"ref_7"}, limit};
  check(statements::read_payments_by_ref, ref,
        "payments_by_provider_ref (merchant_id=? AND environment=? AND provider_ref=?)",
        "payments ref payments_by_provider_ref");
  const cell counted[] = {list_merchant,       list_env, list_state, list_code, to_unix_ms(at(100)),
                          to_unix_ms(at(130)), limit};
  check(
      statements::count_payments_of_range, counted,
      "payments USING COVERING INDEX payments_by_state (merchant_id=? AND environment=? AND state=? AND currency=? AND "
      "created_at>? AND created_at<?)",
      "payments range payments_by_state");
  const cell at_provider[] = {std::string_view{"jazzcash"}, list_env, std::string_view{"ref_7"}};
  check(statements::read_payment_key, at_provider, "connections_by_provider (provider=? AND environment=?)",
        "c ref connections_by_provider");
  check(statements::read_payment_key, at_provider,
        "payments_by_provider_ref (merchant_id=? AND environment=? AND provider_ref=?)",
        "p ref payments_by_provider_ref");
  const cell subject[] = {list_merchant, list_id, list_env, std::string_view{"payment"}, std::int64_t{300}, limit};
  check(statements::read_deliveries_of_subject, subject,
        "d USING INDEX deliveries_of_subject (merchant_id=? AND subject_id=? AND delivery_id<?)",
        "d range deliveries_of_subject");
  const cell days[] = {list_merchant, list_env, std::int64_t{100}, std::int64_t{130}};
  check(statements::read_daily_totals, days,
        "daily_totals USING PRIMARY KEY (merchant_id=? AND environment=? AND day>? AND day<?)",
        "daily_totals range PRIMARY");
  const cell entries[] = {
      list_merchant,   list_env, to_unix_ms(at(100)), to_unix_ms(at(130)), to_unix_ms(at(100)), list_id, list_id,
      std::int64_t{1}, limit};
  check(statements::read_ledger, entries,
        "ledger USING PRIMARY KEY (merchant_id=? AND environment=? AND occurred_at>? AND occurred_at<?)",
        "ledger range PRIMARY");
  const cell of_user[] = {std::string_view{"user_1"}, now, now, std::string_view{"audit_7"}, limit};
  check(statements::read_audit_of_user, of_user, "audit_log USING PRIMARY KEY (user_id=? AND occurred_at<?)",
        "audit_log range PRIMARY");
  const cell of_merchant[] = {list_merchant, now, now, std::string_view{"audit_7"}, limit};
  check(statements::read_audit_of_merchant, of_merchant, "audit_of_merchant (merchant_id=? AND occurred_at<?)",
        "audit_log range audit_of_merchant");
}

TEST_CASE("a page of the whole audit log, of a merchant's, and of a chain is read in the order of its index") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  fill_payments(*store.writer);
  const bool sqlite = kind == store_kind::sqlite;
  const std::int64_t limit = 10, first = to_unix_ms(at(1)), now = to_unix_ms(at(300));
  const auto check = [&](const statement& sql, std::span<const cell> parameters, const char* index) {
    const auto plan = plan_of(store, sql, parameters);
    INFO(plan);
    CHECK_THAT(plan, Contains(index) && !Contains("TEMP B-TREE") && !Contains("filesort"));
  };
  const std::string_view id = "audit_7";
  const cell newest[] = {first, now, now, id, limit};
  check(statements::read_audit, newest, "audit_by_age");
  const cell oldest[] = {now, first, first, id, limit};
  check(statements::read_audit_back, oldest, "audit_by_age");
  const cell newest_of[] = {list_merchant, first, now, now, id, limit};
  check(statements::read_merchants_audit, newest_of, "audit_of_merchant");
  const cell oldest_of[] = {list_merchant, now, first, first, id, limit};
  check(statements::read_merchants_audit_back, oldest_of, "audit_of_merchant");
  const cell of_chain[] = {std::int64_t{0}, std::int64_t{100}, std::int64_t{100}, id, limit};
  check(statements::read_audit_chain, of_chain,
        sqlite ? "audit_chain (chain_id=? AND chain_number>?)" : "audit_log range audit_chain");
}

TEST_CASE("a page of disputes is read in the order of its index, with the row of each one's payment") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  fill_payments(*store.writer);
  const bool sqlite = kind == store_kind::sqlite;
  const std::int64_t limit = 10, now = to_unix_ms(at(300));
  const std::string_view any{}, lost = "lost", id = "dp_7";
  const auto check = [&](const statement& sql, std::span<const cell> parameters, const char* of_sqlite,
                         const char* of_mysql) {
    const auto plan = plan_of(store, sql, parameters);
    INFO(plan);
    CHECK_THAT(plan, Contains(sqlite ? of_sqlite : of_mysql) && !Contains("TEMP B-TREE") && !Contains("filesort"));
    CHECK_THAT(plan, sqlite ? Contains("p USING INDEX sqlite_autoindex_payments_1 (merchant_id=? AND environment=? AND "
                                       "payment_id=?)")
                            : Contains("PRIMARY"));
  };
  const cell all[] = {list_merchant, list_env, any, now, now, id, limit};
  check(statements::read_disputes, all,
        "d USING INDEX disputes_by_age (merchant_id=? AND environment=? AND opened_at<?)", "d range disputes_by_age");
  const cell of_status[] = {list_merchant, list_env, lost, now, now, id, limit};
  check(statements::read_disputes_of_status, of_status,
        "d USING INDEX disputes_by_status (merchant_id=? AND environment=? AND status=? AND opened_at<?)",
        "d range disputes_by_status");
  const cell one[] = {list_merchant, list_env, id};
  check(statements::read_dispute, one, "d USING PRIMARY KEY (merchant_id=? AND environment=? AND dispute_id=?)",
        "d const PRIMARY");
}

TEST_CASE("the lists of the API are read in the order of their indexes") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  std::vector<unit_of_work> units;
  for (int i = 0; i < 400; ++i) {
    const auto n = std::to_string(i);
    unit_parts unit;
    unit.insert_payment = a_payment(n);
    unit.insert_payment->created_at = at(i);
    unit.insert_payment->provider_ref = "ref_" + n;
    unit.insert_payment->customer =
        payment_customer{platform_id{"plat_1"}, "ref-" + std::to_string(i % 4), "cus_1", false, false, {}};
    customer c;
    c.key = {unit.insert_payment->key.merchant, environment::live, entity_kind::customer, "c" + n};
    c.version = 1;
    c.platform = platform_id{"plat_1"};
    c.ref = c.provider_id = "c" + n;
    c.created_at = at(i);
    unit.insert_customer = c;
    subscription s;
    s.key = subscription_key(c.key.merchant, environment::live, "s" + n);
    s.version = 1;
    s.platform = c.platform;
    s.created_at = at(i);
    s.details.customer_ref = "ref-" + std::to_string(i % 4);
    unit.insert_subscription = s;
    units.push_back(unit);
  }
  for (const auto outcome : commit_units(*store.writer, units)) REQUIRE(outcome == commit_outcome::committed);
  const bool sqlite = kind == store_kind::sqlite;
  const std::int64_t upper = to_unix_ms(at(300)), lower = to_unix_ms(at(100)), limit = 10;
  const std::string_view live = "live", platform = "plat_1", ref = "ref-1", pending = "pending", any{};
  const auto check = [&](const statement& sql, std::span<const cell> parameters, const char* of_sqlite,
                         const char* of_mysql, bool sorts = false) {
    const auto plan = plan_of(store, sql, parameters);
    INFO(plan);
    CHECK_THAT(plan, Contains(sqlite ? of_sqlite : of_mysql));
    if (!sorts) CHECK_THAT(plan, !Contains("TEMP B-TREE") && !Contains("filesort"));
  };
  const cell customers_payments[] = {list_merchant, list_env, platform, ref, upper, upper, list_id, lower, limit};
  check(
      statements::read_payments_of_customer, customers_payments,
      "c USING PRIMARY KEY (merchant_id=? AND environment=? AND platform_id=? AND customer_ref=? AND created_at>? AND "
      "created_at<?)",
      "PRIMARY");
  check(statements::read_payments_of_customer, customers_payments,
        "p USING INDEX sqlite_autoindex_payments_1 (merchant_id=? AND environment=? AND payment_id=?)",
        "p eq_ref PRIMARY");
  const cell with_ref[] = {list_merchant, list_env, std::string_view{"ref_7"}, upper, upper, list_id, lower, limit};
  check(statements::read_payments_of_ref, with_ref,
        "p USING INDEX payments_by_provider_ref (merchant_id=? AND environment=? AND provider_ref=?)",
        "p ref payments_by_provider_ref", true);
  const cell customers[] = {list_merchant, live, platform, upper, upper, list_id, limit};
  check(statements::read_customers_of_platform, customers,
        "customers USING INDEX customers_by_age (merchant_id=? AND environment=? AND platform_id=? AND created_at<?)",
        "customers range customers_by_age");
  const cell all[] = {list_merchant, live, platform, any, upper, upper, list_id, limit};
  check(statements::read_platforms_subscriptions, all,
        "subscriptions USING INDEX subscriptions_by_age (merchant_id=? AND environment=? AND platform_id=? AND "
        "created_at<?)",
        "subscriptions range subscriptions_by_age");
  const cell of_status[] = {list_merchant, live, platform, pending, upper, upper, list_id, limit};
  check(statements::read_platforms_subscriptions_of_status, of_status,
        "subscriptions USING INDEX subscriptions_by_status (merchant_id=? AND environment=? AND platform_id=? AND "
        "status=? AND created_at<?)",
        "subscriptions range subscriptions_by_status");
  const cell of_customer[] = {list_merchant, live, platform, ref, upper, upper, list_id, limit};
  check(statements::read_platforms_subscriptions_of_customer, of_customer,
        "subscriptions USING INDEX subscriptions_of_customer (merchant_id=? AND environment=? AND platform_id=? AND "
        "customer_ref=? AND created_at<?)",
        "subscriptions range subscriptions_of_customer");
}

TEST_CASE("of very many states and currencies a page of each is read in the index") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  fill_payments(*store.writer);
  const auto* wanted = kind == store_kind::sqlite ? "payments USING COVERING INDEX payments_by_state"
                                                  : "payments range payments_by_state";
  for (const auto& [sql, count] :
       {std::pair{&statements::read_payments_of_more_ranges, statements::more_ranges_at_once},
        std::pair{&statements::read_payments_of_many_ranges, statements::many_ranges_at_once}}) {
    std::vector<cell> ranges;
    for (std::size_t i = 0; i < count; ++i) {
      ranges.insert(ranges.end(), {list_merchant, list_env, to_string(static_cast<payment_state>(i % 8)), list_code});
      add_positions(ranges);
    }
    ranges.emplace_back(std::int64_t{10});
    CHECK(count_of(plan_of(store, *sql, ranges), wanted) == count);
  }
}

TEST_CASE("unknown outcomes are read in the order of what is due, and merchants with payments one after the other") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  fill_payments(*store.writer);
  const bool sqlite = kind == store_kind::sqlite;
  const cell unknown[] = {std::string_view{}, std::string_view{}, list_env, std::string_view{"live"}, std::int64_t{10}};
  const auto plan = plan_of(store, statements::read_unknown_payments, unknown);
  INFO(plan);
  if (sqlite)
    CHECK_THAT(plan, Contains("payments USING INDEX payments_due") && !Contains("TEMP B-TREE"));
  else
    CHECK_THAT(plan, Contains("payments_due") && !Contains("filesort"));
  const cell behind[] = {list_merchant};
  const auto merchants = plan_of(store, statements::read_next_payments_merchant, behind);
  INFO(merchants);
  if (sqlite)
    CHECK_THAT(merchants, Contains("(merchant_id>?)") && !Contains("TEMP B-TREE"));
  else
    CHECK_THAT(merchants, Contains(" range ") && !Contains("filesort"));
}
