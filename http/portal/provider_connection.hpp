// How a merchant connects a provider: the providers offered, the redirect to the provider, and the return.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "gateway/domain/merchant.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/provider_states.hpp"
#include "gateway/ports/store/people_rows.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// Whether one of the merchant's routes leads to a connected provider.
bool can_be_charged(const merchant& who, environment env);

/// Whether merchants of this kind can connect the provider in this environment.
bool is_offered(const services& shared, const merchant& who, environment env, const provider_traits& row);
/// The provider's name, or `Wallet` where a merchant must not know the name.
std::string_view shown_name(const provider_traits& row) noexcept;
/// CSP sources for a form that connects a provider. A browser also checks redirects after the post, and a provider's
/// onboarding address is known only once the provider was asked.
std::string_view connecting_targets(const services& shared, const merchant& who, environment env);

/// The account to open, and the page to return to.
struct connection_request {
  merchant_id merchant;
  environment env = environment::live;
  provider_kind provider = provider_kind::sandbox;
  std::string back;  ///< must satisfy is_local_target()
};
/// Sets the connection to pending and redirects the browser to the provider, or returns the page that says that nothing
/// was changed. A provider without onboarding is connected at once. The merchant must be in the directory. `note` is
/// given for a signed-in person.
boost::asio::awaitable<response> begin_connecting(call& c, connection_request what, std::optional<save_audit> note);

/// Handles the browser's return from a provider over HTTPS. Stores the status that the provider reports, and redirects
/// the browser to `back`. If the provider does not answer, the connection stays pending. The merchant must be in the
/// directory.
boost::asio::awaitable<response> finish_onboarding(call& c, connection_request what);

}  // namespace gateway::http
