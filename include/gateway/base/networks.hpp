// IP networks as operators write them, `10.0.0.0/8, 2001:db8::/32, 192.0.2.7`, and whether an address is in one.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gateway {

class networks {
 public:
  /// Parses the list, in which commas and optional blanks separate the networks; an empty text is an empty list. On
  /// failure returns the part that is wrong, and why. A network whose address has bits set beyond its prefix is an
  /// error.
  static std::variant<networks, std::string> parse(std::string_view text);

  /// Takes a numeric address without a port; false for anything else. An IPv4 address mapped into IPv6 counts as the
  /// IPv4 address.
  bool contains(std::string_view address) const noexcept;
  bool empty() const noexcept { return all_.empty(); }

 private:
  /// IPv4 networks are stored as mapped into IPv6.
  using bytes = std::array<unsigned char, 16>;
  struct network {
    bytes address{};
    unsigned prefix = 0;  ///< in bits
  };

  static bool read_address(std::string_view text, bytes& into, bool& is_v4) noexcept;
  static std::string read_network(std::string_view text, network& into);

  std::vector<network> all_;
};

}  // namespace gateway
