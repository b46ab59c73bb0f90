// The pairs of a query, or of a form that a browser posts (`application/x-www-form-urlencoded`), decoded as browsers
// and web servers do. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "gateway/domain/authorize_request.hpp"

namespace gateway::http {

inline constexpr std::size_t most_query_bytes = 64 * 1024;
inline constexpr std::size_t most_query_parameters = 256;

/// All pairs in order, repeats included. A plus is a space, `%XX` is that byte, and a percent sign before anything else
/// is literal; a name without `=` has an empty value. Nothing if the text exceeds the limit on bytes or on pairs.
std::optional<std::vector<query_parameter>> read_query(std::string_view text);

}  // namespace gateway::http
