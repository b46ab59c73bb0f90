// The header Retry-After of an answer (RFC 9110, section 10.2.3).
#pragma once

#include <optional>
#include <string_view>

#include "gateway/domain/time.hpp"

namespace gateway {

/// Reads seconds, or one of the three forms of HTTP-date. Not negative; at most 1000 days. nullopt for any other text.
std::optional<duration_ms> read_retry_after(std::string_view text, time_point now);

}  // namespace gateway
