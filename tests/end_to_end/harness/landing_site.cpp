#include "landing_site.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <mutex>
#include <thread>

namespace gateway::e2e {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

struct landing_site::server {
  asio::io_context context;
  tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
  mutable std::mutex guard;
  std::vector<std::string> visited;
  std::thread worker;

  server()
      : worker{[this] {
          accept();
          context.run();
        }} {}
  ~server() {
    context.stop();
    worker.join();
  }

  struct visit {
    explicit visit(tcp::socket accepted) : socket{std::move(accepted)} {}
    tcp::socket socket;
    boost::beast::flat_buffer buffer;
    http::request<http::string_body> request;
    http::response<http::string_body> response;
  };

  void accept() {
    acceptor.async_accept([this](boost::system::error_code failed, tcp::socket socket) {
      if (!failed) serve(std::make_shared<visit>(std::move(socket)));
      accept();
    });
  }

  /// One request for each connection, so that no connection stays open.
  void serve(std::shared_ptr<visit> now) {
    http::async_read(now->socket, now->buffer, now->request,
                     [this, now](boost::system::error_code failed, std::size_t) {
                       if (failed) return;
                       const std::string target{now->request.target()};
                       {
                         const std::lock_guard lock{guard};
                         visited.push_back(target);
                       }
                       now->response.set(http::field::content_type, "text/html; charset=utf-8");
                       now->response.body() = "<!doctype html><title>Lantern Books</title><h1>You are at " +
                                              target.substr(0, target.find('?')) + "</h1>";
                       now->response.keep_alive(false);
                       now->response.prepare_payload();
                       http::async_write(now->socket, now->response, [now](boost::system::error_code, std::size_t) {});
                     });
  }
};

landing_site::landing_site() : server_{std::make_unique<server>()} {}
landing_site::~landing_site() = default;

std::string landing_site::url(std::string_view path) const {
  return "http://localhost:" + std::to_string(server_->acceptor.local_endpoint().port()) + std::string{path};
}

std::vector<std::string> landing_site::visited() const {
  const std::lock_guard lock{server_->guard};
  return server_->visited;
}

}  // namespace gateway::e2e
