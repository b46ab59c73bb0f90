// What the rooms must know of a URL, taken from its text: whom a browser or a request would reach, and a query with
// more parameters. Boost.URL 1.81 takes `127.0.0.1.evil.example` for an address with the path `.evil.example`, so its
// own answers tell neither.
#pragma once

#include <algorithm>
#include <charconv>
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
inline std::optional<url_authority> read_authority(std::string_view url) {
  const auto begin = url.find("://");
  if (begin == url.npos) return std::nullopt;
  const auto after_scheme = url.substr(begin + 3);
  const auto authority = after_scheme.substr(0, after_scheme.find_first_of("/?#"));
  const auto host_end =
      authority.starts_with('[') ? authority.find(']') + 1 : std::min(authority.find(':'), authority.size());
  const auto after_host = authority.substr(host_end);
  if (!after_host.empty() && after_host.front() != ':') return std::nullopt;
  const auto port = after_host.empty() ? after_host : after_host.substr(1);
  return url_authority{authority.substr(0, host_end), port, after_scheme.substr(authority.size())};
}

namespace detail {
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_hex_digit(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
}  // namespace detail

/// The grammar of RFC 3986 lets a registered name hold `;`, `'` or escapes, which would break out of a policy's
/// directive: only what a DNS name or an address is made of is let through.
inline bool is_plain_host(std::string_view host) {
  if (host.empty()) return false;
  if (host.front() == '[')
    return host.size() > 2 && host.back() == ']' && std::ranges::all_of(host.substr(1, host.size() - 2), [](char c) {
             return detail::is_hex_digit(c) || c == ':' || c == '.';
           });
  return std::ranges::all_of(
      host, [](char c) { return detail::is_letter(c) || detail::is_digit(c) || c == '.' || c == '-' || c == '_'; });
}

inline bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

/// No port is one, too.
inline bool is_port(std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return digits.empty() || (fault == std::errc{} && end == digits.data() + digits.size());
}

/// Whether the text holds only what RFC 3986 lets stand in a URL: no blank, no backslash, nothing beyond ASCII, and no
/// percent sign but before two hexadecimal digits. Browsers read such things as something else than they look like.
inline bool has_only_url_characters(std::string_view text) {
  constexpr std::string_view marks = "-._~:/?#[]@!$&'()*+,;=";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3 || !detail::is_hex_digit(text[i + 1]) || !detail::is_hex_digit(text[i + 2])) return false;
    } else if (!detail::is_letter(c) && !detail::is_digit(c) && marks.find(c) == marks.npos) {
      return false;
    }
  }
  return true;
}

/// The origin of an https URL in its one form, `https://shop.example` or `https://shop.example:8443`: host in lower
/// case, the usual port left out. Two URLs have the same origin if, and only if, these are equal. Nothing if the URL is
/// not https, or if a browser could read it as another place than we do.
inline std::optional<std::string> https_origin_of(std::string_view url) {
  constexpr std::string_view scheme = "https://";
  if (url.size() > most_url_bytes || !url.starts_with(scheme) || !has_only_url_characters(url)) return std::nullopt;
  const auto at = read_authority(url);
  if (!at || !is_plain_host(at->host) || !is_port(at->port)) return std::nullopt;
  std::string origin{scheme};
  for (const char c : at->host) origin += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  unsigned port = 443;
  if (!at->port.empty()) std::from_chars(at->port.data(), at->port.data() + at->port.size(), port);
  if (port == 0) return std::nullopt;
  if (port != 443) origin.append(1, ':').append(std::to_string(port));
  return origin;
}

/// The text as a value in a query: all but letters, digits and `-._~` as `%XX`. A blank becomes `%20`, which readers of
/// forms and of URLs alike take for a blank.
inline std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (detail::is_letter(c) || detail::is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += digits[byte >> 4];
    encoded += digits[byte & 15];
  }
  return encoded;
}

struct url_parameter {
  std::string_view name;
  std::string_view value;  ///< in the clear
};

/// The URL with these parameters after whatever its query holds. It has no fragment.
inline std::string with_parameters(std::string_view url, std::initializer_list<url_parameter> added) {
  std::string text{url};
  for (const auto& [name, value] : added) {
    if (text.find('?') == text.npos)
      text += '?';
    else if (!text.ends_with('?') && !text.ends_with('&'))
      text += '&';
    text += percent_encoded(name);
    text += '=';
    text += percent_encoded(value);
  }
  return text;
}

}  // namespace gateway
