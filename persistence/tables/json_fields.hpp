// Shared by the readers and writers of JSON columns. Internal to persistence/.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "gateway/domain/payment.hpp"
#include "persistence/connection/rows.hpp"

namespace gateway::persistence {

namespace json = boost::json;

inline std::string text_of(const json::value& v) { return std::string{v.as_string()}; }

template <class Value>
Value known(std::optional<Value> parsed, const char* what) {
  if (!parsed) throw corrupt_row(std::string{"unknown "} + what);
  return *parsed;
}

/// Reads a value with `take`. Any error in the text throws corrupt_row.
template <class Take>
auto from_value(std::string_view text, const char* column, Take take) {
  try {
    return take(json::parse(text));
  } catch (const corrupt_row&) {
    throw;
  } catch (const std::exception&) {
    throw corrupt_row(std::string{"unreadable JSON in column "} + column);
  }
}

template <class Take>
auto from_object(std::string_view text, const char* column, Take take) {
  return from_value(text, column, [&](const json::value& parsed) { return take(parsed.as_object()); });
}

json::object object_of(const provider_error& error);
provider_error error_of(const json::object& object);

}  // namespace gateway::persistence
