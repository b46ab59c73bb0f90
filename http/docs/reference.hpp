// The reference of the OpenAPI document as parts of pages. For sources of this folder only.
#pragma once

#include "markdown.hpp"
#include "reference_pages.hpp"

namespace ctemplate {
class TemplateDictionary;
}  // namespace ctemplate

namespace gateway::http {

/// Links every operation, schema and shared header, each under the anchor that it has on its own page.
void show_reference_index(ctemplate::TemplateDictionary& page, const char* place);
void show_reference_page(ctemplate::TemplateDictionary& page, const char* place, const reference_page& what);
/// The headings of the index, and of such a page.
std::vector<markdown_heading> reference_index_headings();
std::vector<markdown_heading> reference_headings(const reference_page& what);

}  // namespace gateway::http
