// The keys with which a merchant's programs sign requests.
#pragma once

#include <string>
#include <vector>

#include "gateway/domain/scopes.hpp"
#include "http/portal/member_frame.hpp"

namespace gateway::http {

/// The preselected scopes of a new key.
inline constexpr std::string_view default_portal_scopes = "payments:write payments:read";

struct key_row {
  std::string key_id;
  scope_set scopes;
  shown_time created_at;
  std::string created_by;
  bool revoked = false;
  std::string name{};
  shown_time last_used_on{};  ///< a day; empty: never used
};
/// The fields: `name`, and `scopes`, once per checked box.
struct mint_form {
  scope_set chosen = parse_scopes(default_portal_scopes).value_or(scope_set{});
  std::string fault;
  field name{};
};
struct keys_view {
  member_frame frame;
  std::vector<key_row> rows;
  mint_form mint;
};
response keys_page(const keys_view& view);

/// The answer to `mint`: the secret is shown only once.
struct minted_key_view {
  member_frame frame;
  std::string key_id;
  std::string secret;
  scope_set scopes;
  std::string name{};
};
response minted_key_page(const minted_key_view& view);

}  // namespace gateway::http
