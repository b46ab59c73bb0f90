// The URL of an outgoing request: its accepted form, and its parts. Pure: the address policy decides about the
// addresses that the name resolves to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/address.hpp>

#include "gateway/domain/url.hpp"

namespace gateway::http {

struct destination_url {
  bool tls = true;
  std::string host;                                  ///< lower case, without brackets
  std::optional<boost::asio::ip::address> literal;   ///< the host, if it is an address
  std::uint16_t port = 443;
  std::string authority;  ///< for the Host header: with brackets, and with the port unless it is the default
  std::string target;  ///< path and query
  std::string origin;  ///< scheme, host and port: the key of kept connections
};

struct url_reading {
  std::optional<destination_url> url;
  std::string why;  ///< the fault in words for an operator, if there is no URL
};

/// Absolute https, with `development` also http; no user information, no fragment. The host is a DNS name, a dotted
/// IPv4 address or a bracketed IPv6 address: other spellings of addresses, and zone identifiers, are refused.
url_reading read_destination_url(std::string_view text, bool development);

}  // namespace gateway::http
