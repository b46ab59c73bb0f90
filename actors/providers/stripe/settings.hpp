// Stripe's settings, which an operator configures.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/ids.hpp"
#include "gateway/ports/provider_adapter.hpp"

namespace gateway::actors::stripe {

std::span<const provider_setting_row> setting_rows() noexcept;
std::optional<std::string> fault_of_settings(const provider_settings& values, environment env, bool dev);

/// One, or two while the endpoint's secret is being rolled: Stripe then signs with both for a day.
std::vector<std::string_view> webhook_secrets(const provider_settings& values);

/// The settings with this endpoint's secret first. The secret that was first becomes the second, because it may belong
/// to an endpoint that an operator has made and that still sends events.
provider_settings with_endpoint(provider_settings values, std::string_view endpoint, std::string_view secret);

/// Where requests are sent, and with which credentials.
struct access {
  std::string api_base;
  std::string secret_key;
  std::string publishable_key;
  std::string account;  ///< the connected account; empty: the platform's own
};

access access_of(const provider_settings& values, std::string_view account);

}  // namespace gateway::actors::stripe
