// The operator's commands, from the JSON that gatewayctl sends.
#pragma once

#include <string_view>

#include "decoded.hpp"
#include "gateway/actors.hpp"

namespace gateway::http {

decoded<create_merchant> decode_create_merchant(std::string_view body, std::size_t json_depth);
decoded<mint_key> decode_mint_key(std::string_view body, std::size_t json_depth);
decoded<revoke_key> decode_revoke_key(std::string_view body, std::size_t json_depth);
decoded<add_user> decode_add_user(std::string_view body, std::size_t json_depth);
decoded<set_connection> decode_set_connection(std::string_view body, std::size_t json_depth);
decoded<set_route> decode_set_route(std::string_view body, std::size_t json_depth);

}  // namespace gateway::http
