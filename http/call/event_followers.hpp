// Requests that wait for events. A thread asks the store once per tick whose log has grown, however many of its
// requests wait. Used on the thread's io_context only.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "gateway/ports/store/event_log_questions.hpp"
#include "http/server/worker.hpp"

namespace gateway::http {

class event_followers : public std::enable_shared_from_this<event_followers> {
 public:
  using clock = std::chrono::steady_clock;

  explicit event_followers(worker& here) : here_(here) {}

  /// Waits until there may be an event for the reader of `what` after its position `after`, until the given time, or
  /// until the server drains. May end early without an event.
  boost::asio::awaitable<void> wait(find_logged_events what, clock::time_point until);

  /// The time between two questions to the store.
  static constexpr std::chrono::milliseconds tick{100};

 private:
  struct waiter {
    const find_logged_events& what;
    boost::asio::steady_timer timer;
    bool woken = false;
  };

  bool concerns(const find_logged_events& what, const event_news_lookup::owner& grown) const;
  void wake(const event_news_lookup& news);
  void wake_all();
  boost::asio::awaitable<void> watch();

  worker& here_;
  std::list<waiter*> waiting_;
  std::int64_t seen_to_ = 0;  ///< waiters have been woken for every event up to there
  bool watching_ = false;
};

/// The followers of this thread; made when first needed.
event_followers& followers_of(worker& here);

}  // namespace gateway::http
