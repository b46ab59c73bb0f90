// The rate limit fields of answers: RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers-11 (May
// 2026), which are lists of structured fields (RFC 9651). Pure.
//
//   RateLimit-Policy: "key";q=20;w=2      after a pause 20 requests at once, and on average 20 in 2 seconds
//   RateLimit: "key";r=15;t=2             15 more may be sent within 2 seconds
//
// `w` is how long an empty bucket takes to fill. `t` is how long `r` requests take to be regained, at least 1 s. Both
// are rounded up, so that neither r/t nor q/w exceeds the long-term rate of the limit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "http/message.hpp"
#include "rate_limit.hpp"

namespace gateway::http {

/// A caller's state under one limit, after the request that is being answered.
struct rate_standing {
  std::string_view name;  ///< of the limit: letters only
  rate_rule rule;
  std::uint32_t left = 0;  ///< requests
};

std::string rate_policy_text(std::span<const rate_standing> standings);
std::string rate_left_text(std::span<const rate_standing> standings);

/// Adds both fields, or appends to their lists.
void add_rate_limits(response& out, std::span<const rate_standing> standings);

}  // namespace gateway::http
