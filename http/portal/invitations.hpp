// The link by which somebody who was invited sets a password. Nothing of it is stored until it is spent: what it says
// is signed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/time.hpp"

namespace gateway::http {

inline constexpr duration_ms invitation_lifetime = std::chrono::hours{7 * 24};

struct invitation {
  merchant_id merchant;
  user_id user;
  std::string email;  ///< for the person to see
  std::string id;     ///< what is spent: 32 hex digits
  time_point expires{};
};

/// A fresh one, with its id and its end.
invitation make_invitation(merchant_id merchant, user_id user, std::string email, time_point now);
std::string invitation_url(const invitation& what, std::string_view portal_url, std::string_view key);
/// Nothing if the token is forged or expired. Whether it was used before only the store knows.
std::optional<invitation> read_invitation(std::string_view token, std::string_view key, time_point now);

}  // namespace gateway::http
