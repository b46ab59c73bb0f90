// Schemas of an OpenAPI document: references followed, what is composed put together, and all of it as lists of fields.
// For sources of this folder only.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "openapi.hpp"

namespace gateway::http::openapi {

namespace json = boost::json;

/// How deep references may lead to references, and schemas lie in schemas. A schema within itself ends there.
inline constexpr int deepest = 24;

/// The object behind `$ref`s, or the value itself. Throws std::runtime_error where one leads nowhere.
const json::value& resolved(const json::value& document, const json::value& part);
/// What the `$ref` of this part ends in: `Payment` of `#/components/schemas/Payment`. Empty without one.
std::string_view name_of_reference(const json::value& part);
/// Empty where there is no such text.
std::string text_of(const json::object& of, std::string_view name);
const json::object* object_of(const json::object& of, std::string_view name);
const json::array* array_of(const json::object& of, std::string_view name);
bool flag_of(const json::object& of, std::string_view name);

std::string anchor_of_schema(std::string_view name);
schema_view view_of_schema(const json::value& document, const json::value& schema);
/// The value of a parameter, a header or a property.
member_view view_of_field(const json::value& document, std::string_view name, const json::value& schema);
/// Over several lines.
std::string indented(const json::value& value);

}  // namespace gateway::http::openapi
