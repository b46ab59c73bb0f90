// The PROXY protocol's header (haproxy.org, proxy-protocol.txt), version 1 or 2, which a proxy that passes TLS through
// sends first to name the client. No socket, no clock, and at most 107 bytes of memory, whatever length the header
// declares.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace gateway::http {

class proxy_header {
 public:
  enum class state : unsigned char { partial, whole, malformed };

  /// The longest header that is accepted, further fields (TLVs) included. Proxies send about a hundred bytes.
  static constexpr std::size_t most_bytes = 4'096;

  /// Removes the header's bytes from the front of `bytes`; the rest is the client's.
  state take(std::string_view& bytes);

  /// Of a whole header: the client's address and port; nothing if it names no IP address (UNKNOWN, LOCAL).
  const std::optional<sockaddr_storage>& client() const noexcept { return client_; }

 private:
  state advance();
  state read_line(std::string_view line);
  state read_binary();
  state read_binary_address();

  static constexpr std::size_t longest_line = 107;  ///< of version 1, including its line end
  std::array<char, longest_line> seen_;
  std::size_t size_ = 0;
  std::size_t wanted_ = 0;  ///< version 2: bytes up to the end of the addresses; 0: not known yet
  std::size_t skipped_ = 0;  ///< version 2: bytes after the addresses that are still to come, and are discarded
  state now_ = state::partial;
  std::optional<sockaddr_storage> client_;
};

}  // namespace gateway::http
