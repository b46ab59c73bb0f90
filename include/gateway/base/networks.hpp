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
  /// The list, with commas and perhaps blanks between; an empty text is an empty list. If it cannot be read: which of
  /// its parts, and what is wrong with it. A network whose address has bits behind its prefix is taken for a mistake.
  static std::variant<networks, std::string> parse(std::string_view text);

  /// Of a numeric address without a port; false of anything else. An IPv4 address that is mapped into IPv6 is itself.
  bool contains(std::string_view address) const noexcept;
  bool empty() const noexcept { return all_.empty(); }

 private:
  /// Those of IPv4 are kept as they are mapped into IPv6.
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
