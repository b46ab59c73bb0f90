// One thread with its own io_context, and everything that its sessions share without a lock.
//
// Lifecycle: made and destroyed by the server, on the main thread; runs between start() and join().
// Concurrency: adopt(), ask_to_leave(), begin_drain(), abandon_asks(), abort() and connections() may be called on any
// thread; the members that the sessions use, only on this one.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include "asio_actor.hpp"
#include "buffer_budget.hpp"
#include "connection_limits.hpp"
#include "http/message.hpp"
#include "request_ids.hpp"
#include "request_meter.hpp"
#include "server_context.hpp"
#include "tls.hpp"
#include "worker.hpp"

namespace gateway::http {

using request_handler = boost::asio::awaitable<response> (*)(worker&, request&);

/// The handlers of each listener's requests.
struct handlers {
  request_handler public_routes;
  request_handler operator_routes;
  request_handler metrics_routes;
};

/// The listener that a connection came through.
enum class entrance : unsigned char { public_tls, operator_socket, operator_tcp };

/// An accepted socket, and how it was accepted.
struct accepted_socket {
  int fd = -1;
  int family = 0;
  entrance from = entrance::public_tls;
  bool is_proxied = false;  ///< it begins with a PROXY header
};

/// Which sessions the server ends.
enum class whose : unsigned char { clients, everyone };

constexpr bool covers(whose of, entrance from) noexcept {
  return of == whose::everyone || from == entrance::public_tls;
}

/// A session as its thread sees it. A deadline needs no timer: the thread checks all sessions at least every 250 ms.
class session_record
    : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr clock::time_point never = clock::time_point::max();
  enum class interruption : unsigned char { none, deadline, drain, room, abort };

  explicit session_record(entrance through) : from(through) {}
  virtual ~session_record() = default;
  /// Cancels the socket operation that is under way, if there is one.
  virtual void interrupt(interruption why) = 0;
  /// Ends the connection to make room for another, unless it has a request under way. Returns whether it ends.
  virtual bool give_way() = 0;

  const entrance from;
  clock::time_point deadline = never;
  bool idle = true;  ///< between requests
  /// The client was just answered, so its next request may be on its way: if the connection were closed now, the client
  /// could not know whether that request was executed.
  clock::time_point expects_request_until{};
};

/// How long after an answer a client is expected to send its next request.
inline constexpr std::chrono::milliseconds next_request_within{250};

class io_thread final : public connection_home {
 public:
  using clock = session_record::clock;

  io_thread(const server_context& given, caf::actor_system& system, const tls_identity& identity,
            const handlers& routes, unsigned number);
  ~io_thread() override;
  io_thread(const io_thread&) = delete;
  io_thread& operator=(const io_thread&) = delete;

  void start();
  /// Takes a new connection's socket.
  void adopt(const accepted_socket& what, connection_limits::admission admission);
  void ask_to_leave(std::shared_ptr<counted_connection> which, connection_limits& limits) override;
  /// Ends idle sessions now; the others end after their next answer. `has_time`: spares sessions that still expect a
  /// request (expects_request_until).
  void begin_drain(whose of, bool has_time);
  /// Ends every open ask with an error, so that its request is answered at once.
  void abandon_asks();
  /// Closes the connections.
  void abort(whose of);
  void join();
  std::size_t connections(whose of = whose::everyone) const noexcept {
    return (of == whose::clients ? clients_ : connections_).load(std::memory_order_relaxed);
  }

  boost::asio::io_context& context() noexcept { return context_; }

  // ---- for the sessions ----
  const server_context shared;
  worker here;
  const handlers& routes;
  const tls_identity& identity;
  request_meter meter;
  request_ids ids;
  std::string text;  ///< the response that is being written; used between two suspensions only
  std::string scratch;  ///< its encrypted form
  buffer_budget buffers;

  void enter(session_record& session);
  void leave(session_record& session);

 private:
  using session_list = boost::intrusive::list<session_record, boost::intrusive::constant_time_size<false>>;

  void run();
  void watch_deadlines();
  void interrupt_overdue();

  std::atomic<std::size_t> connections_{0};  ///< adopted and not yet ended
  std::atomic<std::size_t> clients_{0};  ///< those from the public listener
  session_list sessions_;
  const clock::duration period_;
  const unsigned number_;
  bool watching_ = false;
  // Destroying the context destroys the remaining sessions, so it is destroyed before what they use.
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer timer_;
  asio_actor_handle actor_;
  std::thread thread_;
};

}  // namespace gateway::http
