#include "persistence/store.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/base/log.hpp"
#include "persistence/connection/store_location.hpp"
#include "persistence/migrations/migrations.hpp"
#include "persistence/nodes/node_table.hpp"
#include "persistence/session/store_reader.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/units/store_writer.hpp"

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

/// Returns a connection that holds the database's lock. Waits while another process has it.
std::unique_ptr<db_connection> connect_alone(const store_location& where, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (bool reported = false;; std::this_thread::sleep_for(std::chrono::milliseconds{100})) {
    try {
      return connect(where, access::write);
    } catch (const database_error& error) {
      if (error.what_kind != database_error::kind::locked_out || std::chrono::steady_clock::now() >= deadline) throw;
      if (!std::exchange(reported, true))
        log::info("store.waits_for_lock", {{"why", error.what()}, {"at_most_ms", patience.count()}});
    }
  }
}

/// The first of the lanes in which this node's writers add to daily totals. Nodes whose names have the same hash share
/// lanes, and then wait for each other's commits. The number of lanes is limited, because every daily total has a row
/// for each lane that adds to it.
std::int64_t first_lane(std::string_view node) {
  constexpr std::int64_t nodes = 64, writers = 64;
  return static_cast<std::int64_t>(std::hash<std::string_view>{}(node) % nodes) * writers;
}

}  // namespace

bool has_database(const settings& s) {
  const auto where = locate_store(s);
  if (where.language == dialect::sqlite) {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(where.file, none);
    return !none && bytes > 0;
  }
  try {
    const auto db = connect(where, access::keep);
    bool found = false;
    db->read(statements::read_schema_table, {}, [&](const result_row&) { found = true; });
    return found;
  } catch (const database_error& error) {
    fail(where.shown(), error);
  }
}

struct prepared_store::opened {
  store_location where;
  std::unique_ptr<db_connection> db;
  std::string engine;
  bool has_purged_payments = false;
  node_row mine{};  ///< set once a node has its name, until a keeper takes the row over

  ~opened() {
    if (mine.incarnation.empty()) return;
    try {
      db.reset();
      leave(*connect(where, access::keep), mine);
    } catch (const std::exception& error) {
      log::warn("node.leave_not_recorded", {{"why", error.what()}});  // the others notice once its lease has ended
    }
  }
};

prepared_store::prepared_store(const settings& s, std::chrono::milliseconds patience)
    : opened_(std::make_unique<opened>(locate_store(s))) {
  auto& where = opened_->where;
  if (where.language == dialect::sqlite) make_data_dir(s.data_dir);
  try {
    if (s.node.empty())
      open_alone(patience);
    else
      open_among_others();
    probe_write(*opened_->db);
    opened_->engine = opened_->db->engine();
    opened_->has_purged_payments = has_purged_payments(*opened_->db);
    opened_->db->rollback();  // on a writing connection a read begins a transaction
  } catch (const std::runtime_error& error) {
    fail(where.shown(), error);
  }
}

void prepared_store::open_alone(std::chrono::milliseconds patience) {
  auto& where = opened_->where;
  where.process = crypto::random_hex(16);
  opened_->db = connect_alone(where, patience);
  migrate(*connect(where, access::migrate));
  if (where.language == dialect::mysql) require_no_nodes(*opened_->db);
  where.has_looked_for_nodes = true;
  end_lanes_of(*opened_->db, {});
}

void prepared_store::open_among_others() {
  const auto& where = opened_->where;
  if (where.language != dialect::mysql)
    throw std::runtime_error{"nodes share a MariaDB or MySQL, and the embedded store is one process's"};
  const auto link = connect(where, access::keep);
  require_not_held_by_one(*link);
  migrate(*connect(where, access::migrate));
  opened_->db = connect(where, access::write);
}

std::vector<node_row> prepared_store::read_nodes() {
  if (opened_->where.language != dialect::mysql) return {};
  try {
    return look_at_nodes(*connect(opened_->where, access::keep)).rows;
  } catch (const std::runtime_error& error) {
    fail(opened_->where.shown(), error);
  }
}

void prepared_store::take_name(const settings& s) {
  if (s.node.empty()) return;
  try {
    opened_->mine.incarnation = persistence::take_name(*connect(opened_->where, access::keep), s);
    opened_->mine.name = s.node;
    end_lanes_of(*opened_->db, {s.node});
  } catch (const std::runtime_error& error) {
    fail(opened_->where.shown(), error);
  }
}

const std::string& prepared_store::incarnation() const noexcept { return opened_->mine.incarnation; }

node_keeper prepared_store::keep_lease(caf::actor_system& system, const settings& s, membership& reported,
                                       metrics& counts, node_ending ending) {
  // Until now writes needed no lease, because they only insert what is absent. From now on every commit needs it.
  opened_->db.reset();
  opened_->where.node = &reported;
  auto keeper = spawn_node_keeper(system, opened_->where, s.cluster_address, reported, counts, std::move(ending));
  opened_->mine = {};  // the keeper gives the name back
  return keeper;
}

const std::string& prepared_store::engine() const noexcept { return opened_->engine; }

prepared_store::~prepared_store() = default;
prepared_store::prepared_store(prepared_store&&) noexcept = default;
prepared_store& prepared_store::operator=(prepared_store&&) noexcept = default;

std::optional<std::string> prepared_store::read_meta(std::string_view name) {
  try {
    auto value = persistence::read_meta(*opened_->db, name);
    opened_->db->rollback();  // on a writing connection a read begins a transaction
    return value;
  } catch (const database_error& error) {
    fail(opened_->where.shown(), error);
  }
}

bool prepared_store::put_meta_if_absent(std::string_view name, std::string_view value) {
  try {
    return persistence::put_meta_if_absent(*opened_->db, name, value);
  } catch (const database_error& error) {
    fail(opened_->where.shown(), error);
  }
}

std::vector<save_master_key> prepared_store::read_master_keys() {
  try {
    auto keys = read_master_key_rows(*opened_->db);
    opened_->db->rollback();
    return keys;
  } catch (const std::runtime_error& error) {
    fail(opened_->where.shown(), error);
  }
}

void prepared_store::put_master_key_if_absent(const save_master_key& key) {
  try {
    insert_master_key_if_absent(*opened_->db, key);
  } catch (const database_error& error) {
    fail(opened_->where.shown(), error);
  }
}

store_handles open_store(caf::actor_system& system, prepared_store prepared, const settings& s, metrics& counts) {
  const auto& where = prepared.opened_->where;
  const auto health = std::make_shared<store_health>(counts);
  // SQLite allows one writer at a time, so a second connection would only wait for the first.
  const auto writers = where.language == dialect::sqlite ? 1u : std::max(1u, s.store_writers);
  writer_limits limits;
  limits.batch_units = std::max(1u, s.batch_units);
  limits.queue = std::max<std::size_t>(1, s.store_queue / writers);
  limits.recordings = limits.queue;
  limits.node = s.node;
  limits.purges_payments = s.payments_kept || prepared.opened_->has_purged_payments;
  log::info("store.opened", {{"engine", prepared.engine()}});
  prometheus::BuildGauge()
      .Name("gateway_store_info")
      .Help("1, with the database's name and version")
      .Register(counts.registry())
      .Add({{"engine", prepared.engine()}})
      .Set(1);
  const auto taken = std::make_shared<keys_taken>(0);
  const auto events = std::make_shared<event_log>();
  store_handles handles;
  for (unsigned i = 0; i < writers; ++i) {
    limits.lane = first_lane(s.node) + i;
    handles.writers.push_back(
        spawn_store_writer(system, where, health, counts, limits, taken, events, std::move(prepared.opened_->db)));
  }
  for (unsigned i = 0; i < std::max(1u, s.store_readers); ++i)
    handles.readers.push_back(spawn_store_reader(system, where, health));
  // On SQLite records share the one writer, in which writer_queues gives payments priority. On MySQL they have a
  // connection of their own with small transactions, because no client waits for a record, but payments wait for the
  // database. The purge runs there, too. It deletes rows that no unit writes any more, so it waits for no lock of the
  // writers, and no batch of theirs waits for it.
  auto small = limits;
  small.batch_units = std::min<std::size_t>(limits.batch_units, 64);
  // Records delay payments by the number of their commits if they have their own connection, and by the length of each
  // commit if they share the writer.
  small.recording_pause = 2 * limits.recording_pause;
  small.awaited = false;
  handles.recorder = where.language == dialect::sqlite
                         ? handles.writers.front()
                         : spawn_store_writer(system, where, health, counts, small, taken, events);
  handles.outbox = spawn_store_reader(system, where, health);
  handles.archive = spawn_store_reader(system, where, health, events);
  handles.entries = spawn_store_reader(system, where, health);
  return handles;
}

}  // namespace gateway::persistence
