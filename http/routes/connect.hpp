// The consent screen: a merchant's owner lets a platform act for the merchant.
#pragma once

#include <string>
#include <string_view>

#include "table.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_consent(call& c);
boost::asio::awaitable<response> answer_consent(call& c);

/// CSP sources that a browser may be sent to that signs in and goes on to this consent screen (a local target), each
/// behind a blank; empty if it stays here.
std::string consent_form_targets(const services& shared, std::string_view local);

}  // namespace gateway::http
