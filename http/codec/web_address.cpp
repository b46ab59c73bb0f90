#include "web_address.hpp"

#include <optional>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"

namespace gateway::http {
namespace {

struct web_address {
  std::string_view scheme;  ///< `http` or `https`, as written
  url_authority at;
};

/// Nothing if a browser could read the text as another host than the gateway does. What follows the authority does not
/// affect the host, so it may have any characters of a URL.
std::optional<web_address> read_address(std::string_view text) {
  if (!has_only_url_characters(text)) return std::nullopt;
  const auto authority = read_authority(text);
  if (!authority || !is_plain_host(authority->host) || !is_port(authority->port)) return std::nullopt;
  const auto scheme = text.substr(0, text.find("://"));
  if (!equal_ignoring_case(scheme, "https") && !equal_ignoring_case(scheme, "http")) return std::nullopt;
  return web_address{scheme, *authority};
}

}  // namespace

bool is_return_url(std::string_view text, environment env) {
  const auto address = read_address(text);
  if (!address || !boost::urls::parse_uri(text)) return false;
  return equal_ignoring_case(address->scheme, "https") ||
         (env == environment::test && is_this_machine(address->at.host));
}

std::string origin_of(std::string_view text) {
  const auto address = read_address(text);
  if (!address) return {};
  auto origin = std::string{address->scheme} + "://" + std::string{address->at.host};
  if (!address->at.port.empty()) origin.append(1, ':').append(address->at.port);
  return origin;
}

}  // namespace gateway::http
