// What an operator configures of a provider, from the JSON that gatewayctl sends.
#pragma once

#include <string_view>

#include "decoded.hpp"
#include "gateway/directory_commands.hpp"
#include "gateway/provider_adapter.hpp"

namespace gateway::http {

/// A value beyond this is refused.
inline constexpr std::size_t most_setting_bytes = 4 * 1024;

/// All settings of the provider, checked by its adapter: a fault names the setting, and the names that there are. Never
/// a value. An empty value counts as not set. `dev`: addresses on this machine may be http.
decoded<configure_provider> decode_configure_provider(std::string_view body, std::size_t json_depth,
                                                      const provider_adapters& adapters, bool dev);
/// To none of them: which provider in which mode.
decoded<configure_provider> decode_remove_provider(std::string_view body, std::size_t json_depth,
                                                   const provider_adapters& adapters);

}  // namespace gateway::http
