// Headers that routes look up by name: those of providers, each of which has its own signature scheme.
#pragma once

#include <optional>
#include <string_view>

namespace gateway::http {

/// The value of the first header with that name, without surrounding white space; a view into `head`, which is as in
/// request. Names are case-insensitive.
std::optional<std::string_view> first_header(std::string_view head, std::string_view name) noexcept;

}  // namespace gateway::http
