// A database's plan for a statement.
#pragma once

#include <string>

#include "contract_store.hpp"

namespace gateway::persistence::test {

/// The steps of a plan, one line each: SQLite's text, or MySQL's table, type, index and remark.
inline std::string plan_of(const migrated_store& store, const statement& sql, std::span<const cell> parameters) {
  // A fresh connection, because connections cache a statement by its address, and this statement is temporary.
  const auto link = connect(store.where(), access::read);
  auto& db = *link;
  const auto sqlite = "EXPLAIN QUERY PLAN " + std::string{sql.sqlite}, mysql = "EXPLAIN " + std::string{sql.mysql};
  const statement explained{sqlite, mysql};
  std::string plan;
  db.read(explained, parameters, [&](const result_row& row) {
    if (db.language() == dialect::sqlite) {
      plan += row.text(3) + '\n';
    } else {
      // id, select_type, table, type, possible_keys, key, key_len, ref, rows, Extra; MySQL 8 has two columns more.
      plan += row.text(2) + ' ' + row.text(3) + ' ' + row.text(5) + " | " + row.text(9) + '\n';
    }
  });
  return plan;
}

}  // namespace gateway::persistence::test
