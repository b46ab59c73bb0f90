#include "connection.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <stdexcept>
#include <utility>

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace gateway::http {

namespace asio = boost::asio;

asio::awaitable<void> pooled_connection::dial(endpoint to, clock::time_point until, socket_error& ec) {
  socket_error ignored;
  socket_.close(ignored);
  socket_.open(to.protocol(), ec);
  if (ec) co_return;
  socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);

  asio::steady_timer limit{context_, until};
  dialling_ = true;
  limit.async_wait([held = weak_from_this()](const socket_error& cancelled) {
    const auto self = held.lock();
    if (!cancelled && self && self->dialling_) self->close();
  });
  auto token = asio::redirect_error(asio::use_awaitable, ec);
  auto connecting = socket_.async_connect(to, token);
  co_await std::move(connecting);
  dialling_ = false;
  if (ec) co_return;
  peer_ = socket_.remote_endpoint(ec);
  if (!ec && peer_ != to) ec = asio::error::make_error_code(asio::error::access_denied);
}

asio::awaitable<void> pooled_connection::shake_hands(asio::ssl::context& tls, destination_url url, socket_error& ec) {
  tls_.emplace(socket_, tls);
  SSL* const ssl = tls_->native_handle();
  const auto& host = url.host;
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const bool prepared = url.literal
                            ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1
                            : SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
  if (!prepared) {
    ec = asio::error::make_error_code(asio::error::invalid_argument);
    co_return;
  }
  auto token = asio::redirect_error(asio::use_awaitable, ec);
  auto shaking = tls_->async_handshake(asio::ssl::stream_base::client, token);
  co_await std::move(shaking);
}

asio::awaitable<std::size_t> pooled_connection::send(std::string_view bytes, socket_error& ec) {
  auto token = asio::redirect_error(asio::use_awaitable, ec);
  const auto all = asio::buffer(bytes.data(), bytes.size());
  return tls_ ? asio::async_write(*tls_, all, token) : asio::async_write(socket_, all, token);
}

asio::awaitable<std::size_t> pooled_connection::receive(std::span<char> into, socket_error& ec) {
  auto token = asio::redirect_error(asio::use_awaitable, ec);
  const auto space = asio::buffer(into.data(), into.size());
  auto receiving = tls_ ? tls_->async_read_some(space, token) : socket_.async_read_some(space, token);
  const auto count = co_await std::move(receiving);
  // Many servers end TLS without a close_notify.
  if (ec == asio::ssl::error::stream_truncated) ec = asio::error::make_error_code(asio::error::eof);
  co_return count;
}

void pooled_connection::close() noexcept {
  socket_error ignored;
  socket_.close(ignored);
}

void pooled_connection::watch(std::function<void()> spoke) {
  socket_.async_wait(asio::ip::tcp::socket::wait_read,
                     [held = weak_from_this(), watch = ++watches_, call_back = std::move(spoke)](const socket_error&) {
                       const auto self = held.lock();
                       if (self && self->watches_ == watch) call_back();
                     });
}

bool pooled_connection::resume() {
  ++watches_;
  socket_error ignored;
  socket_.cancel(ignored);
  char byte = 0;
  const auto count = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

asio::ssl::context make_outbound_tls(const std::string& ca_file) {
  static constexpr unsigned char spoken[] = "\x08http/1.1";
  asio::ssl::context tls{asio::ssl::context::tls_client};
  SSL_CTX* const native = tls.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_protos(native, spoken, sizeof spoken - 1);
  tls.set_verify_mode(asio::ssl::verify_peer);
  socket_error ec;
  tls.set_default_verify_paths(ec);  // if it fails, the authorities in the file still apply
  if (ca_file.empty()) return tls;
  tls.load_verify_file(ca_file, ec);
  if (ec) throw std::runtime_error("cannot use the authorities in " + ca_file + ": " + ec.message());
  return tls;
}

}  // namespace gateway::http
