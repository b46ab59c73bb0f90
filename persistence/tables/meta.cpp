// Facts about the database itself, and its migrations.
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

struct named_fact {
  std::string_view name, value;
};

template <class Columns, class Fact>
void fact_columns(Columns& v, Fact& f) {
  v.key("name", f.name);
  v("value", f.value);
}

struct applied_migration {
  std::int64_t version = 0;
  std::string_view name;
  time_point applied_at{};
};

template <class Columns, class Migration>
void migration_columns(Columns& v, Migration& m) {
  v.key("version", m.version);
  v.fixed("name", m.name);
  v.fixed("applied_at", m.applied_at);
}

const table_columns meta_table{"meta", [](column_names& v) {
                                 const named_fact any{};
                                 fact_columns(v, any);
                               }};
const table_columns migrations_table{"schema_migrations", [](column_names& v) {
                                       const applied_migration any{};
                                       migration_columns(v, any);
                                     }};

const statement read_fact = sql("SELECT value FROM meta WHERE name = ?");

void commit_or_throw(db_connection& db, write_result result) {
  if (result != write_result::done) {
    db.rollback();
    throw database_error(database_error::kind::failed, 0, "a row of the store's own was rejected");
  }
  db.commit();
}

}  // namespace

namespace statements {

const write_shape insert_meta = meta_table.insert();
const write_shape put_meta = meta_table.put();
const write_shape insert_migration = migrations_table.insert();
const statement read_migrations = sql("SELECT version FROM schema_migrations ORDER BY version");
const statement read_schema_table =
    sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'",
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = "
        "'schema_migrations'");

}  // namespace statements

void insert_row(gathered_rows& rows, const save_last_seen& s) {
  rows.add_to(row_kind::last_seen).add(last_seen_name).keep(std::to_string(to_unix_ms(s.at)));
}

std::size_t row_hash(const save_last_seen&) { return hash_of_texts({last_seen_name}); }

void insert_row(gathered_rows& rows, const save_fact& f) { rows.add_to(row_kind::fact).add(f.name).add(f.value); }

std::size_t row_hash(const save_fact& f) { return hash_of_texts({f.name}); }

std::optional<std::string> read_meta(db_connection& db, std::string_view name) {
  const cell key[] = {name};
  std::optional<std::string> value;
  db.read(read_fact, key, [&](const result_row& row) { value = row.text(0); });
  return value;
}

bool put_meta_if_absent(db_connection& db, std::string_view name, std::string_view value) {
  const cell row[] = {name, value};
  db.begin();
  const auto result = db.write(statements::insert_meta, row);
  if (result == write_result::duplicate) {
    db.rollback();
    return false;
  }
  commit_or_throw(db, result);
  return true;
}

void probe_write(db_connection& db) {
  const auto now = std::to_string(to_unix_ms(system_wall_clock{}.now()));
  const cell row[] = {std::string_view{"last_connected"}, std::string_view{now}};
  db.begin();
  commit_or_throw(db, db.write(statements::put_meta, row));
}

}  // namespace gateway::persistence
