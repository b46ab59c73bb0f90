// The pages under /docs: Markdown from docs/served/, the table of errors (http/errors.hpp), and the reference of the
// OpenAPI document. Each is made once, on its first request.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "http/message.hpp"
#include "markdown.hpp"
#include "search.hpp"

namespace gateway::http {

/// Of the pages, in the order in which one reads them. `index` is /docs itself, the others /docs/NAME.
std::span<const std::string_view> document_names();

/// Nothing if there is no such page.
std::optional<response> document_page(std::string_view name);

std::string_view document_title(std::string_view name);
/// The headings below the title, in their order.
std::span<const markdown_heading> document_headings(std::string_view name);

/// The page with the search's form, and with what was found for a query that is not empty.
response search_page(std::string_view query, std::span<const search_hit> hits);

/// GET /docs/samples.js: the script of the pages, for tabs and for copying code. The only one that the gateway serves.
response script_answer();
/// GET /openapi.json
response openapi_answer();

}  // namespace gateway::http
