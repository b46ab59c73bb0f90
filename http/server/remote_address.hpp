// Who is at the other end of a connection.
#pragma once

#include <string>

#include "transport.hpp"

namespace gateway::http {

/// An IP address without its port; empty where there is none, as on the operator socket.
std::string remote_address_of(stream_socket& socket);

}  // namespace gateway::http
