// Who is at the other end of a connection.
#pragma once

#include <sys/socket.h>

#include <string>

#include "transport.hpp"

namespace gateway::http {

/// An IP address without its port; empty where there is none, as on the operator socket. An IPv4 address that is mapped
/// into IPv6 is written as itself: one client has one name, whichever way it came.
std::string address_text(const sockaddr_storage& address);

/// The other end of a connection; of no family if it has gone.
sockaddr_storage peer_of(stream_socket& socket);

}  // namespace gateway::http
