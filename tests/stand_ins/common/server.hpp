// The listeners of a stand-in: HTTP over TLS in the provider's place, plain HTTP on loopback for control. One thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::stand_in {

struct request {
  std::string method;
  std::string path;
  std::string query;  ///< without the question mark
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;

  /// The first header of that name, case-insensitive.
  const std::string* header(std::string_view name) const;
};

struct answer {
  int status = 200;
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool closes = false;  ///< the connection ends without an answer
  bool begun = false;   ///< an error during execution: it is kept under the idempotency key
  std::chrono::milliseconds after{0};  ///< how long the client waits for it
};

/// May answer later.
using handler = std::function<void(const request&, std::function<void(answer)> done)>;

/// Of `ADDR:PORT`. Throws std::invalid_argument.
boost::asio::ip::tcp::endpoint endpoint_of(const std::string& text);

/// For a server, from PEM files.
boost::asio::ssl::context tls_of(const std::string& certificate, const std::string& key);

class server {
 public:
  /// Listens. Without `tls`: plain.
  server(boost::asio::io_context& context, const boost::asio::ip::tcp::endpoint& here, boost::asio::ssl::context* tls,
         handler serve);

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  void accept();

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::ssl::context* tls_;
  handler serve_;
};

/// Serves until the process receives SIGTERM or SIGINT. The first line of the output names both ports, for the tests.
void run(boost::asio::io_context& context, const server& front, const server& back);

}  // namespace gateway::stand_in
