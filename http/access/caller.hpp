// The result of authentication. authorization.hpp decides what a caller may do.
#pragma once

#include <variant>

#include "gateway/domain/merchant.hpp"
#include "gateway/domain/platform.hpp"

namespace gateway::http {

/// A merchant's own key. It determines merchant and environment.
struct merchant_key {
  key_id id;
  merchant_id merchant;
  environment env = environment::test;
  scope_set scopes;
};

/// A platform's key. The request names the environment and the merchant that the platform acts for.
struct platform_caller {
  key_id id;
  platform_id platform;
  scope_set scopes;
};

/// One alternative for each kind of credential.
using caller = std::variant<merchant_key, platform_caller>;

}  // namespace gateway::http
