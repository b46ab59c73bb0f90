// Errors under the portal's addresses: pages for people, each with a way on.
#pragma once

#include <string_view>

#include "http/fwd.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// Whether the path is the portal's, whether or not there is a page.
bool is_of_portal(std::string_view path) noexcept;
/// Makes a page of an answer that is an error for programs, and adds a link to the portal to an error's page.
response with_way_on(const services& shared, response out);

}  // namespace gateway::http
