#include "gateway/domain/mail.hpp"

#include <algorithm>

namespace gateway {

duration_ms pause_before_next_mail(std::size_t attempts) noexcept {
  constexpr duration_ms first = std::chrono::seconds{30}, longest = std::chrono::hours{1};
  auto pause = first;
  for (std::size_t i = 1; i < attempts && pause < longest; ++i) pause *= 2;
  return std::min(pause, longest);
}

bool is_mail_address(std::string_view text) noexcept {
  constexpr std::size_t most = 320;
  constexpr std::string_view refused = " <>()[],;:\\\"";
  const auto at = text.find('@');
  if (at == text.npos || at == 0 || at + 1 == text.size() || text.size() > most) return false;
  if (text.find('@', at + 1) != text.npos) return false;
  return std::ranges::none_of(text, [&](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || refused.find(c) != refused.npos;
  });
}

std::string_view address_of_mailbox(std::string_view mailbox) noexcept {
  const bool one_line = std::ranges::none_of(mailbox, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (!one_line) return {};
  const auto open = mailbox.find('<');
  if (open == mailbox.npos) return is_mail_address(mailbox) ? mailbox : std::string_view{};
  if (!mailbox.ends_with('>') || mailbox.substr(0, open).find_first_of("\"@>,;:\\") != mailbox.npos) return {};
  const auto inner = mailbox.substr(open + 1, mailbox.size() - open - 2);
  return is_mail_address(inner) ? inner : std::string_view{};
}

}  // namespace gateway
