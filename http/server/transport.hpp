// The two transports of a session: plain bytes and TLS. Both have the same interface, so that one session template
// serves every listener. A write first sends what the socket takes at once, and waits only for the rest. An idle
// connection needs no allocation here.
#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "proxy_header.hpp"
#include "tls_engine.hpp"

namespace gateway::http {

using socket_error = boost::system::error_code;
using stream_socket =
    boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol, boost::asio::io_context::executor_type>;

/// Sends without waiting, and returns how much the socket took.
inline std::size_t send_now(stream_socket& socket, std::string_view bytes, socket_error& ec) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto taken =
        ::send(socket.native_handle(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken >= 0) {
      sent += static_cast<std::size_t>(taken);
    } else if (errno != EINTR) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) ec.assign(errno, boost::system::system_category());
      break;
    }
  }
  return sent;
}

/// Sends what send_now() left, as the socket accepts it.
inline boost::asio::awaitable<void> send_rest(stream_socket& socket, std::string rest, socket_error& ec) {
  auto token = boost::asio::redirect_error(boost::asio::use_awaitable, ec);
  for (std::size_t sent = 0; sent < rest.size() && !ec;) {
    const auto left = boost::asio::buffer(rest.data() + sent, rest.size() - sent);
    auto sending = socket.async_write_some(left, token);
    sent += co_await std::move(sending);
  }
}

inline boost::asio::awaitable<std::size_t> receive_some(stream_socket& socket, std::span<char> into, socket_error& ec) {
  auto token = boost::asio::redirect_error(boost::asio::use_awaitable, ec);
  const auto space = boost::asio::buffer(into.data(), into.size());
  return socket.async_read_some(space, token);
}

class plain_transport {
 public:
  static constexpr bool secure = false;

  explicit plain_transport(stream_socket socket) : socket_(std::move(socket)) {}

  stream_socket& socket() noexcept { return socket_; }
  boost::asio::awaitable<void> open(socket_error&) { co_return; }
  boost::asio::awaitable<std::size_t> read(std::span<char> into, socket_error& ec) {
    return receive_some(socket_, into, ec);
  }
  /// Returns what must go through send_rest() before the next write.
  std::string write(std::string_view bytes, socket_error& ec) {
    const auto sent = send_now(socket_, bytes, ec);
    return std::string{bytes.substr(sent)};
  }
  void send_close_notify() {}

 private:
  stream_socket socket_;
};

class tls_transport {
 public:
  static constexpr bool secure = true;

  /// `scratch` is the thread's: used between two suspensions only.
  tls_transport(stream_socket socket, tls_context context, std::string& scratch)
      : socket_(std::move(socket)), engine_(std::move(context)), scratch_(scratch) {}

  stream_socket& socket() noexcept { return socket_; }

  /// Reads a PROXY header, which comes before the handshake, until it is whole or malformed.
  boost::asio::awaitable<proxy_header::state> read(proxy_header& header, socket_error& ec) {
    auto now = proxy_header::state::partial;
    while (now == proxy_header::state::partial) {
      auto feeding = feed(ec);
      co_await std::move(feeding);
      if (ec) break;
      now = header.take(engine_.unread());
    }
    co_return now;
  }

  /// Waits for the client's first bytes.
  boost::asio::awaitable<void> wait_for_bytes(socket_error& ec) {
    if (!engine_.unread().empty()) co_return;
    auto feeding = feed(ec);
    co_await std::move(feeding);
  }

  /// The handshake. Waits for the client's first bytes, because OpenSSL allocates its buffers with the first call.
  boost::asio::awaitable<void> open(socket_error& ec) {
    auto result = tls_engine::result::wants_input;
    while (result == tls_engine::result::wants_input) {
      if (engine_.unread().empty()) {  // otherwise they arrived with the PROXY header
        auto feeding = feed(ec);
        co_await std::move(feeding);
        if (ec) co_return;
      }
      scratch_.clear();
      result = engine_.handshake(scratch_);
      auto rest = flush(ec);
      if (!rest.empty() && !ec) {
        auto sending = send_rest(socket_, std::move(rest), ec);
        co_await std::move(sending);
      }
      if (ec) co_return;
    }
    if (result != tls_engine::result::done) ec = boost::asio::error::connection_aborted;
  }

  boost::asio::awaitable<std::size_t> read(std::span<char> into, socket_error& ec) {
    bool starved = !engine_.may_have_data();
    for (;;) {
      if (starved) {
        auto feeding = feed(ec);
        co_await std::move(feeding);
        if (ec) co_return 0;
      }
      scratch_.clear();
      std::size_t count = 0;
      const auto result = engine_.read(into, count, scratch_);
      if (!scratch_.empty()) {  // the reply to a key update, or an alert
        auto rest = flush(ec);
        if (!rest.empty() && !ec) {
          auto sending = send_rest(socket_, std::move(rest), ec);
          co_await std::move(sending);
        }
        if (ec) co_return 0;
      }
      if (result == tls_engine::result::done) co_return count;
      starved = result == tls_engine::result::wants_input;  // also after a partial record
      if (starved) continue;
      ec = result == tls_engine::result::closed
               ? boost::asio::error::make_error_code(boost::asio::error::eof)
               : boost::asio::error::make_error_code(boost::asio::error::connection_aborted);
      co_return 0;
    }
  }

  /// Returns what must go through send_rest() before the next write.
  std::string write(std::string_view bytes, socket_error& ec) {
    scratch_.clear();
    if (!engine_.write(bytes, scratch_)) {
      ec = boost::asio::error::connection_aborted;
      return {};
    }
    return flush(ec);
  }

  void send_close_notify() {
    scratch_.clear();
    engine_.send_close_notify(scratch_);
    socket_error ignored;
    send_now(socket_, scratch_, ignored);
  }

 private:
  std::string flush(socket_error& ec) {
    const auto sent = send_now(socket_, scratch_, ec);
    auto rest = scratch_.substr(sent);
    if (scratch_.capacity() > 256 * 1024) std::string{}.swap(scratch_);
    return rest;
  }

  boost::asio::awaitable<void> feed(socket_error& ec) {
    const auto space = engine_.input_space();
    auto receiving = receive_some(socket_, space, ec);
    const auto count = co_await std::move(receiving);
    if (!ec) engine_.received(count);
  }

  stream_socket socket_;
  tls_engine engine_;
  std::string& scratch_;
};

/// Ends when the socket has taken all bytes, or failed. `bytes` must be valid only until the first suspension.
template <class Transport>
boost::asio::awaitable<void> send_all(Transport& to, std::string_view bytes, socket_error& ec) {
  auto rest = to.write(bytes, ec);
  if (ec || rest.empty()) co_return;
  auto sending = send_rest(to.socket(), std::move(rest), ec);
  co_await std::move(sending);
}

}  // namespace gateway::http
