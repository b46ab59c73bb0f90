// Texts compared without case, for searches.
#pragma once

#include <string>
#include <string_view>

namespace gateway {

/// The text with the letters of Latin, Greek and Cyrillic in lower case, the same in every store and locale. Malformed
/// UTF-8 stays as it is.
std::string folded_text(std::string_view utf8);

/// `folded` is folded_text() of the searched text. It has no wildcards.
inline bool contains_folded(std::string_view text, std::string_view folded) {
  return folded_text(text).find(folded) != std::string::npos;
}

}  // namespace gateway
