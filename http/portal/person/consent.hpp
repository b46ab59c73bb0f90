// The consent screen, where a merchant's owner authorises a platform to act for the merchant.
#pragma once

#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_consent(call& c);
boost::asio::awaitable<response> answer_consent(call& c);

/// CSP sources for a sign-in form that continues to the consent screen at `local`: where the browser may be redirected
/// afterwards. Each is preceded by a space. Empty if the browser stays on this site.
std::string consent_form_targets(const services& shared, std::string_view local);

}  // namespace gateway::http
