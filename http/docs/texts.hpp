// The files from which /docs is made, embedded by CMake (texts.cpp.in): docs/served/, docs/examples/, docs/events/ and
// docs/openapi.json.
#pragma once

#include <span>
#include <string_view>

namespace gateway::http {

struct document_text {
  std::string_view name;
  std::string_view text;
};

/// docs/served/NAME.md, by NAME.
std::span<const document_text> served_texts() noexcept;
/// docs/examples/NAME, by NAME: `python/create_payment.py`.
std::span<const document_text> example_texts() noexcept;
/// docs/events/TYPE.json, by TYPE: the JSON Schema of the data of events of this type.
std::span<const document_text> event_schema_texts() noexcept;
/// An OpenAPI 3.1 document.
std::string_view openapi_text() noexcept;

}  // namespace gateway::http
