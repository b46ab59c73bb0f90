// The types of events, from docs/events/: the answer that lists their schemas, and a part of a page.
#pragma once

#include "http/message.hpp"

namespace ctemplate {
class TemplateDictionary;
}  // namespace ctemplate

namespace gateway::http {

/// GET /v1/event_types
response event_types_answer();

/// A section for each type.
void show_event_types(ctemplate::TemplateDictionary& page, const char* place);

}  // namespace gateway::http
