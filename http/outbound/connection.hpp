// One connection to another host, plain or TLS. Once it is closed, its operations end with an error.
// Concurrency: on the client's thread only. Owned by a shared_ptr.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "destination_url.hpp"

namespace gateway::http {

using socket_error = boost::system::error_code;

class pooled_connection : public std::enable_shared_from_this<pooled_connection> {
 public:
  using clock = std::chrono::steady_clock;
  using endpoint = boost::asio::ip::tcp::endpoint;

  pooled_connection(boost::asio::io_context& context, std::string origin)
      : context_(context), socket_(context), origin_(std::move(origin)) {}

  /// Connects, and verifies that the peer is the intended address. May be called again after a failure.
  boost::asio::awaitable<void> dial(endpoint to, clock::time_point until, socket_error& ec);
  /// The certificate must be for the URL's host. `tls` outlives the connection.
  boost::asio::awaitable<void> shake_hands(boost::asio::ssl::context& tls, destination_url url, socket_error& ec);
  boost::asio::awaitable<std::size_t> send(std::string_view bytes, socket_error& ec);
  /// Ends with asio::error::eof when the peer has closed the connection, orderly or not.
  boost::asio::awaitable<std::size_t> receive(std::span<char> into, socket_error& ec);
  void close() noexcept;

  /// While the connection is kept: calls `spoke` once if the peer closes it or sends anything.
  void watch(std::function<void()> spoke);
  /// Call before the next request. False if the peer has closed the connection or sent something.
  bool resume();

  /// Whether it has ever been connected.
  bool was_dialled() const noexcept { return peer_.port() != 0; }
  const std::string& origin() const noexcept { return origin_; }
  const endpoint& peer() const noexcept { return peer_; }

 private:
  boost::asio::io_context& context_;
  boost::asio::ip::tcp::socket socket_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
  const std::string origin_;
  endpoint peer_;
  bool dialling_ = false;
  unsigned watches_ = 0;  ///< the number of the newest watch; older ones are ignored
};

/// TLS 1.2 and newer. Trusts the system's authorities, and those in the PEM file unless its name is empty. Throws
/// std::runtime_error with one line that names the file.
boost::asio::ssl::context make_outbound_tls(const std::string& ca_file);

}  // namespace gateway::http
