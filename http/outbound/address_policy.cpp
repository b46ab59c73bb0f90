#include "address_policy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gateway/domain/text.hpp"

namespace gateway::http {

namespace ip = boost::asio::ip;

namespace {

struct v4_range {
  std::uint32_t first;
  unsigned bits;
  std::string_view name;
};

/// In the registries' notation: "192.0.2.0/24".
consteval v4_range registered(std::string_view text, std::string_view name) {
  std::uint32_t address = 0;
  unsigned number = 0;
  for (const char c : text) {
    if (is_digit(c)) {
      number = number * 10 + static_cast<unsigned>(c - '0');
    } else {
      address = address << 8 | number;
      number = 0;
    }
  }
  return {address, number, name};
}

// Where two overlap, the narrower one is first.
constexpr auto v4_ranges = std::to_array<v4_range>({
    registered("0.0.0.0/32", "the unspecified address"),
    registered("0.0.0.0/8", "an address of \"this network\""),
    registered("10.0.0.0/8", "a private address"),
    registered("100.64.0.0/10", "an address shared behind carrier-grade NAT"),
    registered("127.0.0.0/8", "a loopback address"),
    registered("169.254.0.0/16", "a link-local address"),
    registered("172.16.0.0/12", "a private address"),
    registered("192.0.0.0/24", "an address kept for protocol assignments"),
    registered("192.0.2.0/24", "an address for documentation"),
    registered("192.88.99.0/24", "a 6to4 relay"),
    registered("192.168.0.0/16", "a private address"),
    registered("198.18.0.0/15", "an address for benchmarks"),
    registered("198.51.100.0/24", "an address for documentation"),
    registered("203.0.113.0/24", "an address for documentation"),
    registered("224.0.0.0/4", "a multicast address"),
    registered("255.255.255.255/32", "the broadcast address"),
    registered("240.0.0.0/4", "a reserved address"),
});

struct v6_range {
  std::array<std::uint16_t, 8> first;
  unsigned bits;
  std::string_view name;
};

constexpr auto v6_ranges = std::to_array<v6_range>({
    {{}, 128, "the unspecified address"},
    {{0, 0, 0, 0, 0, 0, 0, 1}, 128, "a loopback address"},
    {{0x64, 0xff9b, 1}, 48, "a NAT64 address of local use"},
    {{0x100}, 64, "a discard-only address"},
    {{0x100, 0, 0, 1}, 64, "a dummy address"},
    {{0x2001}, 32, "a Teredo address"},
    {{0x2001}, 23, "an address kept for protocol assignments"},
    {{0x2001, 0xdb8}, 32, "an address for documentation"},
    {{0x3fff}, 20, "an address for documentation"},
    {{0x5f00}, 16, "a segment routing identifier"},
    {{0xfc00}, 7, "a unique local address"},
    {{0xfe80}, 10, "a link-local address"},
    {{0xfec0}, 10, "a site-local address"},
    {{0xff00}, 8, "a multicast address"},
});

/// A form of IPv6 address that embeds the IPv4 address to which it leads.
struct embedding {
  std::array<std::uint16_t, 8> first;
  unsigned bits;
  std::size_t at;  ///< offset of the IPv4 address
};

constexpr auto embeddings = std::to_array<embedding>({
    {{0, 0, 0, 0, 0, 0xffff}, 96, 12},  // mapped
    {{}, 96, 12},                       // compatible
    {{0, 0, 0, 0, 0xffff}, 96, 12},     // translated
    {{0x64, 0xff9b}, 96, 12},           // NAT64
    {{0x2002}, 16, 2},                  // 6to4
});

constexpr std::array<std::uint16_t, 8> global_unicast{0x2000};
constexpr unsigned global_unicast_bits = 3;

using v6_bytes = ip::address_v6::bytes_type;

bool begins_with(const v6_bytes& address, const std::array<std::uint16_t, 8>& prefix, unsigned bits) noexcept {
  for (std::size_t i = 0; i < address.size() && bits > 0; ++i) {
    const unsigned compared = bits < 8 ? bits : 8;
    const auto wanted = static_cast<std::uint8_t>(i % 2 == 0 ? prefix[i / 2] >> 8 : prefix[i / 2] & 0xff);
    if (((address[i] ^ wanted) >> (8 - compared)) != 0) return false;
    bits -= compared;
  }
  return true;
}

std::uint32_t v4_at(const v6_bytes& address, std::size_t at) noexcept {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i) out = out << 8 | address[at + i];
  return out;
}

std::optional<std::string_view> why_forbidden(std::uint32_t address) noexcept {
  for (const auto& range : v4_ranges) {
    if (((address ^ range.first) >> (32 - range.bits)) == 0) return range.name;
  }
  return std::nullopt;
}

std::optional<std::string_view> why_forbidden(const v6_bytes& address) noexcept {
  for (const auto& range : v6_ranges) {
    if (begins_with(address, range.first, range.bits)) return range.name;
  }
  for (const auto& form : embeddings) {
    if (begins_with(address, form.first, form.bits)) return why_forbidden(v4_at(address, form.at));
  }
  if (!begins_with(address, global_unicast, global_unicast_bits)) return "not a global unicast address";
  return std::nullopt;
}

}  // namespace

bool is_loopback(const ip::address& address) noexcept {
  if (address.is_v4()) return address.to_v4().is_loopback();
  const auto v6 = address.to_v6();
  return v6.is_loopback() || (v6.is_v4_mapped() && v6.to_bytes()[12] == 127);
}

std::optional<std::string_view> why_forbidden(const ip::address& address, loopback_rule loopback) noexcept {
  if (loopback == loopback_rule::allowed && is_loopback(address)) return std::nullopt;
  return address.is_v4() ? why_forbidden(static_cast<std::uint32_t>(address.to_v4().to_uint()))
                         : why_forbidden(address.to_v6().to_bytes());
}

std::optional<std::string_view> why_refused(bool tls, const ip::address& address, destination_rule rule) noexcept {
  if (!tls && !is_loopback(address)) return "not a loopback address: http is for those only";
  if (rule == destination_rule::any) return std::nullopt;
  return why_forbidden(address,
                       rule == destination_rule::public_and_loopback ? loopback_rule::allowed : loopback_rule::refused);
}

}  // namespace gateway::http
