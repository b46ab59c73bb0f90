// Requests as they go over the wire, signed. What does not change from one to the next is made once: at tens of thousands of
// requests a second, making a key anew would be half of the cost.
// Concurrency: one thread; a copy for each.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "request.hpp"

namespace gateway::load {

struct credentials {
  std::string key_id;
  std::string secret;
};

class signer {
 public:
  using hex_digest = std::array<char, 64>;

  /// `authority` becomes the Host header.
  signer(std::string_view authority, const credentials& key);

  /// Replaces `into` by the whole request.
  void write(const request& what, std::time_t now, std::string& into);

  /// `path` without the query.
  hex_digest signature(std::string_view method, std::string_view path, std::string_view timestamp, std::string_view body) const;

 private:
  /// SHA-256 after the first block: of HMAC's inner hash, and of its outer one.
  struct key_state {
    std::array<std::uint32_t, 8> inner, outer;
  };

  key_state key_;
  std::string middle_;  ///< from the version to the time
  std::time_t at_ = -1;
  std::string timestamp_;
};

}  // namespace gateway::load
