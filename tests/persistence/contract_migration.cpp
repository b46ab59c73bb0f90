// A database of an earlier version stays completely readable.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "persistence/connection/dialect.hpp"
#include "persistence/connection/rows.hpp"
#include "persistence/store.hpp"
#include "persistence/tables/queries.hpp"
#include "samples.hpp"
#include "stores.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;

namespace {

/// A payment's data before the migration, read by the statements of that version.
struct past_payment {
  entity_key key;
  payment row;
  std::vector<timeline_entry> timeline;
};

struct past_command {
  command_key key;
  std::string fingerprint;
  std::string subject;
  std::string body;
};

struct past {
  std::vector<past_payment> payments;
  std::vector<past_command> commands;
  std::vector<std::pair<std::int64_t, std::string>> deliveries;  ///< number, payment_id
};

const statement past_payments{"SELECT merchant_id, environment, payment_id FROM payments"};
// Payments of the second version have neither customers nor records nor times of a hand-over, and timelines no origins.
const statement past_payment{
    "SELECT state, amount, currency, captured, refunded, flow, provider, account, hides_provider, provider_ref, "
    "status, error, hosted_url, open_command, due_at, next_seq, created_at, updated_at, captured_at, details, NULL, "
    "NULL, NULL, version FROM payments WHERE merchant_id = ? AND environment = ? AND payment_id = ?"};
const statement past_timeline{
    "SELECT seq, 0 AS is_event, operation AS what, status, error_code, message, occurred_at, '' AS event_id, '' AS "
    "data, NULL AS origin "
    "FROM attempts WHERE merchant_id = ? AND environment = ? AND payment_id = ? "
    "UNION ALL SELECT seq, 1, type, status, '', '', occurred_at, event_id, data, NULL "
    "FROM events WHERE merchant_id = ? AND environment = ? AND payment_id = ? ORDER BY seq"};
const statement past_commands{
    "SELECT merchant_id, environment, principal, idempotency_key, fingerprint, payment_id, body FROM commands"};
const statement past_deliveries{"SELECT delivery_id, payment_id FROM deliveries"};

environment environment_in(const std::string& text) { return text == "live" ? environment::live : environment::test; }

past read_past(db_connection& db) {
  past found;
  db.read(past_payments, {}, [&](const result_row& row) {
    found.payments.push_back(
        {payment_key(merchant_id{row.text(0)}, environment_in(row.text(1)), payment_id{row.text(2)}), {}, {}});
  });
  for (auto& one : found.payments) {
    const std::string_view merchant = one.key.merchant.value, env = to_string(one.key.env), id = one.key.id;
    const cell keys[] = {merchant, env, id, merchant, env, id};
    db.read(past_payment, std::span{keys}.first(3),
            [&](const result_row& row) { one.row = payment_from(row, one.key); });
    db.read(past_timeline, keys, [&](const result_row& row) { one.timeline.push_back(timeline_entry_from(row)); });
  }
  db.read(past_commands, {}, [&](const result_row& row) {
    found.commands.push_back({{merchant_id{row.text(0)}, environment_in(row.text(1)), row.text(2), row.text(3)},
                              row.text(4),
                              row.text(5),
                              row.is_null(6) ? std::string{} : row.text(6)});
  });
  db.read(past_deliveries, {},
          [&](const result_row& row) { found.deliveries.emplace_back(row.integer(0), row.text(1)); });
  return found;
}

/// Inserts the rows that a gateway of the second version left when it was killed under load.
void fill_with_second_version(db_connection& db) {
  std::ifstream file{GATEWAY_TEST_DATA "/schema_2.sql"};
  db.begin();
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with("--")) db.execute(line);
  db.commit();
}

/// Doubles the payments: copies under other ids, with all their rows.
void double_payments(db_connection& db, int round) {
  const bool mysql = db.language() == dialect::mysql;
  const auto other = [&](std::string column) {
    const auto suffix = "'_" + std::to_string(round % 10) + "'";
    return mysql ? "CONCAT(" + column + ", " + suffix + ")" : column + " || " + suffix;
  };
  const auto copy = [&](std::string table, std::string columns, std::string renamed) {
    db.execute("INSERT INTO " + table + " (" + columns + ") SELECT " + renamed + " FROM " + table);
  };
  const std::string of_payment =
      "state, amount, currency, captured, refunded, flow, provider, account, hides_provider, "
      "provider_ref, status, error, hosted_url, open_command, due_at, next_seq, created_at, "
      "updated_at, captured_at, details, version";
  const std::string of_attempt = "seq, operation, status, error_code, message, occurred_at";
  const std::string of_event = "seq, type, status, occurred_at, event_id, data";
  const std::string of_command = "operation, amount, reason, created_at, body, finished_at, status";
  const std::string of_delivery =
      "event_seq, destination_id, created_at, status, attempts, round_from, next_attempt_at, "
      "last_at, last_result, last_status, last_took_ms, last_excerpt, version";
  const std::string owner = "merchant_id, environment, ";
  db.begin();
  copy("payments", owner + "payment_id, " + of_payment, owner + other("payment_id") + ", " + of_payment);
  copy("attempts", owner + "payment_id, " + of_attempt, owner + other("payment_id") + ", " + of_attempt);
  copy("events", owner + "payment_id, " + of_event, owner + other("payment_id") + ", " + of_event);
  copy("commands", owner + "principal, idempotency_key, fingerprint, payment_id, " + of_command,
       owner + "principal, " + other("idempotency_key") + ", fingerprint, " + other("payment_id") + ", " + of_command);
  const auto further = std::to_string(std::int64_t{1} << (20 + round));
  copy("deliveries", owner + "delivery_id, payment_id, " + of_delivery,
       owner + "delivery_id - " + further + ", " + other("payment_id") + ", " + of_delivery);
  db.commit();
}

/// How often the payments are doubled. Twelve times makes 155,648 of them.
int rounds() {
  const auto* wanted = std::getenv("GATEWAY_MIGRATION_ROUNDS");
  return wanted ? std::atoi(wanted) : 4;
}

/// Users of the fourth version: a row for each merchant.
void fill_with_users(db_connection& db) {
  struct old_user {
    std::string_view merchant, id, email, hash, created_at;
  };
  const old_user users[] = {
      // At two merchants, in two spellings; at a third one invited later. The newest password is kept, and the first
      // id.
      {"merch_1", "user_3", "Ada@Shop.example", "hash-old", "100"},
      {"merch_2", "user_1", "ada@shop.EXAMPLE", "hash-new", "200"},
      {"merch_3", "user_2", "ada@shop.example", "", "300"},
      // In two spellings at one merchant.
      {"merch_1", "user_5", "BOB@shop.example", "", "110"},
      {"merch_1", "user_4", "bob@shop.example", "hash-bob", "100"},
      // Invited only.
      {"merch_2", "user_6", "AZ[@`az{.example", "", "400"},
      // Only ASCII letters are folded: these are two people.
      {"merch_2", "user_7", "zoë@Shop.example", "hash-small", "500"},
      {"merch_2", "user_8", "ZOË@shop.example", "hash-large", "500"},
      // Created at one time: the person keeps the smaller id.
      {"merch_2", "user_b", "cy@shop.example", "hash-b", "600"},
      {"merch_1", "user_a", "cy@shop.example", "hash-a", "600"},
  };
  db.begin();
  for (const auto& u : users) {
    std::string sql = "INSERT INTO users (merchant_id, user_id, email, password_hash, created_at) VALUES (";
    for (const auto text : {u.merchant, u.id, u.email, u.hash}) ((sql += '\'') += text) += "', ";
    db.execute((sql += u.created_at) += ')');
  }
  db.commit();
}

void check_people(db_connection& db) {
  struct expectation {
    std::string key, id, email, hash;
    std::int64_t created_at;
  };
  const expectation people[] = {
      {"ada@shop.example", "user_3", "Ada@Shop.example", "hash-new", 100},
      {"bob@shop.example", "user_4", "bob@shop.example", "hash-bob", 100},
      {"az[@`az{.example", "user_6", "AZ[@`az{.example", "", 400},
      {"zoë@shop.example", "user_7", "zoë@Shop.example", "hash-small", 500},
      {"zoË@shop.example", "user_8", "ZOË@shop.example", "hash-large", 500},
      {"cy@shop.example", "user_a", "cy@shop.example", "hash-b", 600},
  };
  static const statement count_people{"SELECT COUNT(*) FROM people"};
  std::int64_t count = 0;
  db.read(count_people, {}, [&](const result_row& row) { count = row.integer(0); });
  CHECK(count == std::ssize(people));
  for (const auto& wanted : people) {
    INFO(wanted.key);
    const auto found = run(db, find_user{wanted.key}).found;
    REQUIRE(found);
    CHECK(found->id.value == wanted.id);
    CHECK(found->email == wanted.email);
    CHECK(found->password_hash == wanted.hash);
    CHECK(to_unix_ms(found->created_at) == wanted.created_at);
    CHECK(email_key_of(found->email) == wanted.key);
  }
  std::vector<std::string> members;
  static const statement all_members{
      "SELECT merchant_id, user_id, role, created_at FROM memberships ORDER BY merchant_id, created_at, user_id"};
  db.read(all_members, {}, [&](const result_row& row) {
    CHECK(row.text(2) == "owner");
    members.push_back(row.text(0) + ' ' + row.text(1) + ' ' + std::to_string(row.integer(3)));
  });
  CHECK(members == std::vector<std::string>{"merch_1 user_3 100", "merch_1 user_4 100", "merch_1 user_a 600",
                                            "merch_2 user_3 200", "merch_2 user_6 400", "merch_2 user_7 500",
                                            "merch_2 user_8 500", "merch_2 user_a 600", "merch_3 user_3 300"});
}

/// The ledger's sums for each payment.
struct told_by_ledger {
  std::int64_t captured = 0, refunded = 0, failed = 0, entries = 0;
  bool operator==(const told_by_ledger&) const = default;
};

std::map<std::string, told_by_ledger> read_ledger(db_connection& db) {
  static const statement all{
      "SELECT merchant_id, environment, payment_id, kind, amount, customer_amount + provider_amount + merchant_amount "
      "FROM ledger"};
  std::map<std::string, told_by_ledger> reported;
  db.read(all, {}, [&](const result_row& row) {
    auto& of = reported[row.text(0) + ' ' + row.text(1) + ' ' + row.text(2)];
    const auto kind = parse_ledger_kind(row.text(3));
    REQUIRE(kind);
    if (*kind == ledger_kind::captured) of.captured += row.integer(4);
    if (*kind == ledger_kind::refunded) of.refunded += row.integer(4);
    of.failed += *kind == ledger_kind::failed;
    ++of.entries;
    CHECK(row.integer(5) == 0);
  });
  return reported;
}

/// The ledger's backfill has made from the stored payments the entries that their changes would have made.
void check_backfill(db_connection& db, const past& before) {
  auto reported = read_ledger(db);
  std::size_t entries = 0;
  for (const auto& one : before.payments) {
    INFO(one.key.id);
    std::int64_t events = 0;
    for (const auto& entry : one.timeline)
      events += entry.kind == timeline_kind::event && entry.operation != "payment.voided";
    const auto found =
        reported.extract(one.key.merchant.value + ' ' + std::string{to_string(one.key.env)} + ' ' + one.key.id);
    const auto of = found.empty() ? told_by_ledger{} : found.mapped();
    if (of != told_by_ledger{one.row.captured, one.row.refunded, one.row.state == payment_state::failed, events})
      FAIL("its ledger says " << of.captured << " captured, " << of.refunded << " refunded, " << of.failed
                              << " failed, in " << of.entries << " entries");
    entries += static_cast<std::size_t>(of.entries);
  }
  CHECK(reported.empty());
  CHECK(entries >= 34);
}

/// Of a cycle: failed twice, paid, reported as paid once more and as failed late, and refunded in two parts.
void fill_with_cycle(db_connection& db) {
  db.begin();
  db.execute(
      "INSERT INTO payments (merchant_id, environment, payment_id, state, amount, currency, captured, refunded, flow, "
      "provider, account, hides_provider, provider_ref, status, hosted_url, next_seq, created_at, updated_at, "
      "captured_at, details, version) VALUES ('merch_1', 'live', 'pay_in_1', 'partially_refunded', 900, 'EUR', 900, "
      "500, 'server', 'stripe', 'acct_1', 0, 'in_1', 'approved', '', 8, 1, 1, 13, '{}', 8)");
  const std::pair<std::string, std::string> events[] = {{"payment.failed", ""},
                                                        {"payment.failed", ""},
                                                        {"payment.captured", ""},
                                                        {"payment.captured", ""},
                                                        {"payment.failed", ""},
                                                        {"payment.partially_refunded", ",\"refunded_amount\":200"},
                                                        {"payment.partially_refunded", ",\"refunded_amount\":500"}};
  int seq = 0;
  for (const auto& [type, more] : events) {
    ++seq;
    const auto number = std::to_string(seq), at = std::to_string(10 + seq);
    db.execute(
        "INSERT INTO events (merchant_id, environment, subject_kind, subject_id, seq, type, status, occurred_at, "
        "event_id, data) VALUES ('merch_1', 'live', 'payment', 'pay_in_1', " +
        number + ", '" + type + "', 'published', " + at + ", 'evt_" + number + "', '{\"amount\":900" + more + "}')");
  }
  db.commit();
}

}  // namespace

TEST_CASE("the ledger of older payments has what their events say, also when an event is entered again") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  const auto db = connect(store.where(), access::migrate);
  const auto all = known_migrations();
  migrate(*db, all.first(11));
  fill_with_cycle(*db);
  migrate(*db, all);
  REQUIRE(all[11].name == "0012_ledger");
  const auto again = render_migration(db->language(), all[11].sql).back();
  REQUIRE(again.starts_with("INSERT"));
  find_ledger what;
  what.merchant = merchant_id{"merch_1"};
  what.provider = provider_kind::stripe;
  what.until = at(0);
  std::vector<std::string> reported;
  for (int round = 0; round < 2; ++round) {
    reported.clear();
    for (const auto& e : run(*connect(store.where(), access::read), what).entries)
      reported.push_back(std::to_string(e.seq) + ' ' + std::string{to_string(e.what)} + ' ' +
                         std::to_string(e.amount.minor) + ' ' + std::to_string(e.accounts.customer) + ' ' +
                         std::to_string(e.accounts.merchant) + ' ' + e.payment_ref + ' ' +
                         std::to_string(to_unix_ms(e.at)));
    CHECK(reported == std::vector<std::string>{"1 failed 900 0 0 in_1 11", "3 captured 900 -900 900 in_1 13",
                                               "6 refunded 200 200 -200 in_1 16", "7 refunded 300 300 -300 in_1 17"});
    db->begin();
    db->execute(again);
    db->commit();
  }
}

TEST_CASE("a migration that a running gateway's transaction undoes is executed again") {
  // SQLite has one writer.
  empty_store store{store_kind::mysql};
  const auto db = connect(store.where(), access::migrate);
  const auto running = connect(store.where(), access::write), watching = connect(store.where(), access::write);
  migrate(*db);
  const auto set = [](db_connection& on, const std::string& name, const std::string& value) {
    on.execute("UPDATE meta SET value = '" + value + "' WHERE name = '" + name + "'");
  };
  db->begin();
  for (int i = 0; i < 100; ++i)
    db->execute("INSERT INTO meta (name, value) VALUES ('row_" + std::to_string(i) + "', '')");
  db->commit();
  // The gateway holds the row that the migration needs next, and then asks for the one that the migration holds. Of the
  // two the server undoes the one that has changed fewer rows.
  running->begin();
  for (int i = 1; i < 100; ++i) set(*running, "row_" + std::to_string(i), "running");
  const auto known = known_migrations();
  std::vector<migration> steps{known.begin(), known.end()};
  steps.push_back({steps.back().version + 1, "two_rows",
                   "UPDATE meta SET value = CONCAT(value, ' migrated') WHERE name = 'row_0';"
                   "UPDATE meta SET value = CONCAT(value, ' migrated') WHERE name = 'row_1';"});
  std::thread migrating{[&] { CHECK_NOTHROW(migrate(*db, steps)); }};
  const statement first_row{"SELECT name FROM meta WHERE name = 'row_0' FOR UPDATE NOWAIT"};
  const auto migration_holds_a_row = [&] {
    bool held = false;
    watching->begin();
    try {
      watching->read(first_row, {}, [](const result_row&) {});
    } catch (const database_error&) {
      held = true;
    }
    watching->rollback();
    return held;
  };
  while (!migration_holds_a_row()) std::this_thread::yield();
  try {
    set(*running, "row_0", "running");
    running->commit();
  } catch (const database_error&) {
    running->rollback();  // TiDB undoes the one that asked last
  }
  migrating.join();
  int migrated = 0;
  const statement values{"SELECT value FROM meta WHERE name IN ('row_0', 'row_1')"};
  watching->read(values, {}, [&](const result_row& row) { migrated += row.text(0).ends_with(" migrated") ? 1 : 0; });
  CHECK(migrated == 2);
}

TEST_CASE("after a start that was interrupted at any statement of any migration the next one makes the same schema") {
  // SQLite applies all migrations in one transaction.
  const auto schema_of = [](db_connection& db) {
    std::vector<std::string> rows;
    const auto add = [&](const result_row& row) { rows.push_back(row.text(0)); };
    db.read(statement{"SELECT CONCAT_WS(' ', table_name, column_name, column_type, is_nullable, IFNULL(column_default, "
                      "'none')) FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY 1"},
            {}, add);
    db.read(statement{"SELECT CONCAT_WS(' ', table_name, index_name, non_unique, seq_in_index, column_name) FROM "
                      "information_schema.statistics WHERE table_schema = DATABASE() ORDER BY 1"},
            {}, add);
    return rows;
  };
  migrated_store straight{store_kind::mysql};
  empty_store store{store_kind::mysql};
  const auto db = connect(store.where(), access::migrate);
  const auto known = known_migrations();
  for (std::size_t next = 0; next < known.size(); ++next) {
    const auto whole = render_migration(dialect::mysql, known[next].sql);
    std::string done;
    for (const auto& sql : whole) {
      done += sql + ";\n";
      const auto interrupted = done + "CREATE NONSENSE;";
      std::vector<migration> steps{known.begin(), known.begin() + static_cast<std::ptrdiff_t>(next)};
      steps.push_back({known[next].version, known[next].name, interrupted});
      INFO(known[next].name << " is interrupted after " << sql);
      try {
        migrate(*db, steps);
        FAIL("it is not interrupted");
      } catch (const database_error& error) {
        CHECK_THAT(error.what(), Catch::Matchers::Contains("NONSENSE"));
      }
    }
  }
  migrate(*db);
  CHECK(schema_of(*db) == schema_of(*straight.reader));
}

TEST_CASE("users of merchants become one person for each address, also after interrupted starts") {
  FOR_EACH_STORE(kind);
  const auto all = known_migrations();
  const auto& people = all[4];
  REQUIRE(people.name == "0005_people");
  const auto whole = render_migration(kind == store_kind::sqlite ? dialect::sqlite : dialect::mysql, people.sql);
  // Interrupted after each statement, in one database: the next start begins with the first statement again.
  empty_store store{kind};
  const auto db = connect(store.where(), access::migrate);
  migrate(*db, all.first(4));
  fill_with_users(*db);
  for (std::size_t done = 0; done <= whole.size(); ++done) {
    INFO("died after " << done << " statements");
    std::string sql;
    for (std::size_t i = 0; i < done; ++i) (sql += whole[i]) += ";\n";
    sql += "CREATE NONSENSE;";
    std::vector<migration> steps{all.begin(), all.begin() + 4};
    steps.push_back({people.version, people.name, sql});
    CHECK_THROWS_AS(migrate(*db, steps), database_error);
  }
  migrate(*db, all);
  check_people(*connect(store.where(), access::read));
  CHECK_NOTHROW(prepared_store{store.settings()});
}

TEST_CASE("a start interrupted before it recorded the migration of users is followed by one that keeps them") {
  // On SQLite one transaction does both.
  const auto all = known_migrations();
  const auto& people = all[4];
  empty_store store{store_kind::mysql};
  const auto db = connect(store.where(), access::migrate);
  migrate(*db, all.first(4));
  fill_with_users(*db);
  migrate(*db, all);
  db->begin();
  db->execute("DELETE FROM schema_migrations WHERE version >= " + std::to_string(people.version));
  db->commit();
  migrate(*db, all.first(5));
  check_people(*connect(store.where(), access::read));
}

TEST_CASE("passwords that owners' links may have set before invitations had rows are treated as shown to the owners") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  const auto db = connect(store.where(), access::migrate);
  const auto all = known_migrations();
  const auto& invitations = all[15];
  REQUIRE(invitations.name == "0016_invitations");
  migrate(*db, all.first(15));
  const std::string long_address = "long@" + std::string(140, 'x') + ".example";
  struct past_person {
    std::string id, email, hash, set_at, shown_to;
  };
  const past_person people[] = {
      {"user_1", "ada@shop.example", "hash", "200", "merch_1"},
      {"user_2", "bob@shop.example", "hash", "200", "several"},
      {"user_3", "set-before@shop.example", "hash", "99", ""},
      {"user_4", "of-the-operator@shop.example", "hash", "NULL", ""},
      {"user_5", "no-password@shop.example", "", "NULL", ""},
      {"user_6", "not-invited@shop.example", "hash", "200", ""},
      {"user_7", long_address, "hash", "200", "merch_2"},
  };
  struct past_note {
    std::string merchant, action, subject;
  };
  const past_note notes[] = {
      {"merch_1", "invite owner", "ADA@Shop.example"},
      {"merch_1", "invite viewer", "ada@shop.example"},
      {"merch_1", "invite owner", "bob@shop.example"},
      {"merch_2", "invite viewer", "Bob@shop.example"},
      {"merch_1", "invite owner", people[2].email},
      {"merch_1", "invite owner", people[3].email},
      {"merch_1", "invite owner", people[4].email},
      {"merch_1", "remove member", people[5].email},
      {"merch_2", "invite owner", long_address.substr(0, 128)},
  };
  db->begin();
  for (const auto& p : people)
    db->execute("INSERT INTO people (user_id, email, email_key, password_hash, created_at, password_set_at) VALUES ('" +
                p.id + "', '" + p.email + "', '" + p.email + "', '" + p.hash + "', 1, " + p.set_at + ")");
  int number = 0;
  for (const auto& n : notes)
    db->execute(
        "INSERT INTO audit_log (user_id, occurred_at, audit_id, address, action, subject, merchant_id, environment) "
        "VALUES ('user_0', 100, 'audit_" +
        std::to_string(number++) + "', '', '" + n.action + "', '" + n.subject + "', '" + n.merchant + "', 'live')");
  db->commit();
  // MySQL commits each statement of the interrupted start.
  const auto whole = render_migration(db->language(), invitations.sql);
  for (std::size_t done = 0; done <= whole.size(); ++done) {
    std::string sql;
    for (std::size_t i = 0; i < done; ++i) (sql += whole[i]) += ";\n";
    std::vector<migration> steps{all.begin(), all.begin() + 15};
    steps.push_back({invitations.version, invitations.name, sql += "CREATE NONSENSE;"});
    CHECK_THROWS_AS(migrate(*db, steps), database_error);
  }
  migrate(*db, all);
  const auto reader = connect(store.where(), access::read);
  for (const auto& p : people) {
    INFO(p.email);
    CHECK(run(*reader, find_invitations{user_id{p.id}}).shown_to.value == p.shown_to);
  }
}

TEST_CASE("payments' data stored by the earlier version is read unchanged") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  past before;
  {
    const auto db = connect(store.where(), access::migrate);
    migrate(*db, known_migrations().first(2));
    fill_with_second_version(*db);
    for (int round = 0; round < rounds(); ++round) double_payments(*db, round);
    before = read_past(*connect(store.where(), access::read));
    REQUIRE(before.payments.size() == std::size_t{38} << rounds());
    migrate(*db, known_migrations());
  }
  const auto reader = connect(store.where(), access::read);
  check_backfill(*reader, before);
  for (const auto& past : before.payments) {
    const auto row = run(*reader, find_entity{past.key}).found;
    REQUIRE(row);
    if (*std::get<payment_ptr>(*row) != past.row) FAIL(past.key.id << " is not what it was");
    if (run(*reader, find_timeline{past.key}).entries != past.timeline)
      FAIL("the timeline of " << past.key.id << " is not what it was");
  }
  for (const auto& past : before.commands) {
    const auto found = run(*reader, find_command{past.key}).found;
    REQUIRE(found);
    const bool same = found->fingerprint == past.fingerprint && found->subject_kind == "payment" &&
                      found->subject_id == past.subject && (found->result ? found->result->body : "") == past.body;
    if (!same) FAIL("the command " << past.key.key << " is not what it was");
  }
  for (const auto& [number, payment] : before.deliveries) {
    find_deliveries one;
    one.id = number;
    const auto jobs = run(*reader, one).jobs;
    REQUIRE(jobs.size() == 1);
    if (jobs[0].row.subject.kind != entity_kind::payment || jobs[0].row.subject.id != payment)
      FAIL("delivery " << number << " is of another payment");
  }
  CHECK_NOTHROW(prepared_store{store.settings()});
}
