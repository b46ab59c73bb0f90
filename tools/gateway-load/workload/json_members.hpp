// Reads optional members of a JSON object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace gateway::load {

/// Empty if the member is missing or no text.
inline std::string text_member_of(const boost::json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  const auto* text = found ? found->if_string() : nullptr;
  return text ? std::string{text->data(), text->size()} : std::string{};
}

/// -1 if the member is missing or no whole number.
inline std::int64_t number_member_of(const boost::json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  const auto* number = found ? found->if_int64() : nullptr;
  return number ? *number : -1;
}

}  // namespace gateway::load
