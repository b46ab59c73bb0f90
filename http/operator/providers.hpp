// The operator socket's routes for the providers' configuration.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// The settings are checked by the provider's adapter before the directory is asked.
boost::asio::awaitable<response> configure_a_provider(call& c);
boost::asio::awaitable<response> remove_provider_settings(call& c);
/// From the published snapshot; never contains a secret.
boost::asio::awaitable<response> list_providers(call& c);

}  // namespace gateway::http
