// One request while its handler runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <caf/expected.hpp>

#include "http/access/authorization.hpp"
#include "http/access/caller_limits.hpp"
#include "http/access/concurrency_limit.hpp"
#include "http/fwd.hpp"
#include "http/message.hpp"
#include "http/server/worker.hpp"
#include "services.hpp"

namespace gateway::http {

/// The path's values for a pattern's variable segments; empty if the pattern lacks the segment.
struct path_variables {
  std::string_view id;
  std::string_view merchant;
  std::string_view mode;
};

/// Lives in the frame of the coroutine that runs the handler.
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
  bool in_test = false;  ///< whether the answer names the body's fields that the operation does not know
  std::optional<std::string> ignored{};  ///< their list, once the body has been decoded
  // For a merchant's pages:
  const member_visit* visit = nullptr;
  request_subject about{};  ///< of the last entity that was asked for
};

/// Asks the router, with the request's id and as a part of its trace.
boost::asio::awaitable<caf::expected<entity_reply>> ask(call& c, entity_request what);

}  // namespace gateway::http
