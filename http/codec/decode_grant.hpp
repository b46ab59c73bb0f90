// Requests about grants, from platforms and from operators. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decoded.hpp"
#include "gateway/ports/store/entity_questions.hpp"

namespace gateway::http {

struct token_body {
  std::string code;
  std::string redirect_uri;
};
decoded<token_body> decode_token(std::string_view body, std::size_t json_depth);

/// The reason; empty if none is given, or the body is empty.
decoded<std::string> decode_revoke_reason(std::string_view body, std::size_t json_depth);
/// Accepts a body that is empty or an object.
std::optional<rejection> check_no_fields(std::string_view body, std::size_t json_depth);

/// The command `gatewayctl grant revoke`.
struct operators_revoke {
  grant_id id;
  std::string reason;  ///< may be empty
};
decoded<operators_revoke> decode_revoke_grant(std::string_view body, std::size_t json_depth);
decoded<find_grants> decode_find_grants(std::string_view body, std::size_t json_depth);

}  // namespace gateway::http
