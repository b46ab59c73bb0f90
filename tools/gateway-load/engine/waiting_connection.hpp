// A connection whose owner waits for each answer, for threads that work step by step.
#pragma once

#include <chrono>
#include <string_view>

#include "connection.hpp"

namespace gateway::load {

class waiting_connection {
 public:
  /// `timeout`: for each answer, including connecting.
  waiting_connection(const target& to, std::chrono::nanoseconds timeout) : link_{to}, timeout_{timeout} {}

  /// Sends one request, over a new connection if there is none. Without an answer its status is 0. Valid until the next
  /// call.
  const answer& send(std::string_view request);
  /// The status line and the fields of the last answer.
  std::string_view head() const noexcept { return link_.head(); }

 private:
  /// Waits for this event, or for the end of the connection.
  connection::event wait_for(connection::event wanted, clock::time_point until);
  const answer& lost(loss why);

  connection link_;
  std::chrono::nanoseconds timeout_;
  answer none_;
};

}  // namespace gateway::load
