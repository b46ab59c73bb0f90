// The peer's address of a connection.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>

#include "transport.hpp"

namespace gateway::http {

/// An IP address without its port; empty if there is none, as on the operator socket. An IPv4 address that is mapped
/// into IPv6 is written as IPv4, so that a client has the same address over both.
std::string address_text(const sockaddr_storage& address);

/// The Unix user of the process at the other end; nothing unless it is a Unix socket.
std::optional<std::uint32_t> peer_uid_of(stream_socket& socket);

/// The peer's address; no family if the peer has disconnected.
sockaddr_storage peer_of(stream_socket& socket);

}  // namespace gateway::http
