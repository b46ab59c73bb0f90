// JSON for tests: answers are read by path, bodies are written field by field.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::e2e {

/// A value, or the absence of one. Reading an absent value never throws; comparing it gives false.
class json {
 public:
  struct node;

  json() = default;
  /// Throws std::runtime_error that shows the text.
  static json parse(std::string_view text);

  /// Follows a path into objects: `provider.error.code`.
  json operator[](std::string_view path) const;
  json at(std::size_t index) const;

  bool present() const noexcept { return value_ != nullptr; }
  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  std::size_t size() const;  ///< the elements of an array or object, else 0
  std::vector<std::string> names() const;
  std::vector<json> items() const;

  std::string text() const;     ///< the value of a string, else empty
  std::int64_t number() const;  ///< the value of an integer; throws for anything else
  std::string dump() const;

  friend bool operator==(const json& left, std::string_view right) { return left.is_string() && left.text() == right; }
  friend bool operator==(const json& left, const std::string& right) { return left == std::string_view{right}; }
  friend bool operator==(const json& left, const char* right) { return left == std::string_view{right}; }
  template <std::integral Number>
  friend bool operator==(const json& left, Number right) {
    if constexpr (std::same_as<Number, bool>)
      return left.is_bool(right);
    else
      return left.is_number(static_cast<std::int64_t>(right));
  }
  friend std::ostream& operator<<(std::ostream& out, const json& value);

 private:
  explicit json(std::shared_ptr<const node> value) : value_(std::move(value)) {}
  bool is_bool(bool expected) const;
  bool is_number(std::int64_t expected) const;

  std::shared_ptr<const node> value_;
};

std::string json_text(std::string_view text);

/// A body under construction, its fields in the order in which they were set.
class object {
 public:
  object& set(std::string_view name, std::string_view value) { return raw(name, json_text(value)); }
  object& set(std::string_view name, const char* value) { return raw(name, json_text(value)); }
  object& set(std::string_view name, const std::string& value) { return raw(name, json_text(value)); }
  object& set(std::string_view name, const object& value) { return raw(name, value.text()); }
  template <std::integral Number>
  object& set(std::string_view name, Number value) {
    if constexpr (std::same_as<Number, bool>)
      return raw(name, value ? "true" : "false");
    else
      return raw(name, std::to_string(value));
  }
  /// `value` is inserted as it is: JSON, or malformed JSON on purpose.
  object& raw(std::string_view name, std::string value);
  object& without(std::string_view name);
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace gateway::e2e
