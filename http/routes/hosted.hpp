// Where customers act at the sandbox: its hosted page, as browsers meet it, and what stands for its SDK.
#pragma once

#include <string>

#include "http/pages/forms.hpp"
#include "table.hpp"

namespace gateway::http {

/// What customers know the merchant by.
boost::asio::awaitable<std::string> shop_name(worker& here, merchant_id id);
/// Whether the form was posted from a checkout's page that this browser was shown, by the link of this call.
bool is_genuine_checkout(const call& c, const form& sent);

boost::asio::awaitable<response> show_hosted_page(call& c);
boost::asio::awaitable<response> act_on_hosted_page(call& c);
/// POST /sandbox/confirm, unsigned: the client secret of a charge that waits for its customer is the permission.
boost::asio::awaitable<response> confirm_by_sdk(call& c);

}  // namespace gateway::http
