// A model of the log of events (docs/decisions/0057-the-log-of-events.md), and the promise to its followers.
//
// The rows in memory commit one after the other. Here each transaction draws the positions of its events before its
// commit, as a gateway's writer does. So followers could read past the positions of a slow transaction. The lanes of
// the writers limit how far the log may be read. A lane is a row that its transaction locks from the statement that
// raises it to the end of the commit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "guard.hpp"
#include "journal.hpp"
#include "memory_store.hpp"
#include "promises.hpp"
#include "random_source.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

class event_log {
 public:
  event_log(const testing::memory_store& rows, const virtual_time& time, promises& all, journal& log,
            random_source random, bool has_other_nodes, guard missing)
      : rows_{rows},
        time_{time},
        promises_{all},
        log_{log},
        random_{random},
        has_other_nodes_{has_other_nodes},
        missing_{missing} {}

  /// What a transaction is about to write.
  struct drawn {
    std::uint64_t lane = 0;  ///< 0: there is no event
    std::vector<std::int64_t> positions;
    std::int64_t raises_to = 0;
    bool holds_row = false;  ///< the last statement has been executed: the commit alone is late
  };
  /// For a transaction that commits at once.
  drawn draw(std::string_view node, const testing::unit_parts& unit) { return draw(std::string{node}, unit, true); }
  /// For one that commits seconds later, or whose last statement does.
  drawn draw_late(std::string_view node, const testing::unit_parts& unit);
  /// The transaction has committed.
  void committed(std::string_view node, const testing::unit_parts& unit, drawn what);
  /// It has written nothing.
  void rolled_back(const drawn& what);

  /// The node has started a new process, which ends the lanes of its earlier processes; alone, all other lanes.
  void started(std::string_view node);

  /// Whether the time has come for nodes and followers to read the log again.
  bool due() const { return time_.now() >= next_; }
  /// What nodes and followers have done since the last time. `running` are the nodes that do anything.
  void read(const std::vector<std::string>& running);
  /// The checks after the faults have ended, with all nodes running.
  void at_rest(const std::vector<std::string>& running);

 private:
  using event_id = std::pair<testing::memory_store::entity_row_key, std::uint32_t>;

  struct lane {
    std::string node;
    std::int64_t slot = 0;
    std::int64_t closed = 0;  ///< the lane gets no event before this position any more
    bool is_busy = false;  ///< it has a transaction that is not decided
    bool is_locked = false;  ///< which holds its row
    bool ends_next = false;  ///< the transaction that ends it waits for the row
    std::int64_t lagged_at = 0;
    time_point lags_since{};
  };

  struct entry {
    event_id id;
    std::string type, subject;
  };

  struct follower {
    std::string name;
    std::size_t limit;
    std::set<std::string> types;  ///< empty: all
    std::int64_t after = 0;
    std::set<event_id> seen = {};
    std::map<testing::memory_store::entity_row_key, std::uint32_t> last = {};  ///< the last event of each entity
    std::vector<event_id> lost = {};  ///< the page whose answer was lost: it must come again

    bool reads(const std::string& type) const { return types.empty() || types.contains(type); }
  };

  drawn draw(const std::string& node, const testing::unit_parts& unit, bool holds_row);
  std::uint64_t lane_for(const std::string& node);
  using lane_table = std::map<std::uint64_t, lane>;
  lane_table::iterator end(lane_table::iterator which);
  void catch_up(const std::string& node);
  void give_up_lagging();
  std::int64_t furthest() const;
  std::int64_t readable() const;
  void follow(follower& who);
  void take(follower& who, std::int64_t position, const entry& event);

  const testing::memory_store& rows_;
  const virtual_time& time_;
  promises& promises_;
  journal& log_;
  random_source random_;
  const bool has_other_nodes_;
  const guard missing_;
  /// How long a lane may stand still before others end it. It may be ended at any time without harm.
  const duration_ms patience_{random_.between(0, 15'000)};
  time_point next_{};
  std::map<std::string, std::int64_t> ticks_;  ///< the last tick of each process's clock of positions
  lane_table lanes_;
  std::uint64_t last_lane_ = 0;
  std::int64_t furthest_ended_ = 0;
  std::map<std::int64_t, entry> entries_;  ///< by position
  std::vector<follower> followers_{{"follower 1", 100, {}},
                                   {"follower 2", 2, {}},
                                   {"follower 3", 5, {"payment.captured", "payment.refunded", "payment.failed"}}};
};

}  // namespace gateway::simulation
