// To which addresses a gateway may send what strangers asked it to send: to the public Internet, and never to itself,
// its neighbours, or a cloud's metadata service. Pure.
//
// Source: the IANA special-purpose registries (iana-ipv4-special-registry, iana-ipv6-special-registry, from RFC 6890),
// and the two multicast registries. What they call globally reachable only in part (192.0.0.0/24, 2001::/23) is refused
// whole.
#pragma once

#include <optional>
#include <string_view>

#include <boost/asio/ip/address.hpp>

namespace gateway::http {

enum class loopback_rule : unsigned char {
  refused,
  allowed,  ///< 127.0.0.0/8, ::1 and ::ffff:127.0.0.0/104; for development
};

/// 127.0.0.0/8, also mapped into IPv6, and ::1.
bool is_loopback(const boost::asio::ip::address& address) noexcept;

/// What the address is, if nothing may be sent there: "a private address", say.
std::optional<std::string_view> why_forbidden(const boost::asio::ip::address& address, loopback_rule loopback) noexcept;

}  // namespace gateway::http
