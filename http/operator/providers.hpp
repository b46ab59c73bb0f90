// The operator socket's routes for the providers' configuration.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// The provider's adapter checks the settings before they are sent to the directory.
boost::asio::awaitable<response> configure_a_provider(call& c);
boost::asio::awaitable<response> remove_provider_settings(call& c);
/// Reads the published snapshot. Contains no secret.
boost::asio::awaitable<response> list_providers(call& c);

}  // namespace gateway::http
