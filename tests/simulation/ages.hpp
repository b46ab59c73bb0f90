// Checks that nothing is purged or expired before its time, even while the nodes' wall clocks are wrong.
#pragma once

#include <map>
#include <optional>

#include "gateway/settings.hpp"
#include "promises.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

class age_promises {
 public:
  age_promises(const testing::memory_store& rows, const virtual_time& time, const settings& config, promises& all)
      : rows_{rows}, time_{time}, config_{config}, all_{all} {}

  /// A unit has been committed; `before` is the previous row of its payment.
  void committed(const std::optional<payment>& before, const testing::unit_parts& unit);
  /// The gateway asks the provider to accept no more payment for the checkout.
  void closing(const payment& subject);
  /// A node is about to delete the rows that this finds.
  void purged(const purge_commands& what);

 private:
  bool is_early(const testing::memory_store::entity_row_key& checkout) const;

  /// By the true time. Commands stamped by a wrong clock are left out: they carry the wrong time and are kept by it.
  std::map<testing::memory_store::command_row_key, time_point> begun_;
  std::map<testing::memory_store::entity_row_key, time_point> opened_;  ///< from when a checkout's time counts

  const testing::memory_store& rows_;
  const virtual_time& time_;
  const settings& config_;
  promises& all_;
};

}  // namespace gateway::simulation
