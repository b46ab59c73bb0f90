#include "persistence/session/database_session.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "gateway/base/log.hpp"
#include "persistence/tables/queries.hpp"

namespace gateway::persistence {

namespace {
std::string_view name_of(access how) noexcept { return how == access::write ? "write" : "read"; }
}  // namespace

std::string_view description_of(dialect language, int driver_code) noexcept {
  if (language == dialect::sqlite) return driver_code == SQLITE_OK ? "" : sqlite3_errstr(driver_code);
  switch (driver_code) {
    case 1021: return "the server's disk is full";
    case 1114: return "a table, or the disk that it is on, is full";
    case 1047: return "the server is not in the cluster's primary component";
    case 1053: return "the server ends";
    case 1290:
    case 1836: return "the server is read-only";
    case 1927: return "the connection was killed";
    case 2006:
    case 2013: return "the connection broke";
    case 8027: return "the TiDB server has lost the others";
    case 9001: return "TiDB's placement driver does not answer";
    case 9002:
    case 9005: return "a part of TiDB's storage does not answer";
    default: return {};
  }
}

database_session::database_session(store_location where, access how, std::shared_ptr<store_health> health,
                                   std::unique_ptr<db_connection> first)
    : where_(std::move(where)), how_(how), health_(std::move(health)), first_(std::move(first)) {}

database_session::~database_session() {
  if (locked_out_) health_->mark_let_in();
  if (away_) health_->mark_up();
}

db_connection& database_session::opened() {
  if (link_ && link_->is_left_behind()) link_.reset();
  if (!link_) {
    auto link = first_ ? std::move(first_) : connect(where_, how_);
    link->serve();
    link_ = std::move(link);
  }
  return *link_;
}

void database_session::mark_away(const database_error& error) {
  link_.reset();
  away_ = true;
  pause_ = first_pause;
  health_->mark_down();
  // Only the text of a failed connect is logged, because other texts may quote customers' data.
  const std::string_view why = error.what_kind == database_error::kind::unreachable
                                   ? error.what()
                                   : description_of(where_.language, error.driver_code);
  log::error("store.away", {{"access", name_of(how_)}, {"code", error.driver_code}, {"why", why}});
  if (error.what_kind == database_error::kind::locked_out) mark_locked_out(true, error.what());
}

void database_session::mark_locked_out(bool now, const char* why) {
  if (std::exchange(locked_out_, now) == now) return;
  if (!now) return health_->mark_let_in();
  health_->mark_locked_out();
  log::error("store.locked_out", {{"access", name_of(how_)}, {"why", why}});
}

bool database_session::try_to_reconnect() {
  if (!away_) return true;
  try {
    auto& db = opened();
    if (how_ == access::write) {
      probe_write(db);
    } else {
      read_meta(db, "last_connected");
    }
  } catch (const database_error& error) {
    link_.reset();
    pause_ = std::min(pause_ * 2, longest_pause);
    mark_locked_out(error.what_kind == database_error::kind::locked_out, error.what());
    return false;
  }
  away_ = false;
  mark_locked_out(false);
  health_->mark_up();
  log::info("store.back", {{"access", name_of(how_)}});
  return true;
}

void database_session::back_off(int attempt) {
  // A random pause, because two transactions that wait equally long would collide again.
  thread_local std::minstd_rand draw{std::random_device{}()};
  std::this_thread::sleep_for(
      std::chrono::microseconds{std::uniform_int_distribution{500, 1'000 << std::min(attempt, 5)}(draw)});
}

}  // namespace gateway::persistence
