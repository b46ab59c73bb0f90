// A provider's configuration by an operator, from the JSON that gatewayctl sends.
#pragma once

#include <string_view>

#include "gateway/directory/commands.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/provider_adapter.hpp"
#include "http/codec/decoded.hpp"

namespace gateway::http {

/// A longer value is rejected.
inline constexpr std::size_t most_setting_bytes = 4 * 1024;

/// Reads all settings of a provider; its adapter checks them. A rejection names the setting and the settings that
/// exist, never a value. An empty value counts as not set. `dev`: addresses on this machine may use http.
decoded<configure_provider> decode_configure_provider(std::string_view body, std::size_t json_depth,
                                                      const provider_adapters& adapters, bool dev);
/// Configures no settings. Reads which provider in which mode.
decoded<configure_provider> decode_remove_provider(std::string_view body, std::size_t json_depth,
                                                   const provider_adapters& adapters);

/// Reads any provider of the gateway, the mode, and from when its list of events is read.
decoded<backfill_events> decode_backfill(std::string_view body, std::size_t json_depth);

}  // namespace gateway::http
