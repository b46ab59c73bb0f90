#include "gateway/base/networks.hpp"
#include "gateway/domain/text.hpp"

#include <arpa/inet.h>

#include <algorithm>

namespace gateway {

namespace {

constexpr unsigned mapped_prefix = 96;  ///< of ::ffff:0:0/96, where IPv4 addresses are mapped

/// Whether the first `count` bits of both are the same.
bool agree(const std::array<unsigned char, 16>& a, const std::array<unsigned char, 16>& b, unsigned count) noexcept {
  const auto whole = static_cast<std::ptrdiff_t>(count / 8);
  if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
  const unsigned rest = count % 8;
  return rest == 0 || ((a[count / 8] ^ b[count / 8]) >> (8 - rest)) == 0;
}

bool is_zero_behind(const std::array<unsigned char, 16>& address, unsigned prefix) noexcept {
  for (unsigned bit = prefix; bit < 128; ++bit)
    if (((address[bit / 8] >> (7 - bit % 8)) & 1) != 0) return false;
  return true;
}

}  // namespace

bool networks::read_address(std::string_view text, bytes& into, bool& is_v4) noexcept {
  std::array<char, INET6_ADDRSTRLEN> ended{};
  if (text.empty() || text.size() >= ended.size()) return false;
  std::ranges::copy(text, ended.begin());
  is_v4 = ::inet_pton(AF_INET, ended.data(), into.data() + 12) == 1;
  if (!is_v4) return ::inet_pton(AF_INET6, ended.data(), into.data()) == 1;
  std::fill_n(into.begin(), 10, static_cast<unsigned char>(0));
  into[10] = into[11] = 0xff;
  return true;
}

std::string networks::read_network(std::string_view text, network& into) {
  const auto slash = text.find('/');
  bool is_v4 = false;
  if (!read_address(text.substr(0, slash), into.address, is_v4)) return "is no IP address or network";
  const unsigned most = is_v4 ? 32 : 128;
  into.prefix = most;
  if (slash != text.npos) {
    const auto prefix = parse_whole(text.substr(slash + 1), 0, most);
    if (!prefix) return "has no prefix from 0 to " + std::to_string(most);
    into.prefix = static_cast<unsigned>(*prefix);
  }
  if (is_v4) into.prefix += mapped_prefix;
  return is_zero_behind(into.address, into.prefix) ? "" : "has bits behind its prefix";
}

std::variant<networks, std::string> networks::parse(std::string_view text) {
  networks read;
  if (trimmed(text).empty()) return read;
  for (;;) {
    const auto comma = text.find(',');
    const auto part = trimmed(text.substr(0, comma));
    network one;
    if (const auto fault = read_network(part, one); !fault.empty()) return "'" + std::string{part} + "' " + fault;
    read.all_.push_back(one);
    if (comma == text.npos) return read;
    text.remove_prefix(comma + 1);
  }
}

bool networks::contains(std::string_view address) const noexcept {
  bytes asked{};
  bool is_v4 = false;
  if (all_.empty() || !read_address(address, asked, is_v4)) return false;
  return std::ranges::any_of(all_, [&](const network& one) { return agree(one.address, asked, one.prefix); });
}

}  // namespace gateway
