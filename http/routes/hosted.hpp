// Where customers act at the sandbox: its hosted page, as browsers meet it, and what stands for its SDK.
#pragma once

#include "table.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_hosted_page(call& c);
boost::asio::awaitable<response> act_on_hosted_page(call& c);
/// POST /sandbox/confirm, unsigned: the client secret of a charge that waits for its customer is the permission.
boost::asio::awaitable<response> confirm_by_sdk(call& c);

}  // namespace gateway::http
