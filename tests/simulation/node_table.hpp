// The table of nodes in the shared database, and each node keeper's connection to it, which fails independently: a node
// that cannot read the other nodes, or whose lease is not renewed, may still be able to write.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fault_rates.hpp"
#include "gateway/domain/node.hpp"
#include "journal.hpp"
#include "memory_store.hpp"
#include "persistence/nodes/node_rows.hpp"
#include "random_source.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

class node_table {
 public:
  /// `rows` holds the head of the directory's log.
  node_table(testing::memory_store& rows, virtual_time& time) : rows_{rows}, time_{time} {}

  /// How long a process that starts waits for the name: until the process before it cannot count as live any more.
  duration_ms wait_for(const std::string& name) const;
  void take_name(const std::string& name, const std::string& incarnation);
  /// Whether another process has the name, or others have declared this one gone.
  bool is_over(const std::string& name, const std::string& incarnation) const;

  persistence::node_sight look() const;
  bool renew(const node_row& mine);
  void leave(const node_row& mine);
  void give_up(const node_row& dead);
  bool ask_to_drain(const std::string& name);
  /// Logs a change of the directory, which no node has published yet. Returns its number.
  std::int64_t log(directory_change change);
  std::int64_t log_number() const { return rows_.head.number; }

 private:
  struct entry {
    node_row row;
    time_point changed_at{};
  };
  entry* entry_of(const node_row& mine);

  testing::memory_store& rows_;
  virtual_time& time_;
  std::map<std::string, entry> nodes_;
};

/// Where the links of each node are found.
std::string address_of(const std::string& node);

/// The rows of one process. They answer nothing once `alive` is false, as after a crash.
std::unique_ptr<persistence::node_rows> connect_keeper(node_table& to, virtual_time& time, random_source& random,
                                                       const fault_rates& faults, journal& log, std::string node,
                                                       std::shared_ptr<bool> alive);

}  // namespace gateway::simulation
