// The page from which a customer goes on to a provider's own, by a form, and what is shown when the customer is back.
#pragma once

#include <optional>
#include <string_view>

#include "gateway/domain/payment.hpp"
#include "gateway/provider_adapter.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// The payment of which a link's token is. Nothing if the gateway did not make it for such a page: `form`, merchant,
/// environment and payment, each a line of its own, so that it opens no page of a sandbox's, nor theirs this one.
std::optional<entity_key> read_form_link(std::string_view token, std::string_view key);

/// One button, which posts the form to the provider and nowhere else.
response wallet_page(const payment& subject, std::string_view merchant_name, const hosted_form& form);

/// Back to the merchant once it is known what became of the payment; until then a page that says so.
response after_wallet(const payment& subject);

}  // namespace gateway::http
