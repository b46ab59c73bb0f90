// The operator's commands to the directory, from the JSON that gatewayctl sends.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/messages/actors.hpp"
#include "http/codec/decoded.hpp"

namespace gateway::http {

decoded<create_merchant> decode_create_merchant(std::string_view body, std::size_t json_depth);
decoded<mint_key> decode_mint_key(std::string_view body, std::size_t json_depth);
decoded<revoke_key> decode_revoke_key(std::string_view body, std::size_t json_depth);
decoded<add_user> decode_add_user(std::string_view body, std::size_t json_depth);
/// Reads the e-mail address.
decoded<std::string> decode_reset_second_factor(std::string_view body, std::size_t json_depth);
decoded<invite_user> decode_invite_user(std::string_view body, std::size_t json_depth);
decoded<set_connection> decode_set_connection(std::string_view body, std::size_t json_depth);
decoded<set_route> decode_set_route(std::string_view body, std::size_t json_depth);
/// An absent field stays unchanged; an empty one removes the stored value. `logo` is a PNG file in base64url.
decoded<set_branding> decode_set_branding(std::string_view body, std::size_t json_depth);

// Commands about platforms. A rejection names the faulty field.
decoded<create_platform> decode_create_platform(std::string_view body, std::size_t json_depth);
/// An absent or null field stays unchanged; a list, even an empty one, replaces the old one.
decoded<change_platform> decode_change_platform(std::string_view body, std::size_t json_depth);
decoded<set_platform_status> decode_set_platform_status(std::string_view body, std::size_t json_depth);
decoded<mint_platform_key> decode_mint_platform_key(std::string_view body, std::size_t json_depth);

/// Accepts event types by the names that merchants or platforms receive, and stores the merchants' names.
decoded<set_destination> decode_set_destination(std::string_view body, std::size_t json_depth);
decoded<enable_destination> decode_enable_destination(std::string_view body, std::size_t json_depth);
decoded<disable_destination> decode_disable_destination(std::string_view body, std::size_t json_depth);
decoded<change_destination_url> decode_change_destination_url(std::string_view body, std::size_t json_depth);
decoded<delete_destination> decode_delete_destination(std::string_view body, std::size_t json_depth);
decoded<rotate_destination_secret> decode_rotate_destination_secret(std::string_view body, std::size_t json_depth);

}  // namespace gateway::http
