#include "address_policy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gateway::http {

namespace ip = boost::asio::ip;

namespace {

struct v4_range {
  std::uint32_t first;
  unsigned bits;
  std::string_view name;
};

constexpr std::uint32_t quad(unsigned a, unsigned b, unsigned c, unsigned d) { return a << 24 | b << 16 | c << 8 | d; }

// The narrower one first where two overlap.
constexpr auto v4_ranges = std::to_array<v4_range>({
    {quad(0, 0, 0, 0), 32, "the unspecified address"},
    {quad(0, 0, 0, 0), 8, "an address of \"this network\""},
    {quad(10, 0, 0, 0), 8, "a private address"},
    {quad(100, 64, 0, 0), 10, "an address shared behind carrier-grade NAT"},
    {quad(127, 0, 0, 0), 8, "a loopback address"},
    {quad(169, 254, 0, 0), 16, "a link-local address"},
    {quad(172, 16, 0, 0), 12, "a private address"},
    {quad(192, 0, 0, 0), 24, "an address kept for protocol assignments"},
    {quad(192, 0, 2, 0), 24, "an address for documentation"},
    {quad(192, 88, 99, 0), 24, "a 6to4 relay"},
    {quad(192, 168, 0, 0), 16, "a private address"},
    {quad(198, 18, 0, 0), 15, "an address for benchmarks"},
    {quad(198, 51, 100, 0), 24, "an address for documentation"},
    {quad(203, 0, 113, 0), 24, "an address for documentation"},
    {quad(224, 0, 0, 0), 4, "a multicast address"},
    {quad(255, 255, 255, 255), 32, "the broadcast address"},
    {quad(240, 0, 0, 0), 4, "a reserved address"},
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

/// Where an IPv6 address carries an IPv4 address, to which it leads in the end.
struct embedding {
  std::array<std::uint16_t, 8> first;
  unsigned bits;
  std::size_t at;  ///< byte at which the IPv4 address begins
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
  return quad(address[at], address[at + 1], address[at + 2], address[at + 3]);
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

}  // namespace gateway::http
