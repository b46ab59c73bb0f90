// Writes JSON straight into a string, for the answers on the hot path: building a tree of values first costs several
// times as much as writing the bytes. Names and values are escaped.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/base/json_text.hpp"

namespace gateway::http {

/// One object's members, in the order of the calls. The destructor closes the object.
class json_object {
 public:
  explicit json_object(std::string& out) : out_(out) { out_ += '{'; }
  ~json_object() { out_ += '}'; }
  json_object(const json_object&) = delete;
  json_object& operator=(const json_object&) = delete;

  void text(std::string_view name, std::string_view value) { append_json_string(member(name), value); }
  /// Omits an empty value.
  void text_if(std::string_view name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }
  void number(std::string_view name, std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    member(name).append(digits, end);
  }
  void boolean(std::string_view name, bool value) { member(name) += value ? "true" : "false"; }

  /// Starts a member whose value the caller appends to the returned string.
  std::string& member(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    append_json_string(out_, name);
    out_ += ':';
    return out_;
  }

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace gateway::http
