// The pairs of a query, or of a form that a browser posts: `application/x-www-form-urlencoded`, read as browsers and
// their servers do. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "gateway/domain/authorize_request.hpp"

namespace gateway::http {

inline constexpr std::size_t most_query_bytes = 64 * 1024;
inline constexpr std::size_t most_query_parameters = 256;

/// All pairs in their order, repeats included. A plus is a blank, `%XX` is that byte, and a percent sign before
/// anything else is itself; a name without `=` has an empty value. Nothing if there are more bytes or pairs than a
/// reader should be made to look at.
std::optional<std::vector<query_parameter>> read_query(std::string_view text);

}  // namespace gateway::http
