// A request's body in Stripe's form encoding: `name=value&map[key]=value`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gateway::actors::stripe {

class form {
 public:
  /// `name` is one of Stripe's and is not escaped, brackets included.
  form& add(std::string_view name, std::string_view value);
  form& add(std::string_view name, std::int64_t value);
  /// Adds nothing if the value is empty: Stripe removes a value that is set to an empty one.
  form& add_unless_empty(std::string_view name, std::string_view value);
  /// `map[key]`. The key may come from a caller, so it is escaped.
  form& add_to(std::string_view map, std::string_view key, std::string_view value);

  const std::string& text() const noexcept { return text_; }

 private:
  void begin_pair();

  std::string text_;
};

/// At most `most` characters of valid UTF-8.
std::string_view first_characters(std::string_view utf8, std::size_t most) noexcept;
/// At most `most` bytes of valid UTF-8, without partial characters.
std::string_view first_bytes(std::string_view utf8, std::size_t most) noexcept;

}  // namespace gateway::actors::stripe
