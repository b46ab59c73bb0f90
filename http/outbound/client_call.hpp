// One call of an HTTP client, send() or check(), until its `done`: the deadline, the lookup of the name, and what ends
// it early. Whatever it waits for, interrupt() ends.
// Lifecycle: the client makes it, holds it while run() is under way, and calls tell() once, after that.
// Concurrency: on the client's thread only, once it has been made.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "client_parts.hpp"
#include "destination_url.hpp"
#include "gateway/http_client.hpp"
#include "name_lookup.hpp"

namespace gateway::http {

class client_call : public std::enable_shared_from_this<client_call> {
 public:
  using clock = std::chrono::steady_clock;

  /// In all it takes no longer than both together.
  client_call(client_parts& parts, std::chrono::milliseconds connect_timeout, std::chrono::milliseconds answer_timeout);
  virtual ~client_call() = default;

  virtual boost::asio::awaitable<void> run() = 0;
  /// It has come to nothing: in place of run(), or because run() has thrown.
  virtual void give_up(http_fault why) = 0;
  /// Calls `done` with what it has come to.
  virtual void tell() = 0;

  void interrupt(http_fault why);

 protected:
  /// Finds the addresses of the URL's host, unless it is over before.
  boost::asio::awaitable<void> look_up();
  /// Ends when what is waited for may have come.
  boost::asio::awaitable<void> wait_for_signal();
  void signal() { signal_.cancel(); }

  void set_deadline(clock::time_point at, http_fault meaning);
  clock::time_point deadline() const { return deadline_.expiry(); }
  void clear_deadline() { deadline_.cancel(); }

  client_parts& parts_;
  const clock::time_point begun_ = clock::now();
  const clock::duration connect_timeout_;
  std::string tenant_{};  ///< for whom the name is looked up
  std::optional<destination_url> url_;
  std::optional<found_addresses> found_;
  std::optional<http_fault> over_;  ///< it was interrupted, and that is what it has come to

 private:
  /// Ends what is under way on a connection.
  virtual void break_off() {}

  const clock::time_point last_moment_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer signal_;  ///< never expires: cancelled when something has come
};

}  // namespace gateway::http
