// The pages under /docs: Markdown from docs/served/, the table of errors (http/errors.hpp), and the reference of the
// OpenAPI document. All are made once, when the first is requested.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "http/message.hpp"
#include "markdown.hpp"
#include "search.hpp"

namespace gateway::http {

/// The names of the pages, in reading order. `index` is /docs itself, the others are /docs/NAME.
std::span<const std::string_view> document_names();

/// Nothing if there is no such page.
std::optional<response> document_page(std::string_view name);

std::string_view document_title(std::string_view name);
/// The headings below the title, in their order.
std::span<const markdown_heading> document_headings(std::string_view name);

/// The page with the search's form, and with what was found for a query that is not empty.
response search_page(std::string_view query, std::span<const search_hit> hits);

/// GET /docs/samples.js: the script of the pages, for tabs and for copying code; the only script of the gateway.
response script_answer();
/// GET /openapi.json
response openapi_answer();

}  // namespace gateway::http
