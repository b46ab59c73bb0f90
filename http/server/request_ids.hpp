// Request ids: `req_` and 32 hex digits, of which the first 12 are the time. They name a request in logs and are not
// secret, so a fast generator with a seed from the system's is enough. One per thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/timed_id.hpp"

namespace gateway::http {

class request_ids {
 public:
  using text = std::array<char, 36>;

  request_ids() : random_(seed()) {}

  text next() {
    using namespace std::chrono;
    text out{'r', 'e', 'q', '_'};
    const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    write_id_time(out.data() + 4, static_cast<std::uint64_t>(now));
    for (std::size_t at = 4 + timed_id_digits; at < out.size();) {
      for (auto bits = random_(), left = std::uint64_t{16}; left > 0 && at < out.size(); --left, bits >>= 4)
        out[at++] = hex_digits[bits & 15];
    }
    return out;
  }

 private:
  static std::mt19937_64 seed() {
    const auto bytes = crypto::random_bytes(32);
    std::seed_seq from(bytes.begin(), bytes.end());
    return std::mt19937_64{from};
  }

  std::mt19937_64 random_;
};

}  // namespace gateway::http
