// An authenticator app: computes the six digits of RFC 6238 from a secret as people type it. Shares no code with the
// gateway.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace gateway::e2e {

/// The code of the 30-second period that is current `ahead` from now. `secret` is in base32, with or without blanks.
std::string totp_code(std::string_view secret, std::chrono::seconds ahead = {});

}  // namespace gateway::e2e
