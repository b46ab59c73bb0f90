// To which addresses a client may send. What strangers asked for goes to the public Internet, and never to the gateway
// itself, its neighbours, or a cloud's metadata service. Pure.
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

enum class destination_rule : unsigned char {
  public_only,  ///< strangers chose them: https, to public addresses
  public_and_loopback,  ///< as well as, by https or http, to this machine; for development
  any,  ///< the operator chose them: https to any address, http to this machine
};

constexpr bool allows_http(destination_rule rule) noexcept { return rule != destination_rule::public_only; }

/// Why nothing may be sent there, in words for an operator; nothing: it may.
std::optional<std::string_view> why_refused(bool tls, const boost::asio::ip::address& address,
                                            destination_rule rule) noexcept;

}  // namespace gateway::http
