// Who signed a request. Pure: headers, a snapshot of the keys and the time in; a caller or a rejection out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "caller.hpp"
#include "gateway/directory.hpp"
#include "gateway/domain/time.hpp"
#include "http/errors.hpp"
#include "http/message.hpp"

namespace gateway::http {

inline constexpr duration_ms allowed_clock_skew = std::chrono::minutes{5};

struct authenticated {
  caller who;
  std::string body_sha256;  ///< lower-case hex: the signature covers it, the fingerprint reuses it
};

/// The four lines that are signed.
std::string canonical_request(std::string_view method, std::string_view path, std::string_view timestamp,
                              std::string_view body_sha256);

/// The merchant's key that the request names, if the directory does not have it and it may be one; of a request whose
/// other headers are in order.
std::optional<key_id> absent_key(const request& in, const directory& keys, time_point now);

std::variant<authenticated, rejection> authenticate(const request& in, const directory& keys, time_point now);

}  // namespace gateway::http
