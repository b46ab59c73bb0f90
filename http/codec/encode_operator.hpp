// What operators are told of their commands, and shown of destinations, deliveries and events. Times are RFC 3339 with
// milliseconds; what there is not yet is null, so that each row of a list has the same members.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gateway/actors.hpp"
#include "gateway/directory.hpp"
#include "gateway/provider_adapter.hpp"
#include "gateway/store.hpp"

namespace gateway::http {

// What a command made, as gatewayctl prints it.
std::string encode(const created_merchant& made);
std::string encode(const minted_key& made);
std::string encode(const saved_platform& made);
std::string encode(const added_user& made);
std::string encode(const invited_user& made);
std::string encode_invitation(const user_id& user, std::string_view url);
std::string encode(const placed_route& made);
std::string encode(const destination_secret& made);
std::string encode(const rotated_secret& made);
std::string encode(const named_result& made);

/// `{"platforms":[…]}`.
std::string encode_platforms(const std::vector<platform>& list);

/// `{"providers":[…]}`: each adapter's provider in each mode, with what is configured of it and where it sends its
/// notifications. Of secrets the names alone, and so of settings that the adapter does not know.
std::string encode_providers(const provider_adapters& adapters, const directory& known, std::string_view base_url);

/// `{"destinations":[…]}`, without secrets. A previous secret is told of while it still signs at `now`; `left_out`, if
/// any are.
std::string encode_destinations(const destinations_lookup& found, time_point now);

/// `{"deliveries":[…]}`. Each type is told as its destination is told it.
std::string encode_deliveries(const std::vector<delivery_job>& jobs, const directory& known);
/// `{"redelivered":N}`; of a single one also `deliveries`, with what has become of it by `now`.
std::string encode_redelivered(std::uint64_t count, const redeliver& wish, const std::vector<delivery_job>& now,
                               const directory& known);
/// One delivery, with what its receiver gets as `event`.
std::string encode_delivery(const delivery_job& job, const directory& known, const std::string& envelope);

/// `{"notifications":[…]}`, without their bodies.
std::string encode_notifications(const std::vector<notification_ptr>& list);

/// `{"nodes":[…]}`, by their names. Not those that have taken their name and do not serve yet.
std::string encode_nodes(std::vector<node_row> nodes);
std::string encode_drained_node(const std::string& name);

/// `{"events":[…]}`, under the types that rows carry.
std::string encode_events(const std::vector<event_record>& events);

}  // namespace gateway::http
