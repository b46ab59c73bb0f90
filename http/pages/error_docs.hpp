// GET /docs/errors: every code that callers can meet, from the one catalogue.
#pragma once

#include "http/message.hpp"

namespace gateway::http {

response error_docs_page();

}  // namespace gateway::http
