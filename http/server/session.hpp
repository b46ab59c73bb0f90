// A connection from its first byte to its last: the handshake, its requests in order, its end.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "connection_limits.hpp"
#include "io_thread.hpp"
#include "transport.hpp"

namespace gateway::http {

/// Never throws; runs on `home`'s thread until the connection ends, and keeps `admission` until then.
boost::asio::awaitable<void> serve(io_thread& home, accepted_socket how, stream_socket socket,
                                   connection_limits::admission admission);

}  // namespace gateway::http
