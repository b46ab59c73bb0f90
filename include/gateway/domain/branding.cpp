#include "branding.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"

namespace gateway {

namespace {

/// The contrast that WCAG 2 requires for parts of a page that are not text.
constexpr double least_contrast = 3;
constexpr rgb white{255, 255, 255}, black{0, 0, 0};
constexpr rgb dark_card{0x1a, 0x22, 0x31};  ///< the background on a dark page

double linear(std::uint8_t channel) noexcept {
  const double share = channel / 255.0;
  return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}

double luminance(rgb colour) noexcept {
  return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

rgb text_on(rgb fill) noexcept { return contrast(fill, white) >= contrast(fill, black) ? white : black; }

std::uint8_t nearer_to_white(std::uint8_t channel, int percent) noexcept {
  return static_cast<std::uint8_t>(channel + (255 - channel) * percent / 100);
}

bool is_telephone(std::string_view text) noexcept {
  const auto digits = std::ranges::count_if(text, is_digit);
  const bool plain = std::ranges::all_of(
      text, [](char c) { return is_digit(c) || c == ' ' || c == '+' || c == '-' || c == '(' || c == ')'; });
  return plain && digits >= 5 && digits <= 15 && text.find('+', 1) == text.npos;
}

bool is_email(std::string_view text) noexcept {
  auto host = text;
  const auto name = cut_before(host, '@');
  constexpr std::string_view marks = "._+-";
  return !name.empty() && host.find('.') != host.npos && is_plain_host(host) &&
         std::ranges::all_of(name, [&](char c) { return is_letter_or_digit(c) || marks.find(c) != marks.npos; });
}

bool is_https_address(std::string_view text) {
  return has_only_url_characters(text) && https_origin_of(text).has_value();
}

}  // namespace

std::optional<std::string> fault_of_shop_name(std::string_view name) {
  if (count_characters(name) > most_shop_name) return "The name is too long: at most 100 characters.";
  if (std::ranges::any_of(name, is_control)) return "The name must be one line of text.";
  return std::nullopt;
}

std::optional<std::string> fault_of_colour(std::string_view colour) {
  if (colour.empty()) return std::nullopt;
  const auto parsed = parse_colour(colour);
  if (!parsed) return "Write the colour as # and six hexadecimal digits, such as #2350c8.";
  if (contrast(*parsed, white) < least_contrast)
    return "The colour is too light: a button of it would not stand out on a white page. Choose a darker one.";
  return std::nullopt;
}

std::optional<std::string> fault_of_support(std::string_view contact) {
  if (contact.empty()) return std::nullopt;
  if (contact.size() > most_support) return "The contact is too long: at most 320 characters.";
  if (kind_of_contact(contact) != contact_kind::none) return std::nullopt;
  return "Write an e-mail address, a telephone number, or an address that begins with https://.";
}

std::string stored_colour(std::string_view colour) {
  std::string text{colour};
  std::ranges::transform(text, text.begin(), to_lower);
  return text;
}

contact_kind kind_of_contact(std::string_view contact) {
  if (contact.starts_with("https://")) return is_https_address(contact) ? contact_kind::website : contact_kind::none;
  if (is_telephone(contact)) return contact_kind::telephone;
  return is_email(contact) ? contact_kind::email : contact_kind::none;
}

std::string dialled(std::string_view telephone) {
  std::string digits;
  std::ranges::copy_if(telephone, std::back_inserter(digits), [](char c) { return is_digit(c) || c == '+'; });
  return digits;
}

std::optional<rgb> parse_colour(std::string_view text) noexcept {
  if (text.size() != 7 || text[0] != '#' || !std::ranges::all_of(text.substr(1), is_hex_digit)) return std::nullopt;
  const auto channel = [&](std::size_t at) {
    return static_cast<std::uint8_t>(hex_value(text[at]) * 16 + hex_value(text[at + 1]));
  };
  return rgb{channel(1), channel(3), channel(5)};
}

std::string to_string(rgb colour) {
  std::string text{"#"};
  for (const auto channel : {colour.red, colour.green, colour.blue})
    text.append(1, hex_digits[channel / 16]).append(1, hex_digits[channel % 16]);
  return text;
}

double contrast(rgb one, rgb other) noexcept {
  const auto [darker, lighter] = std::minmax({luminance(one), luminance(other)});
  return (lighter + 0.05) / (darker + 0.05);
}

colour_pair on_light_page(rgb colour) noexcept { return {colour, text_on(colour)}; }

colour_pair on_dark_page(rgb colour) noexcept {
  auto fill = colour;
  for (int percent = 5; percent <= 100 && contrast(fill, dark_card) < least_contrast; percent += 5)
    fill = {nearer_to_white(colour.red, percent), nearer_to_white(colour.green, percent),
            nearer_to_white(colour.blue, percent)};
  return {fill, text_on(fill)};
}

}  // namespace gateway
