// The peer's address of a connection.
#pragma once

#include <sys/socket.h>

#include <string>

#include "transport.hpp"

namespace gateway::http {

/// An IP address without its port; empty if there is none, as on the operator socket. An IPv4 address that is mapped
/// into IPv6 is written as IPv4, so that a client has the same address over both.
std::string address_text(const sockaddr_storage& address);

/// The peer's address; no family if the peer has disconnected.
sockaddr_storage peer_of(stream_socket& socket);

}  // namespace gateway::http
