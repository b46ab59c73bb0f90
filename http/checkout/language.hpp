// The languages of customers' pages, and how one is chosen: by the address's `lang` parameter, else by the browser's
// Accept-Language.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "http/message.hpp"

namespace gateway::http {

enum class language : unsigned char { english, chinese, urdu };
inline constexpr std::size_t language_count = 3;

struct language_traits {
  language value;
  std::string_view tag;   ///< BCP 47, for `lang`
  std::string_view name;  ///< in the language itself
  bool right_to_left = false;
};
inline constexpr std::array<language_traits, language_count> languages{
    language_traits{language::english, "en", "English"}, language_traits{language::chinese, "zh-Hant", "繁體中文"},
    language_traits{language::urdu, "ur", "اردو", true}};

constexpr const language_traits& traits_of(language of) noexcept { return languages[static_cast<std::size_t>(of)]; }

/// The language of exactly this tag, without regard to case.
std::optional<language> find_language(std::string_view tag) noexcept;

/// The supported language that an Accept-Language header (RFC 9110) ranks first; English if it names none.
language preferred_language(std::string_view accept_language) noexcept;

/// The language that the request chooses by its parameter `lang`, else its browser's.
language language_of(const request& in);

}  // namespace gateway::http
