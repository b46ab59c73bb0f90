#include "persistence/backup/backup_contents.hpp"

#include <array>

#include "gateway/ports/store/audit_check.hpp"
#include "persistence/tables/queries.hpp"

namespace gateway::persistence {

namespace {

struct counted_table {
  const char* name;
  statement count;
};

const statement read_newest_migration{"SELECT MAX(version) FROM schema_migrations"};
const statement read_ledger_totals{
    "SELECT environment, currency, COUNT(*), SUM(customer_amount), SUM(provider_amount), SUM(merchant_amount) FROM "
    "ledger GROUP BY environment, currency ORDER BY environment, currency"};
/// A constraint forbids such rows.
const statement count_uneven_entries{
    "SELECT COUNT(*) FROM ledger WHERE customer_amount + provider_amount + merchant_amount <> 0"};

const std::array<counted_table, 8>& counted_tables() {
  static const std::array<counted_table, 8> tables{{{"merchants", {"SELECT COUNT(*) FROM merchants"}},
                                                    {"payments", {"SELECT COUNT(*) FROM payments"}},
                                                    {"subscriptions", {"SELECT COUNT(*) FROM subscriptions"}},
                                                    {"commands", {"SELECT COUNT(*) FROM commands"}},
                                                    {"events", {"SELECT COUNT(*) FROM events"}},
                                                    {"deliveries", {"SELECT COUNT(*) FROM deliveries"}},
                                                    {"ledger", {"SELECT COUNT(*) FROM ledger"}},
                                                    {"audit_log", {"SELECT COUNT(*) FROM audit_log"}}}};
  return tables;
}

/// The check stops after this many problems.
constexpr std::size_t most_chain_faults = 100;

void check_chains(db_connection& db, std::vector<std::string>& faults) {
  find_audit_chain query;
  for (audit_progress progress; faults.size() < most_chain_faults;) {
    query.after = progress.number;
    query.after_id = progress.id;
    const auto part = run(db, query);
    if (!part.chain) return;
    const bool is_last = part.entries.size() < query.limit;
    for (const auto& found : check_audit_part(progress, part, is_last))
      faults.push_back("audit log, chain " + std::to_string(found.chain) + ", entry " + std::to_string(found.number) +
                       ": " + found.words);
    query.chain = part.chain;
    if (!is_last) continue;
    if (!part.next) return;
    query.chain = part.next;
    progress = {};
  }
}

}  // namespace

backup_contents read_contents(db_connection& db) {
  backup_contents found;
  db.read(read_newest_migration, {}, [&](const result_row& row) { found.schema_version = row.integer(0); });
  for (const auto& table : counted_tables())
    db.read(table.count, {}, [&](const result_row& row) { found.counts.push_back({table.name, row.integer(0)}); });
  db.read(read_ledger_totals, {}, [&](const result_row& row) {
    found.ledger.push_back({row.text(0), row.text(1), row.integer(2), row.integer(3), row.integer(4), row.integer(5)});
  });
  found.audit_heads = run(db, find_audit_heads{}).heads;
  return found;
}

std::vector<std::string> faults_in_records(db_connection& db, const backup_contents& contents) {
  std::vector<std::string> faults;
  for (const auto& total : contents.ledger)
    if (total.customer + total.provider + total.merchant != 0)
      faults.push_back("the ledger's sums in " + total.currency + ", " + total.environment + " mode, are not zero");
  db.read(count_uneven_entries, {}, [&](const result_row& row) {
    if (row.integer(0) != 0)
      faults.push_back(std::to_string(row.integer(0)) + " entries of the ledger do not add up to zero");
  });
  check_chains(db, faults);
  return faults;
}

}  // namespace gateway::persistence
