// The interface through which a keeper reads and writes the nodes' rows. Tests implement it without a database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/domain/node.hpp"
#include "gateway/ports/store/store.hpp"

namespace gateway::persistence {

/// The result of one read. The head is read first, so the rows are at least as new as the head.
struct node_sight {
  directory_head head;
  std::vector<node_row> rows;
};

/// Each function throws if the database does not answer.
class node_rows {
 public:
  virtual ~node_rows() = default;

  virtual node_sight look() = 0;
  /// Writes the row; false if it no longer belongs to this process.
  virtual bool renew(const node_row& mine) = 0;
  /// As renew(), and adds to the directory's log that the node joins or leaves.
  virtual bool renew_and_announce(const node_row& mine) = 0;
  virtual void leave(const node_row& mine) = 0;
  /// Marks the node as gone. Changes nothing if the row has changed since it was read.
  virtual void give_up(const node_row& dead) = 0;
  /// False if there is no such node or it is gone.
  virtual bool ask_to_drain(const std::string& name) = 0;
  /// Deletes the log's entries before this number, which all live nodes published long ago.
  virtual void trim_log(std::int64_t before) = 0;
  /// Whether a gateway that serves alone holds the database's lock.
  virtual bool is_held_by_one() = 0;
  /// To be called after another function has thrown.
  virtual void reset_connection() = 0;
};

}  // namespace gateway::persistence
