#include "connection_limits.hpp"

#include <netinet/in.h>

namespace gateway::http {

std::optional<address_key> key_of(const sockaddr_storage& peer) {
  address_key key{};
  if (peer.ss_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &peer, sizeof v4);
    std::memcpy(key.data(), &v4.sin_addr, sizeof v4.sin_addr);
    return key;
  }
  if (peer.ss_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6;
  std::memcpy(&v6, &peer, sizeof v6);
  const auto* const bytes = v6.sin6_addr.s6_addr;
  // A host chooses the lower half of its IPv6 address at will; an IPv4 address inside one counts as itself.
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
    std::memcpy(key.data(), bytes + 12, 4);
  else
    std::memcpy(key.data(), bytes, key.size());
  return key;
}

std::optional<connection_limits::admission> connection_limits::admit(const std::optional<address_key>& address) {
  const std::lock_guard lock{mutex_};
  if (open_ >= most_) return std::nullopt;
  if (address) {
    auto& from_there = by_address_[*address];
    if (from_there >= most_per_address_) return std::nullopt;  // not new here, or the limit is nought
    ++from_there;
  }
  ++open_;
  return admission{this, address};
}

void connection_limits::leave(const std::optional<address_key>& address) {
  const std::lock_guard lock{mutex_};
  --open_;
  if (!address) return;
  const auto at = by_address_.find(*address);
  if (--at->second == 0) by_address_.erase(at);
}

std::size_t connection_limits::open() const {
  const std::lock_guard lock{mutex_};
  return open_;
}

}  // namespace gateway::http
