// Who signed a request. Pure: headers, a snapshot of the keys and the time in; a principal or a 401 out.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "gateway/directory.hpp"
#include "gateway/domain/time.hpp"
#include "http/errors.hpp"
#include "http/message.hpp"

namespace gateway::http {

inline constexpr duration_ms allowed_clock_skew = std::chrono::minutes{5};
inline constexpr std::string_view platform_key_prefix = "mk_platform_";

struct principal {
  merchant_id merchant;
  environment env = environment::test;
  scope_set scopes;
  key_id key;
  std::string body_sha256;  ///< lower-case hex: the signature covers it, the fingerprint reuses it
};

struct unauthenticated {
  error_code code = error_code::unauthorized;
  std::string description;
};

/// The four lines that are signed.
std::string canonical_request(std::string_view method, std::string_view path, std::string_view timestamp,
                              std::string_view body_sha256);

std::variant<principal, unauthenticated> authenticate(const request& in, const directory& keys, time_point now);

}  // namespace gateway::http
