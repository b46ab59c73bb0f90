#include "web_address.hpp"

#include <optional>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "gateway/domain/url.hpp"

namespace gateway::http {
namespace {

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
