// What a caller may do: the one place that turns a caller into a permit or rejects the request. Pure: it reads the
// published snapshot and sends no message.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "caller.hpp"
#include "gateway/directory/acting.hpp"
#include "http/errors.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// Whom a request acts for. Handlers get nothing else about their caller.
struct permit {
  merchant_id merchant;  ///< empty where a platform acts for itself
  environment env = environment::test;
  std::string principal;  ///< of its idempotency keys (command_key); empty for the merchant itself
  bool by_platform = false;
  asked_by by = {};
};

using ruling = std::variant<permit, rejection>;

/// For requests on behalf of a merchant. Checks of a platform, in this order: environment, Service-Merchant, the
/// merchant's grant, scopes. Checks of a merchant: that it names no other merchant, then scopes. With `of_platforms`
/// only platforms are allowed; a merchant's key passes here whatever its scopes, because the handler rejects it with
/// platform_key_required.
ruling authorize(caller who, const request& in, scope needed, const directory& known, bool of_platforms = false);

/// For requests that read events. A platform may leave Service-Merchant out: it then reads the events of every merchant
/// that granted it the scope, and its permit has no merchant. A platform whose grant was revoked may still read the
/// events from the time of the grant; the store restricts its answer to them.
ruling authorize_reader_of_events(caller who, const request& in, scope needed, const directory& known);

/// For requests of a platform on its own behalf: no environment, no merchant, no scope. Its idempotency keys are a
/// separate space, under no merchant. A merchant's key passes here, with a permit for its merchant: the handler rejects
/// it after it has checked the request itself.
permit permit_of_signer(caller who);

/// `?environment=` of a platform's request: live if absent. An empty, unknown or repeated value is rejected.
std::variant<environment, rejection> read_environment(const request& in);

/// A body may name its merchant. Rejects a merchant other than the permit's; an empty name counts as none.
std::optional<rejection> check_merchant(const permit& allowed, const merchant_id& named);

}  // namespace gateway::http
