#include "remote_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

namespace gateway::http {

std::string remote_address_of(stream_socket& socket) {
  socket_error ignored;
  const auto end = socket.remote_endpoint(ignored);
  if (ignored) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  const auto* address = static_cast<const sockaddr*>(end.data());
  const void* bytes = nullptr;
  if (address->sa_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  if (address->sa_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  if (!bytes || !::inet_ntop(address->sa_family, bytes, text.data(), text.size())) return {};
  return text.data();
}

}  // namespace gateway::http
