#include "proxy_header.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "gateway/domain/text.hpp"

namespace gateway::http {

namespace {

constexpr std::string_view line_start = "PROXY ";
constexpr std::string_view signature{"\r\n\r\n\0\r\nQUIT\n", 12};
constexpr std::size_t binary_head = 16;  ///< signature, version and command, family, length

// The low half of version 2's 13th byte, and the high half of its 14th.
constexpr unsigned version_2 = 2, proxied = 1;  // the other command is LOCAL, 0
constexpr unsigned ipv4 = 1, ipv6 = 2, last_family = 3;
constexpr unsigned stream = 1, last_protocol = 2;

unsigned byte_at(const char* bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

/// Whether one is a prefix of the other.
bool may_become(std::string_view seen, std::string_view start) {
  const auto size = std::min(seen.size(), start.size());
  return seen.substr(0, size) == start.substr(0, size);
}

sockaddr_storage address_of(int family, const void* address, const void* port) {
  sockaddr_storage made{};
  if (family == AF_INET) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    std::memcpy(&v4.sin_addr, address, sizeof v4.sin_addr);
    std::memcpy(&v4.sin_port, port, sizeof v4.sin_port);
    std::memcpy(&made, &v4, sizeof v4);
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    std::memcpy(&v6.sin6_addr, address, sizeof v6.sin6_addr);
    std::memcpy(&v6.sin6_port, port, sizeof v6.sin6_port);
    std::memcpy(&made, &v6, sizeof v6);
  }
  return made;
}

/// Removes and returns the part before the next space; removes the space too.
std::string_view take_word(std::string_view& rest) {
  const auto end = std::min(rest.find(' '), rest.size());
  const auto word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

bool read_address(int family, std::string_view text, void* into) {
  std::array<char, INET6_ADDRSTRLEN> ended{};
  if (text.size() >= ended.size() || text.find('\0') != text.npos) return false;
  std::ranges::copy(text, ended.begin());
  return ::inet_pton(family, ended.data(), into) == 1;
}

std::optional<std::uint16_t> read_port(std::string_view text) {
  const auto port = parse_whole(text, 0, most_port);
  const bool leads_with_zero = text.size() > 1 && text.front() == '0';
  if (!port || leads_with_zero) return std::nullopt;
  return static_cast<std::uint16_t>(*port);
}

}  // namespace

proxy_header::state proxy_header::take(std::string_view& bytes) {
  while (now_ == state::partial && !bytes.empty()) {
    if (wanted_ > 0 && size_ == wanted_) {
      const auto count = std::min(skipped_, bytes.size());
      bytes.remove_prefix(count);
      skipped_ -= count;
      if (skipped_ == 0) now_ = state::whole;
    } else {
      seen_[size_++] = bytes.front();
      bytes.remove_prefix(1);
      now_ = advance();
    }
  }
  return now_;
}

proxy_header::state proxy_header::advance() {
  const std::string_view seen{seen_.data(), size_};
  if (may_become(seen, signature)) return size_ < binary_head ? state::partial : read_binary();
  if (!may_become(seen, line_start)) return state::malformed;
  if (seen.back() == '\n') return read_line(seen);
  return size_ < longest_line ? state::partial : state::malformed;
}

proxy_header::state proxy_header::read_line(std::string_view line) {
  if (line.size() < line_start.size() + 2 || !line.ends_with("\r\n")) return state::malformed;
  line.remove_suffix(2);
  line.remove_prefix(line_start.size());
  const auto family_word = take_word(line);
  if (family_word == "UNKNOWN") return state::whole;  // regardless of what follows
  if (family_word != "TCP4" && family_word != "TCP6") return state::malformed;
  const int family = family_word == "TCP4" ? AF_INET : AF_INET6;
  std::array<unsigned char, 16> source{}, destination{};
  const bool are_addresses =
      read_address(family, take_word(line), source.data()) && read_address(family, take_word(line), destination.data());
  const auto source_port = read_port(take_word(line));
  const auto destination_port = read_port(line);
  if (!are_addresses || !source_port || !destination_port) return state::malformed;
  const auto port = htons(*source_port);
  client_ = address_of(family, source.data(), &port);
  return state::whole;
}

proxy_header::state proxy_header::read_binary() {
  if (size_ > binary_head) return size_ < wanted_ ? state::partial : read_binary_address();
  const auto version = byte_at(seen_.data(), 12) >> 4, command = byte_at(seen_.data(), 12) & 0xf;
  const auto family = byte_at(seen_.data(), 13) >> 4, protocol = byte_at(seen_.data(), 13) & 0xf;
  const std::size_t length = byte_at(seen_.data(), 14) << 8 | byte_at(seen_.data(), 15);
  if (version != version_2 || command > proxied || family > last_family || protocol > last_protocol ||
      length > most_bytes - binary_head)
    return state::malformed;
  const bool names_client = command == proxied && protocol == stream && (family == ipv4 || family == ipv6);
  constexpr std::array<std::size_t, 4> sizes{0, 12, 36, 216};  // both addresses and ports, by family
  if (command == proxied && length < sizes[family]) return state::malformed;
  const auto read = names_client ? sizes[family] : 0;
  wanted_ = binary_head + read;
  skipped_ = length - read;
  return length > 0 ? state::partial : state::whole;
}

proxy_header::state proxy_header::read_binary_address() {
  const bool is_v4 = byte_at(seen_.data(), 13) >> 4 == ipv4;
  const char* const source = seen_.data() + binary_head;
  const char* const port = source + (is_v4 ? 8 : 32);
  client_ = address_of(is_v4 ? AF_INET : AF_INET6, source, port);
  return skipped_ > 0 ? state::partial : state::whole;
}

}  // namespace gateway::http
