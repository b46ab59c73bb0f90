#include "persistence/store.hpp"

#include <algorithm>
#include <stdexcept>

#include "persistence/migrations.hpp"
#include "persistence/queries.hpp"
#include "persistence/store_location.hpp"
#include "persistence/store_reader.hpp"
#include "persistence/store_writer.hpp"

namespace gateway::persistence {

namespace {

[[noreturn]] void fail(const std::string& shown, const std::exception& error) {
  throw std::runtime_error("store " + shown + ": " + error.what());
}

void make_data_dir(const std::filesystem::path& dir) {
  std::error_code error;
  const bool created = std::filesystem::create_directories(dir, error);
  if (error) throw std::runtime_error("cannot create the data directory " + dir.string() + ": " + error.message());
  if (!std::filesystem::is_directory(dir))
    throw std::runtime_error("the data directory " + dir.string() + " is not a directory");
  if (created) std::filesystem::permissions(dir, std::filesystem::perms::owner_all, error);
}

}  // namespace

prepared_store::prepared_store(const settings& s) {
  const auto where = locate_store(s);
  if (where.language == dialect::sqlite) make_data_dir(s.data_dir);
  shown_ = where.shown();
  try {
    db_ = connect(where, access::migrate);
    migrate(*db_);
    probe_write(*db_);
  } catch (const std::runtime_error& error) {
    fail(shown_, error);
  }
}

prepared_store::~prepared_store() = default;
prepared_store::prepared_store(prepared_store&&) noexcept = default;
prepared_store& prepared_store::operator=(prepared_store&&) noexcept = default;

std::optional<std::string> prepared_store::read_meta(std::string_view name) {
  try {
    auto value = persistence::read_meta(*db_, name);
    db_->rollback();  // on a writing connection a read begins a transaction
    return value;
  } catch (const database_error& error) {
    fail(shown_, error);
  }
}

bool prepared_store::put_meta_if_absent(std::string_view name, std::string_view value) {
  try {
    return persistence::put_meta_if_absent(*db_, name, value);
  } catch (const database_error& error) {
    fail(shown_, error);
  }
}

store_handles open_store(caf::actor_system& system, const settings& s, metrics& counts) {
  const auto where = locate_store(s);
  const auto health = std::make_shared<store_health>(counts);
  // SQLite allows one writer at a time, so a second connection would only wait for the first.
  const auto writers = where.language == dialect::sqlite ? 1u : std::max(1u, s.store_writers);
  writer_limits limits;
  limits.batch_units = std::max(1u, s.batch_units);
  limits.queue = std::max<std::size_t>(1, s.store_queue / writers);
  limits.recordings = limits.queue;
  const auto taken = std::make_shared<keys_taken>(0);
  store_handles handles;
  for (unsigned i = 0; i < writers; ++i)
    handles.writers.push_back(spawn_store_writer(system, where, health, counts, limits, taken));
  for (unsigned i = 0; i < std::max(1u, s.store_readers); ++i)
    handles.readers.push_back(spawn_store_reader(system, where, health));
  // On SQLite records share the one writer, in which writer_queues gives payments priority. On MySQL they have a
  // connection of their own, with small transactions: no client waits for a record, but payments wait for the database.
  // The purge is there, too: it deletes rows that no unit writes any more, so it meets neither the writers' rows nor
  // their locks, and no batch of theirs waits for a step of it.
  auto small = limits;
  small.batch_units = std::min<std::size_t>(limits.batch_units, 64);
  // With a connection of their own the number of their commits matters to payments; in a shared writer each one's
  // length.
  small.recording_pause = 2 * limits.recording_pause;
  small.awaited = false;
  handles.recorder = where.language == dialect::sqlite
                         ? handles.writers.front()
                         : spawn_store_writer(system, where, health, counts, small, taken);
  handles.outbox = spawn_store_reader(system, where, health);
  handles.archive = spawn_store_reader(system, where, health);
  return handles;
}

}  // namespace gateway::persistence
