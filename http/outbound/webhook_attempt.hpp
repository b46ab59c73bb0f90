// The outcome of a webhook's request, for the retry schedule and for operators. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/time.hpp"
#include "gateway/domain/webhook.hpp"
#include "gateway/ports/http_client.hpp"

namespace gateway::http {

/// Three more bytes show whether the excerpt's last character is whole.
inline constexpr std::size_t most_excerpted_bytes = most_excerpt_bytes + 3;

/// Fills everything except when the attempt was made, and how long it took.
delivery_attempt attempt_of(const http_outcome& outcome, time_point now);

/// The excerpt that operators see: the first 256 bytes as UTF-8, cut between characters. Invalid bytes are replaced by
/// U+FFFD, control characters by spaces.
std::string excerpt_of(std::string_view bytes);

/// Depends on the status alone.
attempt_result result_of(std::uint16_t status) noexcept;
attempt_result result_of(http_fault what) noexcept;

}  // namespace gateway::http
