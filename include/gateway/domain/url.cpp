#include "gateway/domain/url.hpp"
#include "gateway/domain/text.hpp"

#include <algorithm>

namespace gateway {

std::optional<url_authority> read_authority(std::string_view url) {
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

bool is_plain_host(std::string_view host) {
  if (host.empty()) return false;
  if (host.front() == '[')
    return host.size() > 2 && host.back() == ']' && std::ranges::all_of(host.substr(1, host.size() - 2), [](char c) {
             return is_hex_digit(c) || c == ':' || c == '.';
           });
  return std::ranges::all_of(host, [](char c) { return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_'; });
}

bool is_this_machine(std::string_view host) { return host == "localhost" || host == "127.0.0.1" || host == "[::1]"; }

bool is_port(std::string_view digits) { return digits.empty() || parse_whole(digits, 0, most_port); }

bool has_only_url_characters(std::string_view text) {
  constexpr std::string_view marks = "-._~:/?#[]@!$&'()*+,;=";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3 || !is_hex_digit(text[i + 1]) || !is_hex_digit(text[i + 2])) return false;
    } else if (!is_letter_or_digit(c) && marks.find(c) == marks.npos) {
      return false;
    }
  }
  return true;
}

std::optional<std::string> https_origin_of(std::string_view url) {
  constexpr std::string_view scheme = "https://";
  if (url.size() > most_url_bytes || !url.starts_with(scheme) || !has_only_url_characters(url)) return std::nullopt;
  const auto at = read_authority(url);
  if (!at || !is_plain_host(at->host) || !is_port(at->port)) return std::nullopt;
  std::string origin{scheme};
  for (const char c : at->host) origin += to_lower(c);
  const auto port = at->port.empty() ? 443 : parse_whole(at->port, 0, most_port).value_or(0);
  if (port == 0) return std::nullopt;
  if (port != 443) origin.append(1, ':').append(std::to_string(port));
  return origin;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (is_letter_or_digit(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += upper_hex_digits[byte >> 4];
    encoded += upper_hex_digits[byte & 15];
  }
  return encoded;
}

std::string form_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '%' && text.size() - i >= 3 && is_hex_digit(text[i + 1]) && is_hex_digit(text[i + 2]);
    if (escape) {
      decoded += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

std::string with_parameters(std::string_view url, std::initializer_list<url_parameter> added) {
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
