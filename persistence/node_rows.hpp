// The nodes' rows as a keeper works with them, so that its decisions can be tried out without a database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/domain/node.hpp"
#include "gateway/store.hpp"

namespace gateway::persistence {

/// What the database says in one look: the head first, so that the rows are at least as new.
struct node_sight {
  directory_head head;
  std::vector<node_row> rows;
};

/// Each function throws where the database does not answer.
class node_rows {
 public:
  virtual ~node_rows() = default;

  virtual node_sight look() = 0;
  /// The row changes; false if it is no longer this process's.
  virtual bool renew(const node_row& mine) = 0;
  /// The same, and it is in the log that the node has come, or goes.
  virtual bool renew_and_tell(const node_row& mine) = 0;
  virtual void leave(const node_row& mine) = 0;
  /// Nothing if it has changed since.
  virtual void give_up(const node_row& dead) = 0;
  /// False if there is no such node, or it is gone.
  virtual bool ask_to_drain(const std::string& name) = 0;
  /// What all have published long ago need not be told any more.
  virtual void trim_log(std::int64_t before) = 0;
  /// Whether a gateway that serves alone has the database.
  virtual bool is_held_by_one() = 0;
  /// One of the others has thrown.
  virtual void start_anew() = 0;
};

}  // namespace gateway::persistence
