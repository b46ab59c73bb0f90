// How long deliveries wait that nothing but the gateway keeps back, and the brake on writes that follows from it.
#pragma once

#include <unordered_map>

#include "delivery_balance.hpp"
#include "delivery_worker.hpp"
#include "destination_lane.hpp"

namespace gateway::actors {

/// The dispatcher's look at its lanes, ten times a second.
class delivery_lag {
 public:
  using ticks = delivery_balance::clock::time_point;

  /// The context outlives it.
  explicit delivery_lag(const webhook_context& context) : context_{context} {}

  /// One more delivery of the lane is due.
  void came(const destination_lane& to) noexcept {
    if (to.well) balance_.came();
  }
  /// And one has gone out.
  void began(const destination_lane& to) noexcept {
    if (to.well) balance_.began();
  }

  bool is_due(ticks now) const noexcept { return balance_.is_due(now); }
  /// Sees which lanes are well, and brakes the writes if their webhooks fall behind.
  void look(std::unordered_map<destination_id, destination_lane>& lanes, ticks at, time_point now);

  /// As of the last look: since when the oldest delivery has been due.
  duration_ms longest() const noexcept { return longest_; }
  double fresh_per_second() const noexcept { return balance_.fresh_per_second(); }
  bool brakes() const noexcept { return balance_.limit().has_value(); }

 private:
  bool is_well(const destination_lane& lane, time_point now) const;
  static duration_ms lag_of(const destination_lane& of, time_point now);
  void brake(ticks at, std::uint64_t waiting);

  const webhook_context& context_;
  delivery_balance balance_;
  duration_ms longest_{0};
};

}  // namespace gateway::actors
