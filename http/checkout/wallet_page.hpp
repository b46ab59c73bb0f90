// The page whose form leads a customer to a provider's page, and the page after the return.
#pragma once

#include <optional>
#include <string_view>

#include "customer_page.hpp"
#include "gateway/base/keyring.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/ports/provider_adapter.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// The payment that a link's token names; nullopt if the gateway did not make the token for such a page. The token
/// holds `form`, merchant, environment and payment, one per line. So the sandbox's pages reject it, and this page
/// rejects their tokens.
std::optional<entity_key> read_form_link(std::string_view token, const crypto::derived_keys& key);

/// A page with one button, which posts the form to the page's own address. The gateway's answer makes the browser post
/// it to the provider; the policy allows no other target.
response wallet_page(const payment& subject, const checkout_view& seen, const hosted_form& form);

/// Redirects to the merchant once the payment's outcome is known; until then shows a page that says so, or that this
/// attempt has failed and the customer can try again.
response after_wallet(const payment& subject, const checkout_view& seen);

}  // namespace gateway::http
