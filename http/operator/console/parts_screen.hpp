// The page of all design parts, `/console/parts`: what portal and console are made of, in each state, from the blocks
// and templates of the real pages. Served under `dev` only.
#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"
#include "http/html/blocks.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// Each kind of block, of value and of input at least once. `csrf`: for the forms, which change nothing.
std::vector<blocks::section> parts_sections(const std::string& csrf);

boost::asio::awaitable<response> show_parts(call& c);
/// A form of the page: it is refused, as its faults show, and changes nothing.
boost::asio::awaitable<response> act_on_parts(call& c);

}  // namespace gateway::http
