// The PROXY protocol's header (haproxy.org, proxy-protocol.txt), version 1 or 2: what a proxy that passes TLS through
// sends before anything else, to say for whom it connects. No socket, no clock, and no memory beyond its own few bytes,
// however long the header says that it is.
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

  /// The longest that is read, further fields (TLVs) included. Those that proxies send take some hundred bytes.
  static constexpr std::size_t most_bytes = 4'096;

  /// Takes what belongs to the header from the front of `bytes`; what is left then belongs to the client.
  state take(std::string_view& bytes);

  /// Of a whole one: the client's address and port; nothing if the header names no IP address (UNKNOWN, LOCAL).
  const std::optional<sockaddr_storage>& client() const noexcept { return client_; }

 private:
  state advance();
  state read_line(std::string_view line);
  state read_binary();
  state read_binary_address();

  static constexpr std::size_t longest_line = 107;  ///< of version 1, its end included
  std::array<char, longest_line> seen_;
  std::size_t size_ = 0;
  std::size_t wanted_ = 0;  ///< version 2: up to the end of the addresses that are read; 0: not known yet
  std::size_t skipped_ = 0;  ///< version 2: bytes behind them that are still to come, and are not kept
  state now_ = state::partial;
  std::optional<sockaddr_storage> client_;
};

}  // namespace gateway::http
