#include "setting_values.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <arpa/inet.h>

#include "gateway/domain/text.hpp"

namespace gateway {

namespace {

struct unit {
  std::string_view name;
  std::int64_t ms;
};
// From the largest unit to the smallest, because formatting takes the first one that divides.
constexpr std::array<unit, 5> units{{{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

// Parsed, but never printed: a month has 30 days, and a year 365.
constexpr std::array<unit, 2> long_units{{{"mo", 30 * 86'400'000LL}, {"y", 365 * 86'400'000LL}}};

std::optional<std::int64_t> length_of(std::string_view name) {
  for (const auto& u : units)
    if (u.name == name) return u.ms;
  for (const auto& u : long_units)
    if (u.name == name) return u.ms;
  return std::nullopt;
}

bool is_numeric_address(const std::string& text, int family) {
  std::array<unsigned char, 16> bytes;
  return ::inet_pton(family, text.c_str(), bytes.data()) == 1;
}

constexpr std::string_view scheme_end = "://";

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
  const auto suffix = text.substr(digits.size());
  const auto number = parse_whole(digits, 0, std::numeric_limits<std::int64_t>::max());
  const auto length = length_of(suffix.empty() ? "ms" : suffix);
  if (!number || !length || *number > std::numeric_limits<std::int64_t>::max() / *length) return std::nullopt;
  return std::chrono::milliseconds{*number * *length};
}

std::string format_duration(std::chrono::milliseconds duration) {
  for (const auto& u : units)
    if (duration.count() != 0 && duration.count() % u.ms == 0)
      return std::to_string(duration.count() / u.ms) + std::string{u.name};
  return std::to_string(duration.count()) + "ms";
}

std::string format_retention(const std::optional<std::chrono::milliseconds>& duration) {
  return duration ? format_duration(*duration) : std::string{forever};
}

std::optional<socket_address> parse_socket_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = parse_whole(text.substr(colon + 1), 0, most_port);
  if (!port) return std::nullopt;
  auto address = text.substr(0, colon);
  const bool bracketed = address.size() > 2 && address.front() == '[' && address.back() == ']';
  if (bracketed) address = address.substr(1, address.size() - 2);
  std::string numeric{address};
  if (!is_numeric_address(numeric, bracketed ? AF_INET6 : AF_INET)) return std::nullopt;
  return socket_address{std::move(numeric), static_cast<std::uint16_t>(*port)};
}

std::string without_password(std::string_view store_url) {
  const auto scheme = store_url.find(scheme_end);
  if (scheme == std::string_view::npos) return std::string{store_url};
  const auto start = scheme + scheme_end.size();
  const auto at = store_url.rfind('@');
  if (at == std::string_view::npos || at < start) {
    const bool may_hide_one = store_url.find(':', start) != std::string_view::npos;
    return may_hide_one ? std::string{store_url.substr(0, start)} + "***" : std::string{store_url};
  }
  const auto user = store_url.substr(start, at - start);
  const auto colon = user.find(':');
  if (colon == std::string_view::npos) return std::string{store_url};
  return std::string{store_url.substr(0, start + colon)} + ":***" + std::string{store_url.substr(at)};
}

std::string without_passwords(std::string_view sentence) {
  std::string out;
  while (!sentence.empty()) {
    const auto end = sentence.find(' ');
    out += without_password(sentence.substr(0, end));
    if (end == std::string_view::npos) break;
    out += ' ';
    sentence.remove_prefix(end + 1);
  }
  return out;
}

std::string base_url_fault(std::string_view text) {
  const std::size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
  if (scheme == 0) return "must start with https:// or http://";
  const auto rest = text.substr(scheme);
  if (rest.empty() || rest.front() == '/') return "has no host";
  if (rest.find_first_of("?#@ \t\"<>\\") != std::string_view::npos) return "may hold a host, a port and a path only";
  return {};
}

bool have_one_origin(std::string_view a, std::string_view b) {
  const auto origin = [](std::string_view url) {
    std::string text{url.substr(0, url.find('/', url.find("://") + 3))};
    std::ranges::transform(text, text.begin(), to_lower);
    for (const std::string_view usual : {":443", ":80"})
      if (text.ends_with(usual) && text.starts_with("https:") == (usual == ":443"))
        text.resize(text.size() - usual.size());
    return text;
  };
  return origin(a) == origin(b);
}

}  // namespace gateway
