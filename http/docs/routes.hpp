// The public documentation of the interface, for people and programs.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// GET /docs
boost::asio::awaitable<response> show_documentation(call& c);
/// GET /docs/{id}
boost::asio::awaitable<response> show_document(call& c);
/// GET /docs/search?q=
boost::asio::awaitable<response> search_documentation(call& c);
/// GET /docs/samples.js
boost::asio::awaitable<response> show_samples_script(call& c);
/// GET /docs/ and /docs/{id}/: redirects to the page's address without the final slash.
boost::asio::awaitable<response> go_to_document(call& c);
/// GET /v1/event_types
boost::asio::awaitable<response> show_event_types(call& c);
/// GET /openapi.json
boost::asio::awaitable<response> show_openapi(call& c);

}  // namespace gateway::http
