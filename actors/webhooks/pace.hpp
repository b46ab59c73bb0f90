// Limits how many attempts begin per second. Without the limit, a backlog that drains at full speed would slow down
// payments. Fresh deliveries are not a backlog: they are sent as fast as they arrive, and faster once they have to
// wait. Pure: time is an argument.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "gateway/domain/time.hpp"

namespace gateway::actors {

/// The load that decides the limit.
struct delivery_load {
  bool clients_wait = false;
  double fresh_per_second = 0;  ///< deliveries from commits
  duration_ms lag{0};           ///< how long the oldest delivery that could be sent now has been due
};

class pace {
 public:
  using clock = std::chrono::steady_clock;
  /// Permits that accumulate while nothing is sent are capped at this, to prevent bursts.
  static constexpr duration_ms burst{4};
  /// While clients wait for answers, a backlog gets this share of its rate. The receivers and the database do half of
  /// the work of deliveries, and ignore the gateway's priorities, so payments would wait for it.
  static constexpr double beside_clients = 0.3;
  /// The rate is always at least (this value + the lag in seconds, at most 1) times the rate of fresh deliveries. More
  /// lag adds nothing: deliveries that are hours late are a backlog, and must leave room for payments.
  static constexpr double catching_up = 1.25;
  static constexpr duration_ms longest_lag{1'000};
  /// How often to check again when no permit is left.
  static constexpr duration_ms grain{1};

  /// The rate of a backlog's attempts per second. 0: no limit.
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
  void on_sent() noexcept { permits_ -= 1; }

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
