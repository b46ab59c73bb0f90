// The URL of a webhook destination: its form, and what a request to it is made of. Pure: where the name leads is the
// address policy's question.
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
  std::string authority;  ///< of the Host header: with brackets, and with a port that is not the default
  std::string target;  ///< path and query
  std::string origin;  ///< scheme, host and port: what connections are kept under
};

struct url_reading {
  std::optional<destination_url> url;
  std::string why;  ///< words for an operator, if there is no URL
};

/// Absolute https, with `development` also http; no user information, no fragment. A host is a DNS name, a dotted IPv4
/// address or a bracketed IPv6 address: other spellings of addresses, and zone identifiers, are refused.
url_reading read_destination_url(std::string_view text, bool development);

}  // namespace gateway::http
