// The context that each sealed text is bound to, so that it cannot be moved to another row, and the keys that seal it.
#pragma once

#include <string>
#include <string_view>

#include "gateway/ports/store/master_key_rows.hpp"

namespace gateway {

/// The purposes of the derived keys that seal second factors and mails: the code that seals them has no master key.
inline constexpr std::string_view second_factor_purpose = "second factor", mail_purpose = "mail";

/// Empty: the master keys themselves.
constexpr std::string_view purpose_of(sealed_column in) noexcept {
  if (in == sealed_column::second_factor || in == sealed_column::operator_factor) return second_factor_purpose;
  return in == sealed_column::mail ? mail_purpose : std::string_view{};
}

/// `of` matters for a provider's settings only.
inline std::string bound_to(sealed_column in, std::string_view id, std::string_view of = {}) {
  std::string text;
  switch (in) {
    case sealed_column::api_key: text = "api_key:"; break;
    case sealed_column::platform_key: text = "platform_key:"; break;
    case sealed_column::destination:
    case sealed_column::previous_secret: text = "destination:"; break;
    case sealed_column::provider: text = "provider:"; break;
    case sealed_column::second_factor: text = "second factor of "; break;
    // No person's id contains a space.
    case sealed_column::operator_factor: text = "second factor of operator "; break;
    case sealed_column::mail: text = "mail:"; break;
  }
  text.append(id);
  if (in == sealed_column::provider) text.append(1, ':').append(of);
  return text;
}

/// The context of a master key that is sealed under an older one.
inline std::string bound_to_master_key(std::string_view id) { return std::string{"master key:"}.append(id); }

}  // namespace gateway
