#include "gateway/domain/text.hpp"

#include <charconv>
#include <system_error>

namespace gateway {

std::optional<std::int64_t> parse_whole(std::string_view text, std::int64_t least, std::int64_t most) noexcept {
  if (least >= 0 && text.starts_with('-')) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size() || number < least || number > most) return std::nullopt;
  return number;
}

}  // namespace gateway
