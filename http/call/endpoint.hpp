// An address of the interface: its method and path pattern, its checks, and its handler. A pattern's variable segments
// are written `{id}`, `{merchant}` and `{mode}`.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "deprecation.hpp"
#include "error_style.hpp"
#include "gateway/domain/scopes.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

using handler = boost::asio::awaitable<response> (*)(call&);

enum class access : unsigned char {
  open,          ///< no signature: the handler itself checks who asks
  signed_read,   ///< signature and scope
  signed_write,  ///< signature, scope and Idempotency-Key
};

/// Whom a signed request acts for.
enum class acts_as : unsigned char {
  merchant,  ///< a merchant, by its own key or by a platform's
  platform,  ///< the signing platform: no environment, merchant or scope. The handler rejects a merchant's key
  reader_of_events,  ///< a merchant, or a platform for one merchant or for all that granted it access, now or before
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
  std::optional<deprecation> ends{};  ///< set if deprecated: each answer then has the headers
  std::span<const std::string_view> body{};  ///< of a merchant's write: the fields of its body (body_fields.hpp)
};

/// The endpoint with the fields of its body.
constexpr endpoint with_body(endpoint what, std::span<const std::string_view> fields) {
  what.body = fields;
  return what;
}

}  // namespace gateway::http
