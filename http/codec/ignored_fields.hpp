// The names of a body's fields that its operation does not know, for the header `Ignored-Fields`. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace gateway::http {

/// The header's value: the names in the order of the body, each once, at most 20 of them, separated by commas. A name
/// is cut to whole characters of at most 64 bytes. Bytes other than visible ASCII, commas and percent signs are
/// percent-encoded. Empty if the operation knows all fields.
std::string ignored_fields(const simdjson::dom::object& body, std::span<const std::string_view> known);
/// For a body that has not been parsed. Empty if it is no JSON object. Overwrites what this thread parsed last.
std::string ignored_fields(std::string_view body, std::size_t depth, std::span<const std::string_view> known);

}  // namespace gateway::http
