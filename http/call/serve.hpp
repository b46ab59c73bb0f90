// Method and path pattern to handler. A pattern's variable segments are written `{id}`, `{merchant}` and `{mode}`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include "ask.hpp"
#include "deprecation.hpp"
#include "error_style.hpp"
#include "http/access/authorization.hpp"
#include "http/access/caller_limits.hpp"
#include "http/access/concurrency_limit.hpp"
#include "http/message.hpp"

namespace gateway::http {

struct member_visit;

/// The path's values for a pattern's variable segments; empty if the pattern lacks the segment.
struct path_variables {
  std::string_view id;
  std::string_view merchant;
  std::string_view mode;
};

/// One request while its handler runs. Lives in the frame of the coroutine that runs the handler.
struct call {
  worker& here;
  const request& in;
  path_variables path;
  // For signed routes:
  permit allowed{};
  std::string body_sha256{};
  std::optional<rate_verdict> rates{};  ///< of the signer, if it is limited
  // For signed writes:
  std::optional<concurrency_limit::admission> admission{};
  std::string idempotency_key{};  ///< a lower-case UUID
  // For a merchant's pages:
  const member_visit* visit = nullptr;
};

/// Asks the router, with the request's id and as a part of its trace.
boost::asio::awaitable<caf::expected<entity_reply>> ask(call& c, entity_request what);

using handler = boost::asio::awaitable<response> (*)(call&);

enum class access : unsigned char {
  open,          ///< unsigned
  signed_read,   ///< signature and scope
  signed_write,  ///< signature, scope and Idempotency-Key
  member_page,   ///< a page of the portal, for the merchant's members
  member_form,   ///< a post from such a page, by an owner
};

/// Whom a signed request acts for.
enum class acts_as : unsigned char {
  merchant,  ///< a merchant, by its own key or by a platform's
  platform,  ///< the signing platform: no environment, merchant or scope. The handler rejects a merchant's key
  platforms_merchant,  ///< a merchant, by a platform's key; the handler rejects a merchant's, whatever its scopes
};

struct endpoint {
  std::string_view method;
  std::string_view pattern;
  handler run;
  access needs = access::open;
  scope allowed_by = scope::all;
  acts_as subject = acts_as::merchant;
  error_style errors = error_style::usual;
  std::optional<deprecation> ends{};  ///< set if deprecated: its answers then say so
};

struct found_endpoint {
  const endpoint* what = nullptr;
  path_variables path;
};

/// The endpoint, or the 404 or 405 for the request. A 405's route is the pattern whose methods it lists.
std::variant<found_endpoint, response> find_endpoint(std::span<const endpoint> table, std::string_view method,
                                                     std::string_view path);

/// Runs the request's handler. An exception is logged and becomes a 500.
boost::asio::awaitable<response> serve(worker& here, request& in, std::span<const endpoint> table);

}  // namespace gateway::http
