// The style that gives a shop's pages its colour.
#pragma once

#include <string>
#include <string_view>

namespace gateway::http {

/// CSS for a merchant's colour (gateway/domain/branding.hpp); empty if the colour is.
std::string brand_style(std::string_view colour);

}  // namespace gateway::http
