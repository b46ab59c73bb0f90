// The link that a merchant who cannot charge yet is sent to, and its redemption.
//
// A signed link is bound to the merchant and its owner, lasts an hour and works once: the directory records the token's
// id as spent. A merchant without an owner gets a plain link that requires a sign-in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/base/keyring.hpp"
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

/// `env`: where the merchant could not charge.
setup_link make_setup_link(const merchant& who, environment env, std::string_view portal_url,
                           const crypto::derived_keys& key, time_point now);

/// The content of a genuine token. Only the directory knows whether it was used before.
struct setup_token {
  merchant_id merchant;
  user_id user;
  std::string id;  ///< 32 hex digits
  time_point expires{};
  environment env = environment::live;
};
/// Nothing if the token is forged, expired or made for another purpose.
std::optional<setup_token> read_setup_token(std::string_view token, const crypto::derived_keys& key, time_point now);

/// The result of redeeming a link: another token, for the set-up pages.
struct setup_session {
  std::string token;
  std::string expires_at;
};
setup_session make_setup_session(const setup_token& redeemed, const crypto::derived_keys& key, time_point now);
/// As read_setup_token.
std::optional<setup_token> read_setup_session(std::string_view token, const crypto::derived_keys& key, time_point now);
/// A link, and the session made from it, are valid only while the merchant's owner is the one that the link was made
/// for. `who` may be null.
bool is_still_bound(const merchant* who, const setup_token& token);

/// The state of the merchant's connection to this provider.
connection_status status_at(const merchant& who, environment env, provider_kind provider);

/// The sandbox's page where an account is opened.
struct onboarding_link {
  merchant_id merchant;
  environment env = environment::live;
  provider_kind provider = provider_kind::sandbox;
  std::string back;  ///< where the browser goes from there; must satisfy is_local_target()
  time_point expires{};
};
std::string make_onboarding_token(const onboarding_link& link, const crypto::derived_keys& key);
/// As read_setup_token.
std::optional<onboarding_link> read_onboarding_link(std::string_view token, const crypto::derived_keys& key,
                                                    time_point now);

/// The address to which a real provider returns the browser carries the same content, in a token of another purpose. It
/// lasts a day, because the provider may ask for documents.
inline constexpr duration_ms account_link_lifetime = std::chrono::hours{24};
std::string make_account_token(const onboarding_link& link, const crypto::derived_keys& key);
/// As read_setup_token.
std::optional<onboarding_link> read_account_link(std::string_view token, const crypto::derived_keys& key,
                                                 time_point now);

/// The whole 422 body of merchant_not_charge_capable. `states`: the providers' states in that environment.
std::string not_charge_capable_body(const merchant& who, environment env, const setup_link& link,
                                    std::string_view base_url, const provider_states& states);

}  // namespace gateway::http
