// What a caller may do: the one place that turns who asks into a permit, or rejects the request.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include "caller.hpp"
#include "http/errors.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// Whom a request acts for. Handlers know nothing else of their caller.
struct permit {
  merchant_id merchant;
  environment env = environment::test;
  std::string principal;  ///< of its idempotency keys (command_key); empty for the merchant itself
};

using ruling = std::variant<permit, rejection>;

/// The ruling itself where the published snapshot is enough for it, which spares the busiest requests a coroutine. An
/// operation to await where something must be looked up first.
using authorization = std::variant<ruling, boost::asio::awaitable<ruling>>;

/// Service-Merchant, then the scope that the operation needs.
authorization authorize(caller who, const request& in, scope needed);

/// A body may name its merchant. Rejected if that is not the one whom the request acts for; an empty name is none.
std::optional<rejection> check_merchant(const permit& allowed, const merchant_id& named);

}  // namespace gateway::http
