// The errors that callers can meet, from the one catalogue, as a part of a page. For sources of this folder only.
#pragma once

namespace ctemplate {
class TemplateDictionary;
}  // namespace ctemplate

namespace gateway::http {

void show_error_list(ctemplate::TemplateDictionary& page, const char* place);

}  // namespace gateway::http
