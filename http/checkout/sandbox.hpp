// The sandbox's side for customers: its hosted page, and the endpoint that stands in for its SDK.
#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"
#include "http/html/forms.hpp"

namespace gateway::http {

/// The merchant's name as customers see it.
boost::asio::awaitable<std::string> shop_name(worker& here, merchant_id id);
/// Whether the form was posted from a checkout page that this browser was shown under this call's link.
bool is_genuine_checkout(const call& c, const form& sent);

boost::asio::awaitable<response> show_hosted_page(call& c);
boost::asio::awaitable<response> act_on_hosted_page(call& c);
/// POST /sandbox/confirm, unsigned: the client secret of a charge that waits for its customer authorises it.
boost::asio::awaitable<response> confirm_by_sdk(call& c);

}  // namespace gateway::http
