// Results of operators' commands, and lists of destinations, deliveries and events. Times are RFC 3339 with
// milliseconds. A value that does not exist yet is null, so that all rows of a list have the same members.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gateway/directory/directory.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/provider_adapter.hpp"
#include "gateway/ports/store/delivery_questions.hpp"
#include "gateway/ports/store/directory_questions.hpp"
#include "gateway/ports/store/entity_rows.hpp"

namespace gateway::http {

class json_object;

// A command's result, as gatewayctl prints it.
std::string encode(const created_merchant& made);
/// Writes a member `name` with an array of texts.
void write_texts(json_object& into, std::string_view name, const std::vector<std::string>& texts);

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

/// The address to which the provider sends notifications of this mode.
std::string notifications_url(std::string_view base_url, provider_kind kind, environment env);

/// `{"providers":[…]}`: each adapter's provider in each mode, with its settings and its notification address. Secrets,
/// and settings that the adapter does not know, are listed by name only.
std::string encode_providers(const provider_adapters& adapters, const directory& known, std::string_view base_url);

/// `{"destinations":[…]}`, without secrets. Has `previous_secret_until` while the previous secret still signs, and
/// `left_out` if rows were left out.
std::string encode_destinations(const destinations_lookup& found, time_point now);

/// `{"deliveries":[…]}`. Each event type has the name that its destination receives.
std::string encode_deliveries(const std::vector<delivery_job>& jobs, const directory& known);
/// `{"redelivered":N}`. For a single delivery also `deliveries`, with its present state from `now`.
std::string encode_redelivered(std::uint64_t count, const redeliver& command, const std::vector<delivery_job>& now,
                               const directory& known);
/// One delivery. Its `event` is the body that the receiver gets.
std::string encode_delivery(const delivery_job& job, const directory& known, const std::string& envelope);

/// `{"notifications":[…]}`, without their bodies.
std::string encode_notifications(const std::vector<notification_ptr>& list);

/// `{"nodes":[…]}`, by name. Omits nodes that are still starting.
std::string encode_nodes(std::vector<node_row> nodes);
std::string encode_drained_node(const std::string& name);

/// `{"keys":[…]}`, oldest first, without retired keys.
std::string encode_master_keys(const master_keys_lookup& found);
std::string encode_key_id(const std::string& id);

/// `{"events":[…]}`, with the types as stored.
std::string encode_events(const std::vector<event_record>& events);

}  // namespace gateway::http
