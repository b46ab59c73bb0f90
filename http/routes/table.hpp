// Method and path pattern to handler. A pattern's variable segments are written `{id}`, `{merchant}` and `{mode}`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include "deprecation.hpp"
#include "error_style.hpp"
#include "http/access/authorization.hpp"
#include "http/access/caller_limits.hpp"
#include "http/access/concurrency_limit.hpp"
#include "http/message.hpp"
#include "http/worker.hpp"

namespace gateway::http {

struct member_visit;

/// What stands in the path for a pattern's variable segments; empty where the pattern has no such one.
struct path_variables {
  std::string_view id;
  std::string_view merchant;
  std::string_view mode;
};

/// One request on its way through its handler. Lives in the frame of the coroutine that runs the handler.
struct call {
  worker& here;
  const request& in;
  path_variables path;
  // Of signed routes.
  permit allowed{};
  std::string body_sha256{};
  std::optional<rate_verdict> rates{};  ///< of the signer, if it is limited
  // Of signed writes.
  std::optional<concurrency_limit::admission> admission{};
  std::string idempotency_key{};  ///< a lower-case UUID
  // Of the pages of a merchant.
  const member_visit* visit = nullptr;
};

/// Asks the router, in the request's name and as a part of its trace.
boost::asio::awaitable<caf::expected<entity_reply>> ask(call& c, entity_request what);

using handler = boost::asio::awaitable<response> (*)(call&);

enum class access : unsigned char {
  open,          ///< unsigned
  signed_read,   ///< signature and scope
  signed_write,  ///< signature, scope and Idempotency-Key
  member_page,   ///< a page of the portal, for the merchant's people
  member_form,   ///< a post from such a page, from an owner
};

/// For whom a signed request acts.
enum class acts_as : unsigned char {
  merchant,  ///< a merchant, by its own key or by a platform's
  platform,  ///< the platform whose key signed: no environment, no Service-Merchant, no scope. The handler looks
             ///< whether it was one
  platforms_merchant,  ///< a merchant, by a platform's key only: a merchant's own is told that, whatever its scopes
};

struct endpoint {
  std::string_view method;
  std::string_view pattern;
  handler run;
  access needs = access::open;
  scope allowed_by = scope::all;
  acts_as subject = acts_as::merchant;
  error_style errors = error_style::usual;
  std::optional<deprecation> ends{};  ///< of one that is to go: its answers say so
};

struct found_endpoint {
  const endpoint* what = nullptr;
  path_variables path;
};

/// The endpoint, or the 404 or 405 that the request gets. A 405's route is the pattern whose methods it lists.
std::variant<found_endpoint, response> find_endpoint(std::span<const endpoint> table, std::string_view method,
                                                     std::string_view path);

/// Runs the request's handler. What it throws is logged and becomes a 500.
boost::asio::awaitable<response> serve(worker& here, request& in, std::span<const endpoint> table);

}  // namespace gateway::http
