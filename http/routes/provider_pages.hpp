// Where customers leave for a provider's own page by a form, and where they come back to.
#pragma once

#include "table.hpp"

namespace gateway::http {

/// GET /v1/public/pay/{id}: the link's token is the permission. The address names no provider, as merchants who are not
/// to know of it are told of it.
boost::asio::awaitable<response> show_wallet_page(call& c);

/// POST /v1/public/providers/{merchant}/{mode}/return, where {merchant} stands for the provider's kind. It comes from
/// the provider's site and so carries no token of ours: whoever can sign as the provider may send it, and it changes
/// nothing that the provider does not say when it is asked.
boost::asio::awaitable<response> return_from_provider(call& c);

/// GET /checkout/returned: where a customer comes back to from a bank, whose payment names no page of the shop. What
/// the provider adds to the address is not read, so that the page says nothing of what became of the payment.
boost::asio::awaitable<response> show_returned_page(call& c);

}  // namespace gateway::http
