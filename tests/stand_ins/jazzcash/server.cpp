#include "server.hpp"

#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <thread>

namespace gateway::jazzcash_stand_in {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

namespace {

template <class Stream>
void converse(Stream& stream, const handler& serve) {
  beast::flat_buffer buffer;
  boost::system::error_code failed;
  for (;;) {
    http::request<http::string_body> wire;
    http::read(stream, buffer, wire, failed);
    if (failed) return;
    const std::string target{wire.target()};
    const auto told = serve({std::string{wire.method_string()}, target.substr(0, target.find('?')),
                             std::string{wire[http::field::content_type]}, wire.body()});
    std::this_thread::sleep_for(told.after);
    if (told.cut) return;
    http::response<http::string_body> out{static_cast<http::status>(told.status), 11};
    out.set(http::field::content_type, told.content_type);
    out.body() = told.body;
    out.keep_alive(wire.keep_alive());
    out.prepare_payload();
    http::write(stream, out, failed);
    if (failed || !wire.keep_alive()) return;
  }
}

void meet(tcp::socket socket, asio::ssl::context* tls, const handler& serve) {
  try {
    if (!tls) return converse(socket, serve);
    asio::ssl::stream<tcp::socket> stream{std::move(socket), *tls};
    boost::system::error_code failed;
    stream.handshake(asio::ssl::stream_base::server, failed);
    if (!failed) converse(stream, serve);
  } catch (const std::exception&) {
    // The client gets no answer, as from a server that has failed.
  }
}

}  // namespace

server::server(const tcp::endpoint& here, asio::ssl::context* tls, handler serve)
    : acceptor_{context_, here}, tls_{tls}, serve_{std::move(serve)} {
  std::thread{[this] { accept_all(); }}.detach();
}

void server::accept_all() {
  for (;;) {
    boost::system::error_code failed;
    tcp::socket socket{context_};
    acceptor_.accept(socket, failed);
    if (failed) continue;
    std::thread{[this, guest = std::move(socket)]() mutable { meet(std::move(guest), tls_, serve_); }}.detach();
  }
}

}  // namespace gateway::jazzcash_stand_in
