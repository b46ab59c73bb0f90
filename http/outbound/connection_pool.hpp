// The connections of one HTTP client: those in use, those kept between two requests, and who waits for one. How many of
// them one origin has is no matter. When all are open, the kept one that was used longest ago makes room.
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

  bool its_turn = false;  ///< it is woken, and may ask again
};

class connection_pool {
 public:
  using clock = std::chrono::steady_clock;

  connection_pool(boost::asio::io_context& context, std::size_t most_open, clock::duration idle_kept);

  /// A kept connection to that origin and one of its addresses, unless it must be `fresh`; or one to be dialled. It is
  /// open until nobody holds it. Nothing: all are in use, and `who` is woken when it may ask again.
  std::shared_ptr<connection> take(const std::shared_ptr<connection_waiter>& who, const std::string& origin,
                                   std::span<const boost::asio::ip::address> addresses, bool fresh);
  /// Whoever was woken, and may not have used all that there is, calls this.
  void pass_on();
  /// For requests to come, unless that takes too long or the peer ends it.
  void keep(std::shared_ptr<connection> used);
  /// Ends the kept ones. None is kept from now on.
  void stop();

 private:
  struct idle_connection {
    std::shared_ptr<connection> kept;
    clock::time_point since;
  };

  std::shared_ptr<connection> take_idle(const std::string& origin, std::span<const boost::asio::ip::address> addresses);
  std::shared_ptr<connection> open(const std::string& origin);
  void drop_idle(const connection* spoke);
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
  std::list<idle_connection> idle_;  ///< the one that was used last at the end
};

}  // namespace gateway::http
