// The connections of one HTTP client: those in use, those kept between two requests, and the calls that wait for one.
// There is no limit per origin. At the limit, the least recently used kept connection is closed for a new one.
// Lifecycle: outlives its connections.
// Concurrency: on the client's thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <span>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/steady_timer.hpp>

#include "connection.hpp"

namespace gateway::http {

struct connection_waiter {
  virtual ~connection_waiter() = default;
  virtual bool has_given_up() const noexcept = 0;
  virtual void wake() = 0;

  bool its_turn = false;  ///< it has been woken, and may call take() again
};

class connection_pool {
 public:
  using clock = std::chrono::steady_clock;

  connection_pool(boost::asio::io_context& context, std::size_t most_open, clock::duration idle_kept);

  /// Returns a kept connection to that origin at one of the addresses, unless `fresh` is set; else a new one, which the
  /// caller connects. It counts as open until it is destroyed. Returns nothing if all are in use; `who` is woken when
  /// it may try again.
  std::shared_ptr<pooled_connection> take(const std::shared_ptr<connection_waiter>& who, const std::string& origin,
                                          std::span<const boost::asio::ip::address> addresses, bool fresh);
  /// Wakes the next waiter. A woken waiter calls this, because more than one connection may be free.
  void pass_on();
  /// Keeps the connection for later requests, until its idle time ends, or the peer closes it or sends anything.
  void keep(std::shared_ptr<pooled_connection> used);
  /// Closes the kept connections. None is kept from now on.
  void stop();

 private:
  struct idle_connection {
    std::shared_ptr<pooled_connection> kept;
    clock::time_point since;
  };

  std::shared_ptr<pooled_connection> take_idle(const std::string& origin,
                                               std::span<const boost::asio::ip::address> addresses);
  std::shared_ptr<pooled_connection> open(const std::string& origin);
  void drop_idle(const pooled_connection* spoke);
  void watch_idle();
  void wake_next();

  boost::asio::io_context& context_;
  const std::size_t most_open_;
  const clock::duration idle_kept_;
  boost::asio::steady_timer idle_timer_{context_};
  bool idle_watched_ = false;
  bool stopped_ = false;
  std::size_t open_ = 0;
  std::deque<std::weak_ptr<connection_waiter>> waiting_;
  std::list<idle_connection> idle_;  ///< most recently used last
};

}  // namespace gateway::http
