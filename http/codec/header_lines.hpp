// Headers that no route knows by name: those of providers, each of which signs in its own way.
#pragma once

#include <optional>
#include <string_view>

namespace gateway::http {

/// What the first header of that name says, without the white space around it. `head`: as in request. Upper and lower
/// case of names are the same. A view into `head`.
std::optional<std::string_view> first_header(std::string_view head, std::string_view name) noexcept;

}  // namespace gateway::http
