// The listeners: HTTP over TLS for the API and the pages, plain HTTP on loopback for control. One thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer.hpp"

namespace gateway::stripe_stand_in {

struct request {
  std::string method;
  std::string path;
  std::string query;  ///< without the question mark
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;

  /// The first header of that name, case-insensitive.
  const std::string* header(std::string_view name) const;
};

/// May answer later.
using handler = std::function<void(const request&, std::function<void(answer)> done)>;

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

}  // namespace gateway::stripe_stand_in
