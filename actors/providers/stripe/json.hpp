// Reads members of untrusted JSON. A null object, a missing member and a member of another type all read as empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <boost/json.hpp>

namespace gateway::actors::stripe {

namespace json = boost::json;

/// Stripe's objects nest about ten deep, including expanded ones.
inline constexpr std::size_t deepest_json = 32;

/// nullopt unless it is one JSON object, in UTF-8, at most that deep.
inline std::optional<json::value> parse_object(std::string_view text) {
  json::parse_options options;
  options.max_depth = deepest_json;
  json::error_code failed;
  auto parsed = json::parse({text.data(), text.size()}, failed, {}, options);
  if (failed || !parsed.is_object()) return std::nullopt;
  return parsed;
}

inline const json::value* value_in(const json::object* object, std::string_view name) noexcept {
  return object ? object->if_contains({name.data(), name.size()}) : nullptr;
}

inline const json::object* member(const json::object* object, std::string_view name) noexcept {
  const auto* found = value_in(object, name);
  return found ? found->if_object() : nullptr;
}

inline const json::array* list(const json::object* object, std::string_view name) noexcept {
  const auto* found = value_in(object, name);
  return found ? found->if_array() : nullptr;
}

inline std::string_view word(const json::object* object, std::string_view name) noexcept {
  const auto* found = value_in(object, name);
  const auto* text = found ? found->if_string() : nullptr;
  return text ? std::string_view{text->data(), text->size()} : std::string_view{};
}

inline std::int64_t number(const json::object* object, std::string_view name) noexcept {
  const auto* found = value_in(object, name);
  const auto* whole = found ? found->if_int64() : nullptr;
  return whole ? *whole : 0;
}

inline bool flag(const json::object* object, std::string_view name) noexcept {
  const auto* found = value_in(object, name);
  const auto* truth = found ? found->if_bool() : nullptr;
  return truth && *truth;
}

}  // namespace gateway::actors::stripe
