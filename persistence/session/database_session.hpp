// A connection that is opened when first needed, closed when the database fails, and opened again.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "gateway/base/metrics.hpp"
#include "persistence/connection/store_location.hpp"

namespace gateway::persistence {

/// The state of all sessions of a store: the store is up while no session is away.
class store_health {
 public:
  explicit store_health(metrics& m) : up_(m.store_up), locked_out_(m.store_locked_out) {
    up_.Set(1);
    locked_out_.Set(0);
  }
  void mark_down() {
    if (away_.fetch_add(1) == 0) up_.Set(0);
  }
  void mark_up() {
    if (away_.fetch_sub(1) == 1) up_.Set(1);
  }
  /// To be called for a session that is away because another process has the database.
  void mark_locked_out() {
    if (outside_.fetch_add(1) == 0) locked_out_.Set(1);
  }
  void mark_let_in() {
    if (outside_.fetch_sub(1) == 1) locked_out_.Set(0);
  }

 private:
  prometheus::Gauge& up_;
  prometheus::Gauge& locked_out_;
  std::atomic<int> away_{0};
  std::atomic<int> outside_{0};
};

/// Describes a driver's error number for the log, because the error's own text may quote customers' data. Empty for a
/// number that this table lacks.
std::string_view description_of(dialect language, int driver_code) noexcept;

/// Used by one thread. While the session is away, `run` returns false at once, and only `try_to_reconnect` connects.
class database_session {
 public:
  /// `first`: the connection to start with; another thread may have opened it. Null: one is opened when first needed.
  database_session(store_location where, access how, std::shared_ptr<store_health> health,
                   std::unique_ptr<db_connection> first = {});
  ~database_session();
  database_session(const database_session&) = delete;
  database_session& operator=(const database_session&) = delete;

  bool away() const noexcept { return away_; }

  /// Runs `work(db_connection&)`. Repeats it where nothing has happened yet: after a deadlock a few times, and once on
  /// a new connection if the old one turns out to be dead. Returns false if it is unknown whether the work happened.
  template <class Work>
  bool run(Work&& work);

  /// The owner calls this every `lock_interval`, so that an idle session notices a lost lock and takes it again.
  static constexpr std::chrono::seconds lock_interval{5};
  void confirm_lock() {
    run([](db_connection& db) { db.confirm_lock(); });
  }

  /// To be called after work, once its callers have its outcome.
  void maintain() noexcept {
    if (link_) link_->maintain();
  }

  /// For the owner's timer while the session is away. Returns true if the database answers again.
  bool try_to_reconnect();
  /// How long to wait before the next attempt to reconnect.
  std::chrono::milliseconds pause() const noexcept { return pause_; }

 private:
  static constexpr int most_attempts = 12;
  static constexpr std::chrono::milliseconds first_pause{250}, longest_pause{1'000};
  /// Work that failed after a longer time is not repeated, because its caller has waited long enough.
  static constexpr std::chrono::seconds quick{1};

  db_connection& opened();
  void mark_away(const database_error& error);
  void mark_locked_out(bool now, const char* why = "");
  static void back_off(int attempt);

  store_location where_;
  access how_;
  std::shared_ptr<store_health> health_;
  std::unique_ptr<db_connection> first_;  ///< until it is used
  std::unique_ptr<db_connection> link_;
  bool away_ = false;
  bool locked_out_ = false;  ///< away because another process has the database
  std::chrono::milliseconds pause_ = first_pause;
};

template <class Work>
bool database_session::run(Work&& work) {
  if (away_) return false;
  const auto started = std::chrono::steady_clock::now();
  bool renewed = false;
  for (int attempt = 1;; ++attempt) {
    try {
      work(opened());
      return true;
    } catch (const database_error& error) {
      const bool soon = std::chrono::steady_clock::now() - started < quick;
      if (error.what_kind == database_error::kind::busy) {
        if (!soon || attempt == most_attempts) return false;  // the database answers, but others hold its locks
        back_off(attempt);
      } else if (error.what_kind == database_error::kind::gone && soon && !renewed) {
        renewed = true;
        link_.reset();
      } else {
        mark_away(error);
        return false;
      }
    }
  }
}

}  // namespace gateway::persistence
