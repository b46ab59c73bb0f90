// An OpenAPI document as a part of a page. For sources of this folder only.
#pragma once

#include <string_view>

namespace ctemplate {
class TemplateDictionary;
}  // namespace ctemplate

namespace gateway::http {

/// Throws std::runtime_error if the text is no JSON, or refers to what it does not have.
void show_reference(ctemplate::TemplateDictionary& page, const char* place, std::string_view openapi);

}  // namespace gateway::http
