// What people and programs read about the interface, for everybody.
#pragma once

#include "table.hpp"

namespace gateway::http {

/// GET /docs
boost::asio::awaitable<response> show_documentation(call& c);
/// GET /docs/{id}
boost::asio::awaitable<response> show_document(call& c);
/// GET /docs/ and /docs/{id}/: the page's one address has no slash at its end.
boost::asio::awaitable<response> go_to_document(call& c);
/// GET /openapi.json
boost::asio::awaitable<response> show_openapi(call& c);

}  // namespace gateway::http
