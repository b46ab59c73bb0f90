// The style that gives a shop's pages its colour.
#pragma once

#include <string>
#include <string_view>

namespace gateway::http {

/// CSS for a colour as in branding; empty for the empty one.
std::string brand_style(std::string_view colour);

}  // namespace gateway::http
