// The page `/console/parts`, with every design part of portal and console in each state, made from the blocks and
// templates of the real pages. Served under `dev` only.
#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"
#include "http/html/blocks.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// Every kind of block, value and input at least once. `csrf` is for the forms, which change nothing.
std::vector<blocks::section> parts_sections(const std::string& csrf);

boost::asio::awaitable<response> show_parts(call& c);
/// Refuses a form of the page, and shows the faults. Changes nothing.
boost::asio::awaitable<response> act_on_parts(call& c);

}  // namespace gateway::http
