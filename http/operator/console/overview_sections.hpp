// The console's overview: nodes, load, providers, payments with an unknown outcome, failing destinations. Pure:
// renders values that were read before.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "gateway/domain/node.hpp"
#include "gateway/ports/store/delivery_questions.hpp"
#include "gateway/ports/store/entity_rows.hpp"
#include "http/html/blocks.hpp"
#include "traffic.hpp"

namespace gateway::http {

shown_time console_time(time_point at);

struct nodes_view {
  std::string own;  ///< this node's name; empty without a cluster
  std::chrono::milliseconds lease_left{};
  std::vector<node_row> nodes;
};
/// The button that drains a live node is in a folded form, so that draining takes two clicks.
blocks::section nodes_section(const nodes_view& view, const std::string& csrf);

blocks::section load_section(const traffic& now);
blocks::section providers_section(const traffic& now);

struct unknown_view {
  std::vector<payment_ptr> oldest;  ///< the first few
  std::size_t count = 0;
  bool more = false;  ///< there may be more than `count`
};
blocks::section unknown_section(const unknown_view& view);

struct destination_in_trouble {
  destination_id id;
  std::string url;     ///< empty: unknown
  std::string owner;
  bool disabled = false;
  std::string disabled_reason;
  int breaker = 0;     ///< on this node: 0 closed, 1 open, 2 probing
  std::uint64_t pending = 0;
  std::optional<time_point> next_attempt_at;
};
blocks::section destinations_section(const std::vector<destination_in_trouble>& view, std::size_t left_out,
                                     const std::string& csrf);
blocks::section failed_deliveries_section(const std::vector<delivery_job>& jobs, const std::string& csrf);

}  // namespace gateway::http
