// So many attempts a second: a backlog that drains as fast as it can would leave payments what the machine has left.
// Pure: time is an argument.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "gateway/domain/time.hpp"

namespace gateway::actors {

class pace {
 public:
  using clock = std::chrono::steady_clock;
  /// What has gathered of permits while nothing began is forgotten beyond this: no bursts.
  static constexpr duration_ms burst{4};
  /// While clients wait for answers, this share of the rate: half of a burst's work is done by the receivers and the
  /// database, where no priority of ours reaches, and a payment that comes then waits behind it.
  static constexpr double beside_clients = 0.3;
  /// How often to look again when there is none left.
  static constexpr duration_ms grain{1};

  /// 0: no limit.
  explicit pace(std::size_t per_second) noexcept : per_second_(static_cast<double>(per_second)), permits_(most()) {}

  void refill(clock::time_point now, bool clients_wait) noexcept {
    if (now <= refilled_at_) return;
    const std::chrono::duration<double> passed = now - refilled_at_;
    permits_ = std::min(most(), permits_ + passed.count() * per_second_ * (clients_wait ? beside_clients : 1));
    refilled_at_ = now;
  }
  bool permits() const noexcept { return per_second_ <= 0 || permits_ >= 1; }
  void began() noexcept { permits_ -= 1; }

 private:
  double most() const noexcept { return std::max(1.0, per_second_ * std::chrono::duration<double>(burst).count()); }

  double per_second_;
  double permits_;
  clock::time_point refilled_at_{};
};

}  // namespace gateway::actors
