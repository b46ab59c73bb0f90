// An authenticator app: the six digits of RFC 6238, of a secret as people type it. Shares no code with the gateway.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace gateway::e2e {

/// `secret` in base32, with or without blanks. The code of the half minute that begins so long from now.
std::string totp_code(std::string_view secret, std::chrono::seconds ahead = {});

}  // namespace gateway::e2e
