#include "remote_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

namespace gateway::http {

std::string address_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  int family = address.ss_family;
  const void* bytes = nullptr;
  if (family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  if (family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    bytes = &v6;
    if (IN6_IS_ADDR_V4MAPPED(&v6)) family = AF_INET, bytes = v6.s6_addr + 12;
  }
  if (!bytes || !::inet_ntop(family, bytes, text.data(), text.size())) return {};
  return text.data();
}

std::optional<std::uint32_t> peer_uid_of(stream_socket& socket) {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  if (::getsockname(socket.native_handle(), reinterpret_cast<sockaddr*>(&own), &size) != 0 || own.ss_family != AF_UNIX)
    return std::nullopt;
  ucred who{};
  size = sizeof who;
  if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return std::nullopt;
  return who.uid;
}

sockaddr_storage peer_of(stream_socket& socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (::getpeername(socket.native_handle(), reinterpret_cast<sockaddr*>(&peer), &size) != 0) return {};
  return peer;
}

}  // namespace gateway::http
