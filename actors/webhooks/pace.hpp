// How many attempts may begin: a backlog that drains as fast as it can would leave payments what the machine has left.
// What is fresh is no backlog: it goes out as fast as it comes, and faster once it has to wait.
// Pure: time is an argument.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "gateway/domain/time.hpp"

namespace gateway::actors {

/// What attempts compete with, and how they stand.
struct delivery_load {
  bool clients_wait = false;
  double fresh_per_second = 0;  ///< deliveries that commits bring
  duration_ms lag{0};           ///< how long the oldest has been due that could go out now
};

class pace {
 public:
  using clock = std::chrono::steady_clock;
  /// What has gathered of permits while nothing began is forgotten beyond this: no bursts.
  static constexpr duration_ms burst{4};
  /// While clients wait for answers, a backlog gets this share of its rate: half of a burst's work is done by the
  /// receivers and the database, where no priority of ours reaches, and a payment that comes then waits behind it.
  static constexpr double beside_clients = 0.3;
  /// Always so many times what comes in, and once more for a second of lag. Not for each further second: what is hours
  /// late is a backlog, and would take all that payments need.
  static constexpr double catching_up = 1.25;
  static constexpr duration_ms longest_lag{1'000};
  /// How often to look again when there is none left.
  static constexpr duration_ms grain{1};

  /// A backlog's attempts a second. 0: no limit.
  explicit pace(std::size_t per_second) noexcept : backlog_rate_(static_cast<double>(per_second)), permits_(most()) {}

  void refill(clock::time_point now, const delivery_load& load) noexcept {
    if (now <= refilled_at_) return;
    const std::chrono::duration<double> passed = now - refilled_at_;
    const std::chrono::duration<double> lag = std::min(load.lag, longest_lag);
    rate_ = std::max(backlog_rate_ * (load.clients_wait ? beside_clients : 1),
                     load.fresh_per_second * (catching_up + lag.count()));
    permits_ = std::min(most(), permits_ + passed.count() * rate_);
    refilled_at_ = now;
  }
  bool permits() const noexcept { return backlog_rate_ <= 0 || permits_ >= 1; }
  void began() noexcept { permits_ -= 1; }

 private:
  double most() const noexcept {
    return std::max(1.0, std::max(rate_, backlog_rate_) * std::chrono::duration<double>(burst).count());
  }

  double backlog_rate_;
  double rate_ = 0;
  double permits_;
  clock::time_point refilled_at_{};
};

}  // namespace gateway::actors
