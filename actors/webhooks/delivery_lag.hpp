// How long deliveries wait for the gateway alone, and the resulting limits on writes: live writes are limited for
// waiting live deliveries only, test writes for all waiting deliveries.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "delivery_balance.hpp"
#include "delivery_worker.hpp"
#include "destination_lane.hpp"
#include "lane_owners.hpp"

namespace gateway::actors {

/// Examines the dispatcher's lanes, ten times a second.
class delivery_lag {
 public:
  using ticks = delivery_balance::clock::time_point;

  /// `context` and `owners` must outlive this object.
  delivery_lag(const webhook_context& context, const lane_owners& owners)
      : context_{context}, owners_{owners}, live_{context.brake.live}, all_{context.brake.test} {}

  /// One more delivery of the lane is due.
  void on_due(const destination_lane& to) noexcept {
    if (!to.well) return;
    all_.balance.on_due();
    if (is_live(to)) live_.balance.on_due();
  }
  /// One delivery of the lane was sent.
  void on_sent(const destination_lane& to) noexcept {
    if (!to.well) return;
    all_.balance.on_sent();
    if (is_live(to)) live_.balance.on_sent();
  }

  bool is_due(ticks now) const noexcept { return all_.balance.is_due(now); }
  /// Determines which lanes are well, and limits writes if their webhooks fall behind.
  void sample(std::unordered_map<destination_id, destination_lane>& lanes, ticks at, time_point now);

  /// How long the oldest delivery had been due at the last sample().
  duration_ms longest() const noexcept { return all_.longest; }
  double fresh_per_second() const noexcept { return all_.balance.fresh_per_second(); }
  bool brakes() const noexcept { return all_.balance.limit() || live_.balance.limit(); }

 private:
  /// A group of lanes, and the writes that are limited for them.
  struct side {
    explicit side(write_brake& of) : brake(of) {}

    void see(const destination_lane& lane, duration_ms lag);
    void limit_writes(ticks at, std::string_view which);

    write_brake& brake;
    delivery_balance balance{};
    duration_ms longest{0};
    std::uint64_t waiting = 0;
  };

  static bool is_live(const destination_lane& lane) noexcept {
    return !lane.owner || lane.owner->env == environment::live;
  }
  bool is_well(const destination_lane& lane, time_point now) const;
  static duration_ms lag_of(const destination_lane& of, time_point now);

  const webhook_context& context_;
  const lane_owners& owners_;
  side live_;
  side all_;
};

}  // namespace gateway::actors
