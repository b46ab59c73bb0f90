// Schemas of an OpenAPI document as lists of fields, with references followed and compositions merged. For sources of
// this folder only.
#pragma once

#include <string_view>

#include <boost/json/value.hpp>

#include "json_parts.hpp"
#include "openapi.hpp"

namespace gateway::http::openapi {

std::string anchor_of_schema(std::string_view name);
schema_view view_of_schema(const json::value& document, const json::value& schema);
/// The value of a parameter, a header or a property.
member_view view_of_field(const json::value& document, std::string_view name, const json::value& schema);

}  // namespace gateway::http::openapi
