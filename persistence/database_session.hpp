// A connection that comes back. Opened when first needed; closed by trouble, and opened again.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "gateway/base/metrics.hpp"
#include "persistence/store_location.hpp"

namespace gateway::persistence {

/// What all sessions of a store say together: the store is up while none of them is away.
class store_health {
 public:
  explicit store_health(metrics& m) : gauge_(m.store_up) { gauge_.Set(1); }
  void went_away() {
    if (away_.fetch_add(1) == 0) gauge_.Set(0);
  }
  void came_back() {
    if (away_.fetch_sub(1) == 1) gauge_.Set(1);
  }

 private:
  prometheus::Gauge& gauge_;
  std::atomic<int> away_{0};
};

/// Used by one thread. While it is away, `run` answers false at once and only `try_to_return` knocks at the database.
class database_session {
 public:
  database_session(store_location where, access how, std::shared_ptr<store_health> health);
  ~database_session();
  database_session(const database_session&) = delete;
  database_session& operator=(const database_session&) = delete;

  bool away() const noexcept { return away_; }

  /// Runs `work(db_connection&)`, again where nothing has happened yet: after a deadlock a few times, and once on a new
  /// connection if the old one turns out to be dead. False: the database did not say whether it happened.
  template <class Work>
  bool run(Work&& work);

  /// After work whose outcome its callers know.
  void tend() noexcept {
    if (link_) link_->tend();
  }

  /// For the owner's timer while away. True: it answers again.
  bool try_to_return();
  /// How long to wait before the next try.
  std::chrono::milliseconds pause() const noexcept { return pause_; }

 private:
  static constexpr int most_attempts = 12;
  static constexpr std::chrono::milliseconds first_pause{250}, longest_pause{1'000};
  /// Work that failed later than this is not begun again: its caller has waited enough.
  static constexpr std::chrono::seconds quick{1};

  db_connection& opened();
  void give_up(const database_error& error);
  static void let_others_finish(int attempt);

  store_location where_;
  access how_;
  std::shared_ptr<store_health> health_;
  std::unique_ptr<db_connection> link_;
  bool away_ = false;
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
        if (!soon || attempt == most_attempts) return false;  // the database is well, others hold its locks
        let_others_finish(attempt);
      } else if (error.what_kind == database_error::kind::gone && soon && !renewed) {
        renewed = true;
        link_.reset();
      } else {
        give_up(error);
        return false;
      }
    }
  }
}

}  // namespace gateway::persistence
