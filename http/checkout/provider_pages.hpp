// The page whose form leads customers to a provider's page, and the pages that they return to.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// GET /v1/public/pay/{id}: the link's token authorises it. The address names no provider, because merchants that must
/// not know the provider also receive it.
boost::asio::awaitable<response> show_wallet_page(call& c);

/// POST /v1/public/pay/{id}: the form of that page. Records that the customer goes to the provider, and makes the
/// browser post the same form there. The gateway does not read the form, because the provider checks the form's hash.
boost::asio::awaitable<response> pass_on_wallet_form(call& c);

/// POST /v1/public/providers/{merchant}/{mode}/return, where {merchant} is the provider's kind. The browser posts it
/// from the provider's site, so it carries no CSRF token of the gateway. It must carry the provider's signature, and it
/// changes only what the provider confirms when the gateway asks it.
boost::asio::awaitable<response> return_from_provider(call& c);

/// GET /checkout/returned: where a customer returns to from a bank if the payment names no page of the shop. What the
/// provider adds to the address is not read, so the page does not state the payment's outcome.
boost::asio::awaitable<response> show_returned_page(call& c);

}  // namespace gateway::http
