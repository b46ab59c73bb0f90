#include "destination_url.hpp"

#include <algorithm>
#include <cstdint>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "gateway/domain/text.hpp"

namespace gateway::http {

namespace urls = boost::urls;
namespace ip = boost::asio::ip;

namespace {

constexpr std::size_t most_name_bytes = 253;
constexpr std::size_t most_label_bytes = 63;

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= most_label_bytes && label.front() != '-' && label.back() != '-' &&
         std::ranges::all_of(label, [](char c) { return is_lower_letter(c) || is_digit(c) || c == '-' || c == '_'; });
}

/// `2130706433`, `0x7f000001`, `0177.0.0.1`: resolvers read these as addresses.
bool is_numeric_label(std::string_view label) {
  if (label.starts_with("0x")) return std::ranges::all_of(label.substr(2), is_lower_hex_digit);
  return std::ranges::all_of(label, is_digit);
}

/// The fault of a DNS name; empty if it is valid.
std::string_view fault_of_name(std::string_view name) {
  if (name.size() > most_name_bytes) return "the host name is too long";
  std::string_view rest = name;
  for (;;) {
    const auto dot = rest.find('.');
    const auto label = rest.substr(0, dot);
    if (!is_label(label)) return "the host is not a DNS name";
    if (dot == rest.npos)
      return is_numeric_label(label) ? "the host is a number: write addresses as 192.0.2.1 or [2001:db8::1]" : "";
    rest.remove_prefix(dot + 1);
  }
}

url_reading refuse(std::string_view why) { return {std::nullopt, std::string{why}}; }

std::string lowered(std::string_view text) {
  std::string out{text};
  for (auto& c : out) c = to_lower(c);
  return out;
}

/// Fills the host. Returns its fault, or an empty text.
std::string_view read_host(std::string_view text, destination_url& into) {
  if (text.empty()) return "the host is missing";
  boost::system::error_code ec;
  into.host = lowered(text);
  if (text.front() != '[') {
    if (const auto address = ip::make_address_v4(into.host, ec); !ec) {
      into.literal = address;
      return "";
    }
    return fault_of_name(into.host);
  }
  if (text.find('%') != text.npos) return "the host has a zone identifier";
  const auto address = ip::make_address_v6(text.substr(1, text.size() - 2), ec);
  if (ec) return "the host is neither a DNS name nor an address";
  into.literal = address;
  into.host = address.to_string();
  return "";
}

bool read_port(std::string_view digits, std::uint16_t& into) {
  if (digits.empty()) return true;
  const auto port = parse_whole(digits, 1, most_port);
  into = static_cast<std::uint16_t>(port.value_or(0));
  return port.has_value();
}

}  // namespace

url_reading read_destination_url(std::string_view text, bool development) {
  if (text.size() > most_url_bytes) return refuse("the URL is longer than 2048 bytes");
  const auto parsed = urls::parse_uri(text);
  if (!parsed) return refuse("that is not an absolute URL");
  const bool plain = parsed->scheme_id() == urls::scheme::http;
  if (!plain && parsed->scheme_id() != urls::scheme::https) return refuse("the URL must begin with https://");
  if (plain && !development) return refuse("the URL must begin with https:// (http is for --dev only)");
  if (!parsed->has_authority()) return refuse("the host is missing");
  if (parsed->has_userinfo()) return refuse("the URL must not hold a user name or password");
  if (parsed->has_fragment()) return refuse("the URL must not hold a fragment");

  url_reading out;
  auto& url = out.url.emplace();
  url.tls = !plain;
  const std::uint16_t usual_port = plain ? 80 : 443;
  url.port = usual_port;
  const auto authority = read_authority(text);
  if (!authority) return refuse("the host is neither a DNS name nor an address");
  if (const auto fault = read_host(authority->host, url); !fault.empty()) return refuse(fault);
  if (!read_port(authority->port, url.port)) return refuse("the port is not a number from 1 to 65535");

  const bool bracketed = url.literal && url.literal->is_v6();
  url.authority = bracketed ? "[" + url.host + "]" : url.host;
  url.origin = (plain ? "http://" : "https://") + url.authority + ":" + std::to_string(url.port);
  if (url.port != usual_port) url.authority += ":" + std::to_string(url.port);
  url.target = authority->rest;
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  return out;
}

}  // namespace gateway::http
