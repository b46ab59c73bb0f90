// A request's body in the form that Stripe reads: `name=value&map[key]=value`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gateway::actors::stripe {

class form {
 public:
  /// `name` is one of Stripe's and stands as it is, brackets included.
  form& add(std::string_view name, std::string_view value);
  form& add(std::string_view name, std::int64_t value);
  /// Adds nothing where there is no value: Stripe takes an empty one for the wish to remove something.
  form& add_unless_empty(std::string_view name, std::string_view value);
  /// `map[key]`. The key may be anybody's.
  form& add_to(std::string_view map, std::string_view key, std::string_view value);

  const std::string& text() const noexcept { return text_; }

 private:
  void begin_pair();

  std::string text_;
};

/// At most that many characters of valid UTF-8.
std::string_view first_characters(std::string_view utf8, std::size_t most) noexcept;
/// At most that many bytes of valid UTF-8, and no character in part.
std::string_view first_bytes(std::string_view utf8, std::size_t most) noexcept;

}  // namespace gateway::actors::stripe
