// The listeners: TLS for JazzCash's side, plain HTTP for control. A thread for each connection.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <functional>
#include <string>

namespace gateway::jazzcash_stand_in {

struct request {
  std::string method;
  std::string path;
  std::string content_type;
  std::string body;
};

struct answer {
  int status = 200;
  std::string content_type = "text/html; charset=utf-8";
  std::string body;
  std::chrono::milliseconds after{0};
  bool cut = false;  ///< the connection ends without an answer
};

using handler = std::function<answer(const request&)>;

class server {
 public:
  /// Listens, and serves for as long as the program runs. Without `tls`: plain.
  server(const boost::asio::ip::tcp::endpoint& here, boost::asio::ssl::context* tls, handler serve);
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  void accept_all();

  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::ssl::context* tls_;
  handler serve_;
};

}  // namespace gateway::jazzcash_stand_in
