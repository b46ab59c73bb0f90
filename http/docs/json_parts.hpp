// Reading members of an OpenAPI document. For sources of this folder only.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace gateway::http::openapi {

namespace json = boost::json;

/// How deep references may lead to references, and schemas lie in schemas. A schema within itself ends there.
inline constexpr int deepest = 24;

/// What the `$ref` of this part leads to in one step, or the part itself. Throws std::runtime_error where it leads
/// nowhere.
const json::value* referred(const json::value& document, const json::value* part);
/// The object behind `$ref`s, or the value itself. Throws std::runtime_error where one leads nowhere.
const json::value& resolved(const json::value& document, const json::value& part);
/// What the `$ref` of this part ends in: `Payment` of `#/components/schemas/Payment`. Empty without one.
std::string_view name_of_reference(const json::value& part);
/// Empty where there is no such text.
std::string text_of(const json::object& of, std::string_view name);
const json::object* object_of(const json::object& of, std::string_view name);
const json::array* array_of(const json::object& of, std::string_view name);
bool flag_of(const json::object& of, std::string_view name);

/// Over several lines.
std::string indented(const json::value& value);

}  // namespace gateway::http::openapi
