// How a merchant connects a provider, from whichever page: which ones are offered, and the way to the provider.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/merchant.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/store.hpp"
#include "http/routes/table.hpp"

namespace gateway::http {

/// Whether some route of the merchant's leads to a connected provider.
bool can_be_charged(const merchant& who, environment env);

/// Whether merchants of this kind connect that provider in this environment.
bool is_offered(const services& shared, const merchant& who, environment env, const provider_traits& row);
/// A wallet entity does not learn of its provider.
std::string_view shown_name(const provider_traits& row) noexcept;

/// Where the account is asked for, and where the browser comes back to.
struct connecting {
  merchant_id merchant;
  environment env = environment::live;
  provider_kind provider = provider_kind::sandbox;
  std::string back;  ///< as is_local_target() has it
};
/// The connection waits for its provider, and the browser goes there; or the page that tells that nothing was changed.
/// `note`: of somebody who has signed in.
boost::asio::awaitable<response> begin_connecting(call& c, connecting what, std::optional<save_audit> note);

}  // namespace gateway::http
