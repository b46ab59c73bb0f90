// Errors under the portal's addresses: pages for people, each with a link that leads on.
#pragma once

#include <string_view>

#include "http/fwd.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// Whether the path belongs to the portal, even if there is no such page.
bool is_of_portal(std::string_view path) noexcept;
/// Turns an error in the API's JSON format into a page, and adds a link to the portal to every error page.
response with_link_back(const services& shared, response out);

}  // namespace gateway::http
