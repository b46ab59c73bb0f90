// What the calls of one HTTP client share. Concurrency: on the client's thread only, once it runs.
#pragma once

#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include "address_policy.hpp"
#include "connection_pool.hpp"
#include "name_lookup.hpp"

namespace gateway::http {

struct client_parts {
  boost::asio::io_context& context;
  boost::asio::ssl::context& tls;
  connection_pool& pool;
  name_lookup& lookup;
  const destination_rule destinations;
  const std::string first_headers;  ///< header lines that every request begins with
};

}  // namespace gateway::http
