// Verifies X-Service-Signature as docs/served/webhooks.md explains it to merchants.
#pragma once

#include <cstdint>
#include <string_view>

namespace gateway::load {

/// Whether one `v1` of the header is by this secret, and `t` within 300 s of `now` (seconds since 1970).
bool rightly_signed(std::string_view header, std::string_view body, std::string_view secret, std::int64_t now);

}  // namespace gateway::load
