// A merchant's destinations, for the pages that show them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "destinations_view.hpp"
#include "gateway/domain/destination_health.hpp"
#include "gateway/domain/webhook.hpp"
#include "gateway/ports/store/delivery_questions.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// The merchant's destination in this mode, even if it is deleted; nullopt if there is none with this id.
std::optional<destination> own_destination(const call& c, const destination_id& id);

/// The health of the merchant's destinations, or of `only`; nullopt if the store does not answer.
boost::asio::awaitable<std::optional<std::vector<destination_health>>> read_health(call& c, destination_id only = {});
/// The health of one destination; empty if nothing was sent to it.
destination_health health_of(const std::vector<destination_health>& all, const destination& what);

/// The row, without the number of failed deliveries.
destination_row destination_row_of(const call& c, const destination& each, const destination_health& health);

/// Why nothing can be sent to this URL, in words for the field: it is not a URL, another destination has it, or its
/// address is not permitted. Empty if it can be used; nullopt if that could not be checked. `except` may have the same
/// URL.
boost::asio::awaitable<std::optional<std::string>> fault_of_url(call& c, std::string url, destination_id except = {});

/// The checked boxes; nullopt if one of them is not an event type.
std::optional<std::vector<std::string>> stored_events(const std::vector<std::string>& written);

inline constexpr std::string_view url_is_taken = "There is a destination with this URL already.";
inline constexpr std::string_view name_too_long = "The name is too long: at most 60 characters.";

/// Failed deliveries are counted up to this many.
inline constexpr std::uint32_t most_failed_counted = 100;
/// Waiting deliveries are counted up to this many.
inline constexpr std::uint32_t most_waiting_counted = 10'000;
/// nullopt if the store does not answer.
boost::asio::awaitable<std::optional<waiting_deliveries>> read_waiting(call& c, destination_id to);
/// Sets the row's text about waiting deliveries.
void tell_waiting(const call& c, destination_row& row, const waiting_deliveries& found);
/// nullopt if the store does not answer.
boost::asio::awaitable<std::optional<std::uint64_t>> count_failed(call& c, destination_id to);

}  // namespace gateway::http
