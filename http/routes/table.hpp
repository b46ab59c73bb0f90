// Method and path pattern to handler. A pattern has at most one variable segment, written `{id}`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include "error_style.hpp"
#include "http/access/authorization.hpp"
#include "http/access/concurrency_limit.hpp"
#include "http/message.hpp"
#include "http/worker.hpp"

namespace gateway::http {

/// One request on its way through its handler. Lives in the frame of the coroutine that runs the handler.
struct call {
  worker& here;
  const request& in;
  std::string_view id;  ///< the path's variable segment
  // Of signed routes.
  permit allowed{};
  std::string body_sha256{};
  // Of signed writes.
  std::optional<concurrency_limit::admission> admission{};
  std::string idempotency_key{};  ///< a lower-case UUID
};

using handler = boost::asio::awaitable<response> (*)(call&);

enum class access : unsigned char {
  open,          ///< unsigned
  signed_read,   ///< signature and scope
  signed_write,  ///< signature, scope and Idempotency-Key
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
};

struct found_endpoint {
  const endpoint* what = nullptr;
  std::string_view id;
};

/// The endpoint, or the 404 or 405 that the request gets. A 405's route is the pattern whose methods it lists.
std::variant<found_endpoint, response> find_endpoint(std::span<const endpoint> table, std::string_view method,
                                                     std::string_view path);

/// Runs the request's handler. What it throws is logged and becomes a 500.
boost::asio::awaitable<response> serve(worker& here, request& in, std::span<const endpoint> table);

}  // namespace gateway::http
