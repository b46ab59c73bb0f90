// One call of an HTTP client, send() or check(), until its `done`: the deadline, the name lookup, and cancellation.
// interrupt() ends any wait of a call.
// Lifecycle: the client makes it, holds it while run() is under way, and then calls call_back() once.
// Concurrency: after construction, on the client's thread only.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "client_parts.hpp"
#include "destination_url.hpp"
#include "gateway/ports/http_client.hpp"
#include "name_lookup.hpp"

namespace gateway::http {

class client_call : public std::enable_shared_from_this<client_call> {
 public:
  using clock = std::chrono::steady_clock;

  /// The whole call takes at most the sum of both timeouts.
  client_call(client_parts& parts, std::chrono::milliseconds connect_timeout, std::chrono::milliseconds answer_timeout);
  virtual ~client_call() = default;

  virtual boost::asio::awaitable<void> run() = 0;
  /// Ends the call as failed: instead of run(), or because run() has thrown.
  virtual void give_up(http_fault why) = 0;
  /// Calls `done` with the outcome.
  virtual void call_back() = 0;

  void interrupt(http_fault why);

 protected:
  /// Finds the addresses of the URL's host, unless the call ends first.
  boost::asio::awaitable<void> look_up();
  /// Ends on signal(), which may be spurious.
  boost::asio::awaitable<void> wait_for_signal();
  void signal() { signal_.cancel(); }

  void set_deadline(clock::time_point at, http_fault meaning);
  clock::time_point deadline() const { return deadline_.expiry(); }
  void clear_deadline() { deadline_.cancel(); }

  client_parts& parts_;
  const clock::time_point begun_ = clock::now();
  const clock::duration connect_timeout_;
  std::string tenant_{};  ///< the party that chose the host (name_lookup.hpp)
  std::optional<destination_url> url_;
  std::optional<found_addresses> found_;
  std::optional<http_fault> over_;  ///< it was interrupted; this is the outcome

 private:
  /// Cancels the operation that is under way on a connection.
  virtual void break_off() {}

  const clock::time_point last_moment_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer signal_;  ///< never expires: cancelled by signal()
};

}  // namespace gateway::http
