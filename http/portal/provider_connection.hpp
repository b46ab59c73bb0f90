// How a merchant connects a provider, from any page: the providers offered, the redirect to the provider, and the
// return.
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

/// Whether a route of the merchant's leads to a connected provider.
bool can_be_charged(const merchant& who, environment env);

/// Whether merchants of this kind can connect that provider in this environment.
bool is_offered(const services& shared, const merchant& who, environment env, const provider_traits& row);
/// Hides the provider's name where a wallet merchant must not know it.
std::string_view shown_name(const provider_traits& row) noexcept;
/// CSP sources for a merchant's form that connects a provider. A browser checks the redirects after the post against
/// them, and a provider's onboarding address is known only once the provider has been asked.
std::string_view connecting_targets(const services& shared, const merchant& who, environment env);

/// The account to open, and the page to return to.
struct connection_request {
  merchant_id merchant;
  environment env = environment::live;
  provider_kind provider = provider_kind::sandbox;
  std::string back;  ///< must satisfy is_local_target()
};
/// Sets the connection to pending and redirects the browser to the provider; or returns the page that says that nothing
/// was changed. A provider without onboarding is connected at once. The merchant must be in the directory. `note`: for
/// a signed-in person.
boost::asio::awaitable<response> begin_connecting(call& c, connection_request what, std::optional<save_audit> note);

/// Handles the browser's return from a provider over HTTPS. Sets the connection to the status that the provider
/// reports, and redirects the browser onwards. If the provider does not answer, the next page shows that the connection
/// is still pending. The merchant must be in the directory.
boost::asio::awaitable<response> finish_onboarding(call& c, connection_request what);

}  // namespace gateway::http
