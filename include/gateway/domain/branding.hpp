// How a merchant's checkout looks to its customers: the shop's name, its colour, its logo, and where to ask. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

inline constexpr std::size_t most_shop_name = 100;  ///< characters
inline constexpr std::size_t most_support = 320;    ///< bytes
inline constexpr std::size_t most_logo_bytes = 64 * 1024;
inline constexpr std::uint32_t most_logo_side = 1024;  ///< pixels

struct branding {
  std::string shop_name;  ///< empty: the merchant's name
  std::string colour;     ///< `#rrggbb` in lower case; empty: the gateway's
  std::string support;    ///< an e-mail address, a telephone number or an https URL; may be empty
  std::string logo;       ///< the SHA-256 of its PNG file, in hexadecimal digits; empty: none

  bool operator==(const branding&) const = default;
};

// Each returns the fault in words, or nothing. The empty text has none.
std::optional<std::string> fault_of_shop_name(std::string_view name);
std::optional<std::string> fault_of_colour(std::string_view colour);
std::optional<std::string> fault_of_support(std::string_view contact);
/// Checks that the file is one whole still PNG picture: its signature, every chunk's length and checksum, its size in
/// pixels, and that nothing follows. Browsers decode the picture itself.
std::optional<std::string> fault_of_logo(std::string_view file);

/// A valid colour as it is stored.
std::string stored_colour(std::string_view colour);

enum class contact_kind : unsigned char { none, email, telephone, website };
contact_kind kind_of_contact(std::string_view contact);
/// The digits of a telephone number, with its plus.
std::string dialled(std::string_view telephone);

struct rgb {
  std::uint8_t red = 0, green = 0, blue = 0;

  bool operator==(const rgb&) const = default;
};
std::optional<rgb> parse_colour(std::string_view text) noexcept;  ///< `#rrggbb`, in either case
std::string to_string(rgb colour);
/// The contrast ratio of WCAG 2, from 1 to 21.
double contrast(rgb one, rgb other) noexcept;

/// A background colour, and the colour of the text on it.
struct colour_pair {
  rgb fill;
  rgb text;
};
/// The colours of the page's main button. On a light page the colour is used unchanged; on a dark page it is lightened
/// until its contrast suffices.
colour_pair on_light_page(rgb colour) noexcept;
colour_pair on_dark_page(rgb colour) noexcept;

}  // namespace gateway
