// A merchant's destinations, for the pages that show them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "destinations_view.hpp"
#include "gateway/domain/webhook.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// Without the count of failed deliveries.
destination_row destination_row_of(const destination& each);

/// The boxes that were checked; nothing if one of them is not an event type.
std::optional<std::vector<std::string>> stored_events(const std::vector<std::string>& written);

/// Failed deliveries are counted up to this many.
inline constexpr std::uint32_t most_failed_counted = 100;
/// Nothing if the store does not answer.
boost::asio::awaitable<std::optional<std::uint64_t>> count_failed(call& c, destination_id to);

}  // namespace gateway::http
