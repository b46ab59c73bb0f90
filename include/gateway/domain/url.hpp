// What the rooms must know of a URL, taken from its text: whom a browser or a request would reach, and a query with
// more parameters. Boost.URL 1.81 takes `127.0.0.1.evil.example` for an address with the path `.evil.example`, so its
// own answers tell neither.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace gateway {

inline constexpr std::size_t most_url_bytes = 2048;

struct url_authority {
  std::string_view host;  ///< as written; an IPv6 address with its brackets
  std::string_view port;  ///< as written; empty if there is none
  std::string_view rest;  ///< path, query and fragment
};

/// Of a URL that has `//` and no user information; nothing if what follows the host is no port.
std::optional<url_authority> read_authority(std::string_view url);

namespace detail {
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_hex_digit(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
}  // namespace detail

/// The grammar of RFC 3986 lets a registered name hold `;`, `'` or escapes, which would break out of a policy's
/// directive: only what a DNS name or an address is made of is let through.
bool is_plain_host(std::string_view host);

bool is_this_machine(std::string_view host);

/// No port is one, too.
bool is_port(std::string_view digits);

/// Whether the text holds only what RFC 3986 lets stand in a URL: no blank, no backslash, nothing beyond ASCII, and no
/// percent sign but before two hexadecimal digits. Browsers read such things as something else than they look like.
bool has_only_url_characters(std::string_view text);

/// The origin of an https URL in its one form, `https://shop.example` or `https://shop.example:8443`: host in lower
/// case, the usual port left out. Two URLs have the same origin if, and only if, these are equal. Nothing if the URL is
/// not https, or if a browser could read it as another place than we do.
std::optional<std::string> https_origin_of(std::string_view url);

/// The text as a value in a query: all but letters, digits and `-._~` as `%XX`. A blank becomes `%20`, which readers of
/// forms and of URLs alike take for a blank.
std::string percent_encoded(std::string_view text);

struct url_parameter {
  std::string_view name;
  std::string_view value;  ///< in the clear
};

/// The URL with these parameters after whatever its query holds. It has no fragment.
std::string with_parameters(std::string_view url, std::initializer_list<url_parameter> added);

}  // namespace gateway
