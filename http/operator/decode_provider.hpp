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

/// Reads all settings of a provider; its adapter checks them. A rejection names the faulty setting and the known ones,
/// never a value. An empty value counts as absent. With `dev`, addresses on this machine may use http.
decoded<configure_provider> decode_configure_provider(std::string_view body, std::size_t json_depth,
                                                      const provider_adapters& adapters, bool dev);
/// Reads the provider and the mode. The command has no settings, so it removes the stored ones.
decoded<configure_provider> decode_remove_provider(std::string_view body, std::size_t json_depth,
                                                   const provider_adapters& adapters);

/// Reads a provider, the mode, and the time from which its list of events is read.
decoded<backfill_events> decode_backfill(std::string_view body, std::size_t json_depth);

}  // namespace gateway::http
