// The link with which an operator sets a password and a second factor for the console. It is signed, and valid only
// while the operator's row has its id: it works once, and only the newest link works.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/base/keyring.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/ports/store/operator_questions.hpp"

namespace gateway::http {

inline constexpr std::chrono::hours operator_link_lifetime{24};

struct operator_link {
  std::string key;  ///< operator_key_of() the name
  std::string id;
};

/// The id of a new link.
std::string make_operator_link_id();
std::string operator_setup_url(const operator_link& what, time_point ends_at, std::string_view console_url,
                               const crypto::derived_keys& signing_key);
/// nullopt if the token is forged or expired.
std::optional<operator_link> read_operator_link(std::string_view token, const crypto::derived_keys& signing_key,
                                                time_point now);
/// Whether the link is the one in the operator's row and has not expired.
bool is_in_force(const operator_link& what, const stored_operator& who, time_point now);

}  // namespace gateway::http
