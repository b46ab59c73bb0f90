// The nodes that share one database: the row of each, which of them are live, and which of them owns what. Pure.
//
// Clocks of different machines are not compared. A node is live while its row keeps changing. A watcher counts from
// when it saw the last change, on its own monotonic clock; the node itself counts from before it requested that change.
// So a node's own count ends before any other's, whatever the machines' clocks show.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

/// Milliseconds of a monotonic clock.
using ticks_ms = std::chrono::milliseconds;

/// How long the other nodes treat a node as live after its row last changed.
inline constexpr ticks_ms lease_lasts{5'000};
inline constexpr ticks_ms lease_renewed_every{1'000};
/// A node stops writing this much earlier. The database rolls back a transaction that has been idle for a second
/// (`idle_transaction_timeout`), so that a delayed commit of a node that has stopped cannot take effect later.
inline constexpr ticks_ms lease_in_hand{1'500};

enum class node_status : unsigned char {
  joining,  ///< has taken its name, and does not serve yet
  up,
  draining,  ///< is shutting down, and owns nothing any more
  gone,
};

template <>
inline constexpr auto enum_table<node_status> = enum_names<node_status>({{node_status::joining, "joining"},
                                                                         {node_status::up, "up"},
                                                                         {node_status::draining, "draining"},
                                                                         {node_status::gone, "gone"}});
inline constexpr auto parse_node_status = parse_name<node_status>;

struct node_row {
  std::string name;
  std::string incarnation;  ///< differs at each start
  std::string address;  ///< at which other nodes connect
  node_status status = node_status::gone;
  bool asked_to_drain = false;
  std::int64_t beats = 0;  ///< rises with each renewal
  std::int64_t published = 0;  ///< the log number up to which its snapshot is published
  std::int64_t yielded = 0;  ///< the log number up to which it has released what other nodes own
  std::int64_t payments = 0;  ///< in its memory
  time_point last_seen{};  ///< by the database's clock, for display only

  bool operator==(const node_row&) const = default;
};

/// Whether a change counts as published everywhere only once this node has published it.
constexpr bool may_serve(node_status s) noexcept { return s == node_status::up || s == node_status::draining; }

/// Records when each node's row was last seen to change.
class node_watch {
 public:
  void look(std::span<const node_row> rows, ticks_ms now) {
    for (const auto& row : rows) {
      auto& seen = seen_[row.name];
      if (seen.incarnation == row.incarnation && seen.beats == row.beats) continue;
      seen = {row.incarnation, row.beats, now};
    }
  }
  /// `row` must be one that look() was given.
  bool lives(const node_row& row, ticks_ms now) const {
    if (row.status == node_status::gone) return false;
    const auto at = seen_.find(row.name);
    return at == seen_.end() || now - at->second.changed_at < lease_lasts;
  }

 private:
  struct sight {
    std::string incarnation;
    std::int64_t beats = -1;
    ticks_ms changed_at{};
  };
  std::map<std::string, sight> seen_;
};

// ---- ownership ------------------------------------------------------------------------------------

/// FNV-1a: the same number in every process. Its bits are then mixed by mixed().
constexpr std::uint64_t stable_hash(std::string_view text,
                                    std::uint64_t seed = 14'695'981'039'346'656'037ULL) noexcept {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 1'099'511'628'211ULL;
  return seed;
}

constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t ownership_hash(const entity_key& key) noexcept;

/// The owner of an entity with this hash, by rendezvous hashing: the node with the highest rank. When a node joins or
/// leaves, only entities that it owns or owned move. Empty if there is no node.
std::string_view owner_of(std::uint64_t hash, std::span<const std::string> nodes) noexcept;

}  // namespace gateway
