#include "form.hpp"

#include "gateway/domain/url.hpp"

namespace gateway::actors::stripe {

namespace {

constexpr bool begins_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

}  // namespace

void form::begin_pair() {
  if (!text_.empty()) text_ += '&';
}

form& form::add(std::string_view name, std::string_view value) {
  begin_pair();
  text_.append(name).append(1, '=').append(percent_encoded(value));
  return *this;
}

form& form::add(std::string_view name, std::int64_t value) { return add(name, std::to_string(value)); }

form& form::add_unless_empty(std::string_view name, std::string_view value) {
  return value.empty() ? *this : add(name, value);
}

form& form::add_to(std::string_view map, std::string_view key, std::string_view value) {
  begin_pair();
  text_.append(map).append(1, '[').append(percent_encoded(key)).append("]=").append(percent_encoded(value));
  return *this;
}

std::string_view first_characters(std::string_view utf8, std::size_t most) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < utf8.size(); ++i)
    if (begins_character(utf8[i]) && count++ == most) return utf8.substr(0, i);
  return utf8;
}

std::string_view first_bytes(std::string_view utf8, std::size_t most) noexcept {
  if (utf8.size() <= most) return utf8;
  while (most > 0 && !begins_character(utf8[most])) --most;
  return utf8.substr(0, most);
}

}  // namespace gateway::actors::stripe
