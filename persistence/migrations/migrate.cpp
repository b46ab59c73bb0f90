#include "persistence/migrations/migrations.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "gateway/base/log.hpp"
#include "gateway/domain/time.hpp"

namespace gateway::persistence {

namespace {

// The tables that must exist before the first migration. `meta` holds facts about the database itself.
constexpr std::string_view base_tables =
    "CREATE TABLE IF NOT EXISTS schema_migrations (version {integer} NOT NULL, name {string 255} NOT NULL, applied_at "
    "{integer} NOT NULL, "
    "PRIMARY KEY (version)) {clustered};"
    "CREATE TABLE IF NOT EXISTS meta (name {string 64} NOT NULL, value {text} NOT NULL, PRIMARY KEY (name)) "
    "{clustered};";

void apply(db_connection& db, const migration& step) {
  for (const auto& sql : render_migration(db.language(), step.sql)) {
    try {
      db.execute(sql);
    } catch (const database_error& error) {
      // MySQL commits each schema change separately, so an earlier start may have ended half-way.
      if (!db.is_already_there(error)) throw;
    }
  }
  const auto now = to_unix_ms(system_wall_clock{}.now());
  const cell row[] = {step.version, step.name, now};
  if (db.write(statements::insert_migration, row) != write_result::done)
    throw database_error(database_error::kind::failed, 0, "the migration could not be recorded");
  log::info("store.migrated", {{"version", step.version}, {"name", step.name}});
}

void migrate_locked(db_connection& db, std::span<const migration> known) {
  for (const auto& sql : render_migration(db.language(), base_tables)) db.execute(sql);
  std::int64_t applied = 0;
  db.read(statements::read_migrations, {}, [&](const result_row& row) { applied = std::max(applied, row.integer(0)); });
  const auto newest = known.empty() ? 0 : known.back().version;
  if (applied > newest)
    throw std::runtime_error("the database's schema has version " + std::to_string(applied) +
                             ", this program knows versions up to " + std::to_string(newest) +
                             ": start a newer gatewayd");
  for (const auto& step : known)
    if (step.version > applied) apply(db, step);
}

}  // namespace

void migrate(db_connection& db, std::span<const migration> known) {
  using namespace std::chrono_literals;
  constexpr int most_attempts = 20;
  for (int attempt = 1;; ++attempt) {
    db.lock_schema();
    try {
      migrate_locked(db, known);
      return db.unlock_schema(true);
    } catch (const database_error& error) {
      db.unlock_schema(false);
      // In a rolling upgrade the other nodes write at the same time, and the database may undo a statement of the
      // migration in favour of theirs. All statements may be executed again.
      if (error.what_kind != database_error::kind::busy || attempt == most_attempts) throw;
      log::info("store.migration_repeated", {{"attempt", attempt}, {"code", error.driver_code}});
    } catch (...) {
      db.unlock_schema(false);
      throw;
    }
    std::this_thread::sleep_for(200ms);
  }
}

}  // namespace gateway::persistence
