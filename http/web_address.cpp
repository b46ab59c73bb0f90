#include "web_address.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace gateway::http {
namespace {

/// The grammar of RFC 3986 lets a registered name hold `;`, `'` or escapes, which would break out of a policy's
/// directive: only what a DNS name is made of is let through.
bool is_plain_host(const boost::urls::url_view& url) {
  const std::string_view host = url.encoded_host();
  if (host.empty() || url.host_type() == boost::urls::host_type::ipvfuture) return false;
  if (url.host_type() != boost::urls::host_type::name) return true;
  return std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  });
}

bool is_this_machine(std::string_view host) { return host == "localhost" || host == "127.0.0.1" || host == "[::1]"; }

bool has_valid_port(const boost::urls::url_view& url) {
  const std::string_view digits = url.port();
  std::uint16_t port = 0;
  return digits.empty() || std::from_chars(digits.data(), digits.data() + digits.size(), port).ec == std::errc{};
}

}  // namespace

bool is_return_url(std::string_view text, environment env) {
  const auto parsed = boost::urls::parse_uri(text);
  if (!parsed) return false;
  const auto& url = *parsed;
  if (url.has_userinfo() || !is_plain_host(url) || !has_valid_port(url)) return false;
  if (url.scheme_id() == boost::urls::scheme::https) return true;
  return url.scheme_id() == boost::urls::scheme::http && env == environment::test && is_this_machine(std::string_view{url.encoded_host()});
}

std::string origin_of(std::string_view text) {
  const auto parsed = boost::urls::parse_uri(text);
  if (!parsed || parsed->has_userinfo() || !is_plain_host(*parsed)) return {};
  return std::string{std::string_view{parsed->encoded_origin()}};
}

}  // namespace gateway::http
