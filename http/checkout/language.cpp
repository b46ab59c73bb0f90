#include "language.hpp"

#include <algorithm>

#include "gateway/domain/text.hpp"
#include "http/codec/header_lines.hpp"
#include "http/codec/query.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_languages_read = 20;

/// A weight such as `0.8` in thousandths; 0 if it is malformed, which excludes the language.
int weight_of(std::string_view text) noexcept {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return 0;
  int thousandths = (text[0] - '0') * 1000;
  if (text.size() == 1) return thousandths;
  if (text[1] != '.') return 0;
  int place = 100;
  for (const char c : text.substr(2)) {
    if (!is_digit(c)) return 0;
    thousandths += (c - '0') * place;
    place /= 10;
  }
  return std::min(thousandths, 1000);
}

/// The pages' language for a tag such as `zh-HK`, by the tag's first part. All kinds of Chinese get traditional
/// Chinese.
std::optional<language> language_for(std::string_view tag) noexcept {
  const auto primary = tag.substr(0, tag.find('-'));
  for (const auto& each : languages)
    if (equal_ignoring_case(primary, each.tag.substr(0, each.tag.find('-')))) return each.value;
  return std::nullopt;
}

}  // namespace

std::optional<language> find_language(std::string_view tag) noexcept {
  for (const auto& each : languages)
    if (equal_ignoring_case(tag, each.tag)) return each.value;
  return std::nullopt;
}

language preferred_language(std::string_view accept_language) noexcept {
  auto best = language::english;
  int best_weight = 0;
  for (std::size_t i = 0; i < most_languages_read && !accept_language.empty(); ++i) {
    auto entry = cut_before(accept_language, ',');
    const auto tag = trimmed(cut_before(entry, ';'));
    int weight = 1000;
    if (auto parameter = trimmed(entry); !parameter.empty()) {
      const auto name = trimmed(cut_before(parameter, '='));
      weight = equal_ignoring_case(name, "q") ? weight_of(trimmed(parameter)) : 0;
    }
    const auto found = language_for(tag);
    if (!found || weight <= best_weight) continue;
    best = *found;
    best_weight = weight;
  }
  return best;
}

language language_of(const request& in) {
  if (const auto query = read_query(in.query)) {
    const auto chosen = std::ranges::find(*query, "lang", &query_parameter::name);
    if (chosen != query->end())
      if (const auto found = find_language(chosen->value)) return *found;
  }
  return preferred_language(first_header(in.head, "Accept-Language").value_or(std::string_view{}));
}

}  // namespace gateway::http
