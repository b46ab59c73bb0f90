// The addresses that a client may send to. Destinations that strangers chose must be on the public Internet, never the
// gateway itself, its neighbours, or a cloud's metadata service. Pure.
//
// Source: the IANA special-purpose registries (iana-ipv4-special-registry, iana-ipv6-special-registry, from RFC 6890),
// and the two multicast registries. Blocks that are globally reachable only in part (192.0.0.0/24, 2001::/23) are
// refused whole.
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

/// What kind of address it is, if nothing may be sent there: for example "a private address".
std::optional<std::string_view> why_forbidden(const boost::asio::ip::address& address, loopback_rule loopback) noexcept;

enum class destination_rule : unsigned char {
  public_only,  ///< strangers chose the addresses: https, to public ones
  public_and_loopback,  ///< also to this machine, by https or http; for development
  any,  ///< the operator chose the addresses: https to any, http to this machine
};

constexpr bool allows_http(destination_rule rule) noexcept { return rule != destination_rule::public_only; }

/// Why nothing may be sent there, in words for an operator; nothing if it is allowed.
std::optional<std::string_view> why_refused(bool tls, const boost::asio::ip::address& address,
                                            destination_rule rule) noexcept;

}  // namespace gateway::http
