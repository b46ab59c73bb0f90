// Functions on the text of a URL: the host that a browser or a request would reach, and adding query parameters.
// Boost.URL 1.81 reads `127.0.0.1.evil.example` as an address with the path `.evil.example`, so its results cannot be
// used for this.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

inline constexpr std::size_t most_url_bytes = 2048;

struct url_authority {
  std::string_view host;  ///< as written; an IPv6 address with its brackets
  std::string_view port;  ///< as written; empty if there is none
  std::string_view rest;  ///< path, query and fragment
};

/// Reads a URL with `//` and without user information; nullopt if the text after the host is not a port.
std::optional<url_authority> read_authority(std::string_view url);

/// Whether the text has only characters of DNS names and addresses. RFC 3986 also permits `;`, `'` and escapes in a
/// host, which could end a directive of a Content-Security-Policy.
bool is_plain_host(std::string_view host);

bool is_this_machine(std::string_view host);

/// Also accepts an empty port.
bool is_port(std::string_view digits);

/// Whether the text holds only characters that RFC 3986 permits in a URL: no blank, no backslash, no character beyond
/// ASCII, and a percent sign only before two hexadecimal digits. Browsers may interpret other texts in unexpected ways.
bool has_only_url_characters(std::string_view text);

/// The origin of an https URL in normal form, `https://shop.example` or `https://shop.example:8443`: host in lower
/// case, default port left out. Two URLs have the same origin if, and only if, these texts are equal. nullopt if the
/// URL is not https, or if a browser could read another origin from it.
std::optional<std::string> https_origin_of(std::string_view url);

/// Encodes the text as a value in a query: everything except letters, digits and `-._~` as `%XX`. A blank becomes
/// `%20`, which readers of forms and of URLs both decode to a blank.
std::string percent_encoded(std::string_view text);

/// Decodes a name or a value of a form or a query (application/x-www-form-urlencoded): a plus is a blank, `%XX` a byte;
/// any other percent sign stays.
std::string form_decoded(std::string_view text);

struct url_parameter {
  std::string_view name;
  std::string_view value;  ///< not encoded
};

/// Appends these parameters to the URL's query. The URL must have no fragment.
std::string with_parameters(std::string_view url, std::initializer_list<url_parameter> added);

}  // namespace gateway
