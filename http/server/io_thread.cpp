#include "io_thread.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include "gateway/base/log.hpp"
#include "session.hpp"

namespace gateway::http {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// How many requests of the largest size may be arriving on one thread.
constexpr std::size_t largest_at_once = 128;

/// The check interval: a quarter of the shortest timeout, from 10 ms to 250 ms.
session_record::clock::duration period_for(const http_limits& limits) {
  return std::clamp<session_record::clock::duration>(std::min(limits.request_timeout, limits.idle_timeout) / 4, 10ms,
                                                     250ms);
}

}  // namespace

io_thread::io_thread(const server_context& given, caf::actor_system& system, const tls_identity& tls,
                     const handlers& answering, unsigned number)
    : shared(given),
      here{given.shared},
      routes(answering),
      identity(tls),
      meter(shared.meters),
      buffers(largest_at_once * (shared.config.http.header_bytes + shared.config.http.body_bytes)),
      period_(period_for(shared.config.http)),
      number_(number),
      work_(context_.get_executor()),
      timer_(context_),
      actor_(spawn_asio_actor(system, context_)) {
  here.self = actor_.get();
}

io_thread::~io_thread() {
  join();
  actor_->close();
}

void io_thread::start() {
  thread_ = std::thread{[this] { run(); }};
}

void io_thread::run() {
  pthread_setname_np(pthread_self(), ("http-" + std::to_string(number_)).c_str());
  for (;;) {
    try {
      context_.run();
      return;
    } catch (const std::exception& e) {
      log::error("io_handler_failed", {{"reason", e.what()}});
    }
  }
}

void io_thread::adopt(const accepted_socket& what, connection_limits::admission admission) {
  stream_socket socket{context_.get_executor()};
  socket_error ec;
  socket.assign(asio::generic::stream_protocol{what.family, 0}, what.fd, ec);
  if (ec) {
    ::close(what.fd);
    return;
  }
  connections_.fetch_add(1, std::memory_order_relaxed);
  if (covers(whose::clients, what.from)) clients_.fetch_add(1, std::memory_order_relaxed);
  asio::post(context_, [this, what, opened = std::move(socket), held = std::move(admission)]() mutable {
    asio::co_spawn(context_, serve(*this, what, std::move(opened), std::move(held)), asio::detached);
  });
}

void io_thread::ask_to_leave(std::shared_ptr<counted_connection> which, connection_limits& limits) {
  asio::post(context_, [this, &limits, which = std::move(which)] {
    // A connection that was just accepted may have no session yet.
    if (which->session != nullptr && which->session->give_way())
      shared.meters.connections_evicted.Increment();
    else
      limits.stays(*which);
  });
}

void io_thread::enter(session_record& session) {
  sessions_.push_back(session);
  meter.connection_opened();
  watch_deadlines();
}

void io_thread::leave(session_record& session) {
  session.unlink();
  meter.connection_closed();
  connections_.fetch_sub(1, std::memory_order_release);
  if (covers(whose::clients, session.from)) clients_.fetch_sub(1, std::memory_order_release);
}

/// Runs only while there are sessions.
void io_thread::watch_deadlines() {
  if (std::exchange(watching_, true)) return;
  timer_.expires_after(period_);
  timer_.async_wait([this](const socket_error& cancelled) {
    watching_ = false;
    if (cancelled) return;
    interrupt_overdue();
    if (!sessions_.empty()) watch_deadlines();
  });
}

void io_thread::interrupt_overdue() {
  const auto now = clock::now();
  for (auto& session : sessions_) {
    if (session.deadline <= now) session.interrupt(session_record::interruption::deadline);
  }
}

void io_thread::begin_drain(whose of, bool has_time) {
  asio::post(context_, [this, of, has_time] {
    const auto now = clock::now();
    for (auto& session : sessions_) {
      if (!session.idle || !covers(of, session.from)) continue;
      if (has_time && now < session.expects_request_until) continue;
      session.interrupt(session_record::interruption::drain);
    }
  });
}

void io_thread::abandon_asks() {
  asio::post(context_, [this] { actor_->abandon(); });
}

void io_thread::abort(whose of) {
  asio::post(context_, [this, of] {
    for (auto& session : sessions_) {
      if (covers(of, session.from)) session.interrupt(session_record::interruption::abort);
    }
  });
}

void io_thread::join() {
  work_.reset();
  context_.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace gateway::http
