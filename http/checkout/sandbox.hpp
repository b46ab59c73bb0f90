// The sandbox's side for customers: its hosted page, and the endpoint that stands in for a provider's SDK.
#pragma once

#include <optional>

#include <boost/asio/awaitable.hpp>

#include "hosted_page.hpp"
#include "http/fwd.hpp"
#include "http/html/forms.hpp"

namespace gateway::http {

/// Whether the form was posted from a checkout page that this browser was shown under this call's link.
bool is_genuine_checkout(const call& c, const form& sent);

/// The visitor of this call's page.
page_visitor visitor_of(const call& c);
/// The page again, with the faults of the card beside its fields; nothing if the card is approved.
std::optional<response> refused_card_page(const call& c, const form& sent, const checkout& what,
                                          const checkout_view& seen);

boost::asio::awaitable<response> show_hosted_page(call& c);
boost::asio::awaitable<response> act_on_hosted_page(call& c);
/// POST /sandbox/confirm, unsigned: the client secret of a charge that waits for its customer authorises it.
boost::asio::awaitable<response> confirm_by_sdk(call& c);

}  // namespace gateway::http
