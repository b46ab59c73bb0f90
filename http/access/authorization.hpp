// What a caller may do: the one place that turns who asks into a permit, or rejects the request. Pure, from the
// published snapshot: it costs a request no message.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "caller.hpp"
#include "gateway/acting.hpp"
#include "http/errors.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// Whom a request acts for. Handlers know nothing else of their caller.
struct permit {
  merchant_id merchant;  ///< empty where a platform acts for itself
  environment env = environment::test;
  std::string principal;  ///< of its idempotency keys (command_key); empty for the merchant itself
  bool by_platform = false;
  asked_by by = {};
};

using ruling = std::variant<permit, rejection>;

/// For what is done for a merchant. Of a platform: environment, Service-Merchant, the merchant's grant, then scopes. Of
/// a merchant: that it names no other, then scopes. `of_platforms`: only platforms may do it, and a merchant's key gets
/// past here whatever its scopes, to be told that.
ruling authorize(caller who, const request& in, scope needed, const directory& known, bool of_platforms = false);

/// For what a platform does for itself: no environment, no merchant, no scope. Its idempotency keys are a space of
/// their own, under no merchant. A merchant's key is let through as the merchant's: that it is no platform's is told
/// after all that is wrong with the request itself, so by the handler.
permit permit_of_signer(caller who);

/// `?environment=` of a platform's request: live if it is absent. Empty, another value or several are rejected.
std::variant<environment, rejection> read_environment(const request& in);

/// A body may name its merchant. Rejected if that is not the one whom the request acts for; an empty name is none.
std::optional<rejection> check_merchant(const permit& allowed, const merchant_id& named);

}  // namespace gateway::http
