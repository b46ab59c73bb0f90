// Makes platforms as an operator does, and grants as a merchant's owner does, and provides a platform's client.
#pragma once

#include <string>
#include <string_view>

#include "merchant.hpp"
#include "visitor.hpp"

namespace gateway::e2e {

inline constexpr std::string_view owner_password = "a password of an owner";

struct platform_account {
  std::string id;
  std::string client_id;
  std::string redirect_uri;
  credentials key;
};

/// Registers a platform with one redirect_uri, and mints a key with these scopes or the default ones.
platform_account new_platform(const gateway_process& gateway, const std::string& slug, const std::string& scopes = {});
credentials mint_platform_key(const gateway_process& gateway, const std::string& platform,
                              const std::string& scopes = {});
/// Adds a person with owner_password and this role. Returns the user's id.
std::string add_person(const gateway_process& gateway, const std::string& merchant, const std::string& email,
                       const std::string& role = "owner");

/// Path and query of the consent screen.
std::string authorize_target(const platform_account& who, const std::string& scope, const std::string& mode,
                             const std::string& state = "state-1");

/// The person signs in if necessary and agrees. Returns the code. Throws if the page has no button for it, or if the
/// browser does not come back with a code.
std::string consent(visitor& person, const std::string& email, const std::string& target,
                    const std::string& merchant = {});

struct platform_grant {
  std::string id;
  std::string merchant;
};
/// Signs and sends an exchange of the code.
reply exchange(api& platform, const platform_account& who, const std::string& code, const call& how = {});

/// The owner of a merchant consents, and the platform exchanges the code. `email`: an owner of that merchant alone.
platform_grant grant_access(const gateway_process& gateway, const platform_account& who, const std::string& email,
                            const std::string& mode, const std::string& scope = "payments:write payments:read");

/// A merchant that takes live payments too, with an owner of its own.
struct owned_shop {
  explicit owned_shop(const gateway_process& gateway);
  merchant_account account;
  std::string email;
};

/// A platform, and a merchant with an owner of its own.
struct pair_of_parties {
  explicit pair_of_parties(gateway_process& at, const std::string& scopes = {});

  std::string code(const std::string& mode, const std::string& scope = "payments:write payments:read") const;
  platform_grant grant(const std::string& mode, const std::string& scope = "payments:write payments:read") const;

  gateway_process& gateway;
  std::string name;
  platform_account who;
  merchant_account shop;
  std::string email;
};

/// The headers that a request on behalf of a merchant carries in addition to its signature.
call on_behalf_of(const std::string& merchant);

/// A platform with a live grant of a merchant that takes cards, with every scope for customers.
struct live_platform {
  explicit live_platform(gateway_process& at);

  /// The call `how`, on behalf of the merchant.
  call as(call how = {}) const;

  gateway_process& gateway;
  std::string name;
  platform_account who;
  merchant_account shop;
  api platform;

  static constexpr auto all_scopes = "payments:write payments:read customers:read";
};

}  // namespace gateway::e2e
