// Reading members of an OpenAPI document. For sources of this folder only.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace gateway::http::openapi {

namespace json = boost::json;

/// The most references in a row, and the deepest nesting of schemas. A schema that contains itself ends there.
inline constexpr int deepest = 24;

/// The target of this part's `$ref`, which may have a `$ref` itself; the part if it has none. Throws std::runtime_error
/// if there is no such target.
const json::value* referred(const json::value& document, const json::value* part);
/// The same, with all `$ref`s followed.
const json::value& resolved(const json::value& document, const json::value& part);
/// The last segment of this part's `$ref`: `Payment` of `#/components/schemas/Payment`; empty if it has none.
std::string_view name_of_reference(const json::value& part);
/// Empty if there is no text of that name.
std::string text_of(const json::object& of, std::string_view name);
const json::object* object_of(const json::object& of, std::string_view name);
const json::array* array_of(const json::object& of, std::string_view name);
bool flag_of(const json::object& of, std::string_view name);

/// The JSON over several lines.
std::string indented(const json::value& value);

}  // namespace gateway::http::openapi
