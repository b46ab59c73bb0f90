// The link that a merchant who cannot charge yet is sent to, and its redemption.
//
// A signed link is bound to the merchant and its owner, lasts an hour and works once: the token's id is
// spent in the directory. A merchant without an owner gets a plain link that asks for a sign-in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/merchant.hpp"
#include "gateway/domain/provider_states.hpp"
#include "gateway/domain/time.hpp"

namespace gateway::http {

inline constexpr duration_ms setup_link_lifetime = std::chrono::hours{1};

struct setup_link {
  std::string url;
  std::string expires_at;  ///< three fractional digits if signed, whole seconds if not
  bool is_signed = false;
};

/// For the environment in which the merchant could not be charged.
setup_link make_setup_link(const merchant& who, environment env, std::string_view portal_url, std::string_view key,
                           time_point now);

/// What a genuine token says. Whether it was used before only the directory knows.
struct setup_token {
  merchant_id merchant;
  user_id user;
  std::string id;  ///< 32 hex digits
  time_point expires{};
  environment env = environment::live;
};
/// Nothing if the token is forged, expired or made for something else.
std::optional<setup_token> read_setup_token(std::string_view token, std::string_view key, time_point now);

/// What a redeemed link is exchanged for: another token, for the set-up pages.
struct setup_session {
  std::string token;
  std::string expires_at;
};
setup_session make_setup_session(const setup_token& redeemed, std::string_view key, time_point now);
/// As read_setup_token.
std::optional<setup_token> read_setup_session(std::string_view token, std::string_view key, time_point now);
/// A link, and the session made of it, stay bound to the owner whom it was made for. `who` may be null.
bool is_still_bound(const merchant* who, const setup_token& token);

/// How the merchant's connection to this provider stands.
connection_status status_at(const merchant& who, environment env, provider_kind provider);

/// The address of the sandbox's page at which an account is opened.
struct onboarding_link {
  merchant_id merchant;
  environment env = environment::live;
  provider_kind provider = provider_kind::sandbox;
  std::string back;  ///< where the browser goes from there, as is_local_target() has it
  time_point expires{};
};
std::string make_onboarding_token(const onboarding_link& link, std::string_view key);
/// As read_setup_token.
std::optional<onboarding_link> read_onboarding_link(std::string_view token, std::string_view key, time_point now);

/// The way back from a provider over HTTPS says the same, by a token of its own. Whoever is asked for papers there may
/// take a day.
inline constexpr duration_ms account_link_lifetime = std::chrono::hours{24};
std::string make_account_token(const onboarding_link& link, std::string_view key);
/// As read_setup_token.
std::optional<onboarding_link> read_account_link(std::string_view token, std::string_view key, time_point now);

/// The whole 422 body of merchant_not_charge_capable. `states`: of the providers in that environment.
std::string not_charge_capable_body(const merchant& who, environment env, const setup_link& link,
                                    std::string_view base_url, const provider_states& states);

}  // namespace gateway::http
