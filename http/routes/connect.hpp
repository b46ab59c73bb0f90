// The consent screen, where a merchant's owner authorises a platform to act for the merchant.
#pragma once

#include <string>
#include <string_view>

#include "table.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_consent(call& c);
boost::asio::awaitable<response> answer_consent(call& c);

/// CSP sources to which a browser may be redirected after it signs in and continues to this consent screen (a local
/// target), each preceded by a space; empty if it stays on this site.
std::string consent_form_targets(const services& shared, std::string_view local);

}  // namespace gateway::http
