#include "web_address.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "url_authority.hpp"

namespace gateway::http {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// The grammar of RFC 3986 lets a registered name hold `;`, `'` or escapes, which would break out of a policy's
/// directive: only what a DNS name or an address is made of is let through.
bool is_plain_host(std::string_view host) {
  if (host.empty()) return false;
  if (host.front() == '[')
    return host.size() > 2 && std::ranges::all_of(host.substr(1, host.size() - 2),
                                                  [](char c) { return is_hex(c) || c == ':' || c == '.'; });
  return std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '.' || c == '-' || c == '_';
  });
}

bool is_this_machine(std::string_view host) { return host == "localhost" || host == "127.0.0.1" || host == "[::1]"; }

bool is_port(std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return digits.empty() || (fault == std::errc{} && end == digits.data() + digits.size());
}

struct web_address {
  boost::urls::scheme scheme = boost::urls::scheme::none;
  std::string_view scheme_text;
  url_authority at;
};

/// Nothing if a browser could read it as another place than we do.
std::optional<web_address> read_address(std::string_view text) {
  const auto parsed = boost::urls::parse_uri(text);
  if (!parsed || !parsed->has_authority() || parsed->has_userinfo()) return std::nullopt;
  const auto authority = read_authority(text);
  if (!authority || !is_plain_host(authority->host) || !is_port(authority->port)) return std::nullopt;
  return web_address{parsed->scheme_id(), text.substr(0, text.find(':')), *authority};
}

}  // namespace

bool is_return_url(std::string_view text, environment env) {
  const auto address = read_address(text);
  if (!address) return false;
  if (address->scheme == boost::urls::scheme::https) return true;
  return address->scheme == boost::urls::scheme::http && env == environment::test && is_this_machine(address->at.host);
}

std::string origin_of(std::string_view text) {
  const auto address = read_address(text);
  if (!address) return {};
  auto origin = std::string{address->scheme_text} + "://" + std::string{address->at.host};
  if (!address->at.port.empty()) origin.append(1, ':').append(address->at.port);
  return origin;
}

}  // namespace gateway::http
