#include "server.hpp"

#include <signal.h>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>

namespace gateway::stand_in {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using error_code = boost::system::error_code;

const std::string* request::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (beast::iequals(key, beast::string_view{name.data(), name.size()})) return &value;
  return nullptr;
}

namespace {

template <class Stream>
class connection : public std::enable_shared_from_this<connection<Stream>> {
 public:
  template <class... Arguments>
  explicit connection(const handler& serve, Arguments&&... arguments)
      : serve_{serve}, stream_{std::forward<Arguments>(arguments)...} {}

  Stream& stream() { return stream_; }

  void read() {
    parser_.emplace();
    parser_->body_limit(1 << 20);
    http::async_read(stream_, buffer_, *parser_, [me = this->shared_from_this()](error_code failed, std::size_t) {
      if (!failed) me->take();
    });
  }

 private:
  void take() {
    const auto& wire = parser_->get();
    request asked;
    asked.method = std::string{wire.method_string()};
    const std::string target{wire.target()};
    asked.path = target.substr(0, target.find('?'));
    if (asked.path.size() < target.size()) asked.query = target.substr(asked.path.size() + 1);
    asked.body = wire.body();
    for (const auto& field : wire)
      asked.headers.emplace_back(std::string{field.name_string()}, std::string{field.value()});
    const bool keep = wire.keep_alive();
    serve_(asked, [me = this->shared_from_this(), keep](const answer& reported) {
      if (reported.after.count() == 0) return me->write(reported, keep);
      me->wait_.expires_after(reported.after);
      me->wait_.async_wait([me, reported, keep](error_code failed) {
        if (!failed) me->write(reported, keep);
      });
    });
  }

  void write(const answer& reported, bool keep) {
    if (reported.closes) {
      error_code ignored;
      beast::get_lowest_layer(stream_).socket().close(ignored);
      return;
    }
    response_ = {};
    response_.version(11);
    response_.result(static_cast<unsigned>(reported.status));
    for (const auto& [name, value] : reported.headers) response_.insert(name, value);
    response_.body() = reported.body;
    response_.keep_alive(keep);
    response_.prepare_payload();
    http::async_write(stream_, response_, [me = this->shared_from_this(), keep](error_code failed, std::size_t) {
      if (!failed && keep) me->read();
    });
  }

  handler serve_;
  Stream stream_;
  asio::steady_timer wait_{stream_.get_executor()};
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
};

using plain = connection<beast::tcp_stream>;
using secure = connection<beast::ssl_stream<beast::tcp_stream>>;

}  // namespace

tcp::endpoint endpoint_of(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) throw std::invalid_argument{text + " is not ADDR:PORT"};
  return {asio::ip::make_address(text.substr(0, colon)),
          static_cast<std::uint16_t>(std::stoul(text.substr(colon + 1)))};
}

asio::ssl::context tls_of(const std::string& certificate, const std::string& key) {
  asio::ssl::context tls{asio::ssl::context::tls_server};
  tls.use_certificate_chain_file(certificate);
  tls.use_private_key_file(key, asio::ssl::context::pem);
  return tls;
}

void run(asio::io_context& context, const server& front, const server& back) {
  ::signal(SIGPIPE, SIG_IGN);
  asio::signal_set ends{context, SIGTERM, SIGINT};
  ends.async_wait([&](error_code, int) { context.stop(); });
  std::cout << "listening on " << front.port() << " control on " << back.port() << std::endl;
  context.run();
}

server::server(asio::io_context& context, const tcp::endpoint& here, asio::ssl::context* tls, handler serve)
    : acceptor_{context}, tls_{tls}, serve_{std::move(serve)} {
  acceptor_.open(here.protocol());
  acceptor_.set_option(tcp::acceptor::reuse_address{true});
  acceptor_.bind(here);
  acceptor_.listen(4096);
  accept();
}

void server::accept() {
  acceptor_.async_accept([this](error_code failed, tcp::socket socket) {
    if (!failed) {
      error_code ignored;
      socket.set_option(tcp::no_delay{true}, ignored);
      if (tls_) {
        const auto guest = std::make_shared<secure>(serve_, std::move(socket), *tls_);
        guest->stream().async_handshake(asio::ssl::stream_base::server, [guest](error_code bad) {
          if (!bad) guest->read();
        });
      } else {
        std::make_shared<plain>(serve_, std::move(socket))->read();
      }
    }
    accept();
  });
}

}  // namespace gateway::stand_in
