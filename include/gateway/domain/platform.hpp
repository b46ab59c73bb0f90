// A platform that merchants let act for them: its names, and the addresses of its pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway {

/// The gateway rejects all requests of a suspended platform, and holds its deliveries until it is resumed.
enum class platform_status : unsigned char { active, suspended };

template <>
inline constexpr auto enum_table<platform_status> =
    enum_names<platform_status>({{platform_status::active, "active"}, {platform_status::suspended, "suspended"}});
inline constexpr auto parse_platform_status = parse_name<platform_status>;

struct platform {
  platform_id id;
  std::string slug;  ///< its client_id; never changes
  std::string name;  ///< shown on the consent screen
  std::string contact = {};  ///< an e-mail address for security matters
  platform_status status = platform_status::active;
  std::vector<std::string> redirect_uris = {};   ///< where a browser may go after consent; compared byte for byte
  /// Where a browser may go after a reconnect, as https_origin_of() writes it.
  std::vector<std::string> return_origins = {};

  bool operator==(const platform&) const = default;
};

inline constexpr std::size_t most_redirect_uris = 32;    ///< of one platform
inline constexpr std::size_t most_return_origins = 32;   ///< of one platform
inline constexpr std::size_t most_platform_name = 200;   ///< bytes

/// `[a-z0-9][a-z0-9-]{1,62}`.
constexpr bool is_platform_slug(std::string_view text) noexcept {
  const auto fits = [](char c) { return is_lower_letter(c) || is_digit(c); };
  return text.size() >= 2 && text.size() <= 63 && fits(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return fits(c) || c == '-'; });
}

/// People see this name when they decide whether to trust the platform.
constexpr bool is_platform_name(std::string_view text) noexcept {
  return text.size() <= most_platform_name && text.find_first_not_of(' ') != text.npos &&
         std::ranges::none_of(text, is_control);
}

/// Whether the text may be registered as a redirect_uri: an absolute https URL without fragment and user, or, for
/// development, http to this machine.
bool is_redirect_uri(std::string_view text);

/// Whether the text may be registered as a return origin.
bool is_return_origin(std::string_view text);

/// Whether the platform has registered exactly these bytes.
bool has_redirect_uri(const platform& p, std::string_view sent);

/// Why the platform cannot be registered, as a text for the operator; nullopt if it can. Does not check whether the
/// slug is taken, or whether the contact is an address.
std::optional<std::string> fault_of(const platform& p);

// ---- keys ---------------------------------------------------------------------------------------

inline constexpr std::string_view platform_key_prefix = "mk_platform_";

/// `mk_platform_<8 hex>`, in lower case.
constexpr bool is_platform_key_id(std::string_view text) noexcept {
  return text.starts_with(platform_key_prefix) && text.size() == platform_key_prefix.size() + 8 &&
         std::ranges::all_of(text.substr(platform_key_prefix.size()), is_lower_hex_digit);
}

/// The scopes of a platform's key that is minted without scopes.
inline constexpr std::string_view default_platform_scopes =
    "payments:write payments:read customers:write webhooks:configure";

}  // namespace gateway
