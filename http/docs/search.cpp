#include "search.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "documents.hpp"
#include "error_texts.hpp"
#include "gateway/domain/folded_text.hpp"
#include "gateway/domain/text.hpp"
#include "reference_pages.hpp"
#include "texts.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_words = 8, most_query_characters = 100, excerpt_bytes = 220;

/// A part of a page, as it is searched.
struct page_part {
  search_hit where;
  std::string text;
  std::string folded_title, folded_all;
};

/// The line as a reader sees it: without marks of Markdown and addresses of links.
std::string plain_line(std::string_view line) {
  std::string plain;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == ']' && at + 1 < line.size() && line[at + 1] == '(') {
      at = std::min(line.find(')', at), line.size());
      continue;
    }
    if (c == '`' || c == '*' || c == '[' || c == ']') continue;
    plain += c == '|' ? ' ' : c;
  }
  return std::string{trimmed(plain)};
}

bool is_rule_of_table(std::string_view line) {
  return line.starts_with('|') && line.find_first_not_of("|-: ") == line.npos;
}

void add_part(std::vector<page_part>& to, std::string_view page, std::string anchor, std::string title) {
  to.push_back({{std::string{page}, std::move(anchor), std::move(title), {}}, {}, {}, {}});
}

/// The parts of a page between its headings, which are in the order of `document_headings`.
void add_page(std::vector<page_part>& to, const document_text& page) {
  const auto headings = document_headings(page.name);
  std::size_t heading = 0;
  bool in_code = false;
  add_part(to, page.name, {}, std::string{document_title(page.name)});
  for (auto rest = page.text; !rest.empty();) {
    const auto line = cut_before(rest, '\n');
    if (line.starts_with("```")) in_code = !in_code;
    const bool is_heading = !in_code && line.starts_with("##");
    if (is_heading && heading < headings.size()) {
      const auto& next = headings[heading++];
      add_part(to, page.name, next.anchor, next.text);
      continue;
    }
    if (line.starts_with("# ") && !in_code) continue;
    if (line.starts_with("```") || is_rule_of_table(line)) continue;
    to.back().text.append(plain_line(line)).append(1, ' ');
  }
}

void add_error_parts(std::vector<page_part>& to) {
  for (const auto& row : error_catalogue()) {
    add_part(to, "errors", anchor_of(row), std::string{row.text});
    to.back().text = plain_line(text_about(row.code));
  }
}

void add_operation_parts(std::vector<page_part>& to) {
  for (const auto& page : served_reference().pages) {
    if (!page.group) continue;
    for (const auto& each : page.group->operations) {
      add_part(to, page.name, each.anchor, each.summary);
      to.back().text = each.method + ' ' + each.path + ". ";
      for (auto rest = std::string_view{each.about}; !rest.empty();)
        to.back().text.append(plain_line(cut_before(rest, '\n'))).append(1, ' ');
    }
  }
}

const std::vector<page_part>& parts_of_pages() {
  static const auto all = [] {
    std::vector<page_part> parts;
    for (const auto& name : document_names()) {
      const auto page = std::ranges::find(served_texts(), name, &document_text::name);
      if (page != served_texts().end()) add_page(parts, *page);
    }
    add_error_parts(parts);
    add_operation_parts(parts);
    for (auto& part : parts) {
      part.folded_title = folded_text(part.where.title);
      part.folded_all =
          part.folded_title + ' ' + folded_text(document_title(part.where.page)) + ' ' + folded_text(part.text);
    }
    return parts;
  }();
  return all;
}

std::vector<std::string> query_words(std::string_view query) {
  std::vector<std::string> words;
  for (auto rest = query; !rest.empty() && words.size() < most_words;)
    if (const auto word = cut_before(rest, ' '); !word.empty()) words.push_back(folded_text(word));
  return words;
}

bool is_inside_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// The text around the first word that it has. The position is that in the folded text, so it may be a little off where
/// folding changes lengths.
std::string excerpt_around(const page_part& part, const std::vector<std::string>& words) {
  const auto folded = folded_text(part.text);
  auto first = folded.npos;
  for (const auto& word : words) first = std::min(first, folded.find(word));
  const auto word_at = first == folded.npos ? 0 : std::min(first, part.text.size());
  auto from = word_at < excerpt_bytes / 3 ? 0 : word_at - excerpt_bytes / 3;
  if (from > 0) from = std::min(part.text.find(' ', from), part.text.size() - 1) + 1;
  auto to = std::min(from + excerpt_bytes, part.text.size());
  while (to < part.text.size() && is_inside_character(part.text[to])) --to;
  auto excerpt = std::string{trimmed(std::string_view{part.text}.substr(from, to - from))};
  if (from > 0) excerpt.insert(0, "… ");
  if (to < part.text.size()) excerpt += " …";
  return excerpt;
}

}  // namespace

std::string searched_words(std::string_view query) {
  std::string words;
  std::size_t characters = 0;
  for (const char c : trimmed(query, " \t\r\n")) {
    if (!is_inside_character(c) && ++characters > most_query_characters) break;
    words += is_control(c) ? ' ' : c;
  }
  return words;
}

std::vector<search_hit> search_documents(std::string_view query) {
  const auto words = query_words(query);
  std::vector<search_hit> titled, others;
  if (words.empty()) return titled;
  const auto has_all = [&](const std::string& text) {
    return std::ranges::all_of(words, [&](const std::string& word) { return text.find(word) != text.npos; });
  };
  const auto has_any = [&](const std::string& text) {
    return std::ranges::any_of(words, [&](const std::string& word) { return text.find(word) != text.npos; });
  };
  for (const auto& part : parts_of_pages()) {
    if (!has_all(part.folded_all)) continue;
    auto& into = has_any(part.folded_title) ? titled : others;
    if (into.size() == most_search_hits) continue;
    into.push_back(part.where);
    into.back().excerpt = excerpt_around(part, words);
  }
  titled.insert(titled.end(), others.begin(), others.end());
  if (titled.size() > most_search_hits) titled.resize(most_search_hits);
  return titled;
}

}  // namespace gateway::http
