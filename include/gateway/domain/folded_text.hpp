// Texts compared without case, for searches.
#pragma once

#include <string>
#include <string_view>

namespace gateway {

/// The text with the letters of Latin, Greek and Cyrillic in lower case, the same in every store and locale. Malformed
/// UTF-8 stays as it is.
std::string folded_text(std::string_view utf8);

/// `folded` is what folded_text() made of the searched text. Each of its signs counts literally.
inline bool contains_folded(std::string_view text, std::string_view folded) {
  return folded_text(text).find(folded) != std::string::npos;
}

}  // namespace gateway
