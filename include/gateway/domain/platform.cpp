#include "gateway/domain/platform.hpp"

#include <algorithm>

namespace gateway {

bool is_redirect_uri(std::string_view text) {
  if (text.size() > most_url_bytes || !has_only_url_characters(text) || text.find('#') != text.npos) return false;
  const bool plain = text.starts_with("http://");
  if (!plain && !text.starts_with("https://")) return false;
  const auto at = read_authority(text);
  return at && is_plain_host(at->host) && is_port(at->port) && (!plain || is_this_machine(at->host));
}

bool is_return_origin(std::string_view text) { return https_origin_of(text) == text; }

bool has_redirect_uri(const platform& p, std::string_view sent) {
  return std::ranges::find(p.redirect_uris, sent) != p.redirect_uris.end();
}

std::optional<std::string> fault_of(const platform& p) {
  if (!is_platform_slug(p.slug)) return "slug: must be 2 to 63 lower-case letters, digits and dashes, no dash first";
  if (!is_platform_name(p.name)) return "name: must be 1 to 200 bytes without control characters";
  if (p.redirect_uris.empty()) return "redirect_uris: at least one is needed";
  if (p.redirect_uris.size() > most_redirect_uris) return "redirect_uris: there may be 32";
  if (p.return_origins.size() > most_return_origins) return "return_origins: there may be 32";
  for (const auto& uri : p.redirect_uris)
    if (!is_redirect_uri(uri))
      return "redirect_uris: must be https without user and fragment (http on localhost), and this is not: " + uri;
  for (const auto& origin : p.return_origins)
    if (!is_return_origin(origin))
      return "return_origins: must be written as https://app.example, and this is not: " + origin;
  return std::nullopt;
}

}  // namespace gateway
