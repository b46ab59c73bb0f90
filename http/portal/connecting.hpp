// How a merchant connects a provider, from whichever page: which ones are offered, the way to the provider, and the way
// back from there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/merchant.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/provider_states.hpp"
#include "gateway/store.hpp"
#include "http/routes/table.hpp"

namespace gateway::http {

/// Whether some route of the merchant's leads to a connected provider.
bool can_be_charged(const merchant& who, environment env);

/// Which providers anything can be sent to.
provider_states states_in(const services& shared, environment env);
/// Whether merchants of this kind connect that provider in this environment.
bool is_offered(const services& shared, const merchant& who, environment env, const provider_traits& row);
/// A wallet entity does not learn of its provider.
std::string_view shown_name(const provider_traits& row) noexcept;
/// CSP sources: where a form of the merchant's leads to that connects a provider. A browser holds the redirects that
/// follow against them, and where a provider sends its merchants is known only once it has been asked.
std::string_view connecting_targets(const services& shared, const merchant& who, environment env);

/// Where the account is asked for, and where the browser comes back to.
struct connecting {
  merchant_id merchant;
  environment env = environment::live;
  provider_kind provider = provider_kind::sandbox;
  std::string back;  ///< as is_local_target() has it
};
/// The connection waits for its provider, and the browser goes there; or the page that tells that nothing was changed.
/// A provider that has nothing to ask for is connected at once. The merchant is known.
/// `note`: of somebody who has signed in.
boost::asio::awaitable<response> begin_connecting(call& c, connecting what, std::optional<save_audit> note);

/// The browser has come back from a provider over HTTPS. The connection follows what the provider says, and the browser
/// goes on: where nothing is heard, the page there tells that the connection still waits. The merchant is known.
boost::asio::awaitable<response> come_back_to(call& c, connecting what);

}  // namespace gateway::http
