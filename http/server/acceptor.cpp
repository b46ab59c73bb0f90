#include "acceptor.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "gateway/base/log.hpp"
#include "remote_address.hpp"

namespace gateway::http {

namespace asio = boost::asio;

namespace {

constexpr int most_at_once = 64;
constexpr std::chrono::milliseconds rest_time{100};

bool out_of_resources(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

}  // namespace

acceptor::acceptor(asio::io_context& context, listening_socket socket, entrance kind, connection_limits& limits,
                   const networks& proxies, const thread_list& threads, metrics& meters)
    : context_(context),
      socket_(std::move(socket)),
      kind_(kind),
      limits_(limits),
      proxies_(proxies),
      threads_(threads),
      meters_(meters),
      readable_(context, socket_.fd()),
      rest_(context) {}

acceptor::~acceptor() { stop(); }

void acceptor::start() {
  socket_.listen();
  asio::co_spawn(context_, run(), asio::detached);
}

void acceptor::stop() {
  if (std::exchange(stopped_, true)) return;
  readable_.release();  // ends the wait; the descriptor stays with its owner, which closes it
  rest_.cancel();
  socket_.close();
}

asio::awaitable<void> acceptor::run() {
  boost::system::error_code ec;
  auto token = asio::redirect_error(asio::use_awaitable, ec);
  bool complained = false;
  while (!stopped_) {
    auto waiting = readable_.async_wait(asio::posix::stream_descriptor::wait_read, token);
    co_await std::move(waiting);
    if (stopped_) break;
    const bool exhausted = take_waiting();
    if (exhausted && !std::exchange(complained, true)) log::error("accept_failed", {{"reason", std::strerror(errno)}});
    if (!exhausted) {
      complained = false;
      continue;
    }
    rest_.expires_after(rest_time);  // connections wait in the backlog until others have ended
    auto resting = rest_.async_wait(token);
    co_await std::move(resting);
  }
}

bool acceptor::take_waiting() {
  for (int taken = 0; taken < most_at_once; ++taken) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    const int fd = ::accept4(socket_.fd(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      hand_over(fd, peer);
    } else if (out_of_resources(errno)) {
      return true;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return false;
    }  // otherwise this connection failed before it was accepted: try the next
  }
  return false;
}

void acceptor::hand_over(int fd, const sockaddr_storage& peer) {
  // A proxied connection is counted for its client's address once its PROXY header has named it.
  const bool is_proxied = !proxies_.empty() && proxies_.contains(address_text(peer));
  const auto fewest = std::min_element(threads_.begin(), threads_.end(), [](const auto& a, const auto& b) {
    return a->connections() < b->connections();
  });
  auto admission = limits_.admit(is_proxied ? std::nullopt : key_of(peer), **fewest);
  if (!admission) {
    meters_.connections_refused.Increment();
    ::close(fd);
    return;
  }
  if (peer.ss_family == AF_INET || peer.ss_family == AF_INET6) {
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  (*fewest)->adopt({fd, peer.ss_family, kind_, is_proxied}, std::move(*admission));
}

}  // namespace gateway::http
