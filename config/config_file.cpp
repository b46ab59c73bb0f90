#include "config_file.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "gateway/domain/text.hpp"

namespace gateway {

namespace {

constexpr std::string_view blanks = " \t\r";

bool is_name(std::string_view text) {
  const auto allowed = [](char c) { return is_lower_letter(c) || is_digit(c) || c == '-'; };
  return !text.empty() && std::ranges::all_of(text, allowed);
}

bool is_name_of_section(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_id_character); }

bool is_name_in_section(std::string_view text) {
  const auto allowed = [](char c) { return is_lower_letter(c) || is_digit(c) || c == '-' || c == '_'; };
  return !text.empty() && std::ranges::all_of(text, allowed);
}

/// Whether only blanks or a comment follow a value.
bool ends_here(std::string_view rest) {
  rest = trimmed(rest, blanks);
  return rest.empty() || rest.front() == '#';
}

std::string quoted(std::string_view text, unsigned line) {
  const bool literal = text.front() == '\'';  // as in TOML: single quotes have no escapes
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == text.front()) {
      if (!ends_here(text.substr(i + 1))) throw config_error(line, "something follows the closing quote");
      return value;
    }
    if (literal || c != '\\') {
      value += c;
      continue;
    }
    const char escaped = ++i < text.size() ? text[i] : '\0';
    if (escaped != '\\' && escaped != '"') throw config_error(line, R"(only \\ and \" may be escaped in a string)");
    value += escaped;
  }
  throw config_error(line, "a string is not closed");
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between = i > 0 && i + 1 < text.size() && text[i - 1] != '_';
    if (text[i] != '_')
      digits += text[i];
    else if (!between)
      return std::nullopt;
  }
  using limits = std::numeric_limits<std::int64_t>;
  return parse_whole(digits, limits::min(), limits::max());
}

std::variant<bool, std::int64_t, std::string> value_of(std::string_view text, unsigned line) {
  if (text.empty()) throw config_error(line, "the value is missing");
  if (text.front() == '"' || text.front() == '\'') return quoted(text, line);
  const auto bare = trimmed(text.substr(0, text.find('#')), blanks);
  if (bare == "true") return true;
  if (bare == "false") return false;
  if (const auto number = whole_number(bare)) return *number;
  throw config_error(line, "a value is a whole number, true, false, or a string in quotes");
}

/// Calls `each` with the text and number of every line that is neither empty nor a comment.
template <class Each>
void for_each_line(std::istream& in, Each each) {
  std::string line;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    const auto text = trimmed(line, blanks);
    if (!text.empty() && text.front() != '#') each(text, number);
  }
  if (in.bad()) throw config_error(0, "cannot be read");
}

void add_entry(std::vector<config_entry>& entries, std::string_view text, unsigned number,
               bool (*is_allowed)(std::string_view), const char* rule) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) throw config_error(number, "expected name = value");
  const auto name = trimmed(text.substr(0, equals), blanks);
  if (!is_allowed(name)) throw config_error(number, rule);
  if (std::ranges::any_of(entries, [&](const config_entry& e) { return e.name == name; }))
    throw config_error(number, "'" + std::string{name} + "' is set a second time");
  entries.push_back({std::string{name}, value_of(trimmed(text.substr(equals + 1), blanks), number), number});
}

}  // namespace

std::vector<config_entry> read_config(std::istream& in) {
  std::vector<config_entry> entries;
  for_each_line(in, [&](std::string_view text, unsigned number) {
    if (text.front() == '[')
      throw config_error(number, "sections are not used here: every setting is a line of its own");
    add_entry(entries, text, number, is_name, "a setting's name is lower-case letters, digits and hyphens");
  });
  return entries;
}

std::vector<config_section> read_config_sections(std::istream& in) {
  std::vector<config_section> sections;
  for_each_line(in, [&](std::string_view text, unsigned number) {
    if (text.front() != '[') {
      if (sections.empty()) throw config_error(number, "a line [name] must come first");
      add_entry(sections.back().entries, text, number, is_name_in_section,
                "a setting's name is lower-case letters, digits, hyphens and underscores");
      return;
    }
    const auto end = text.find(']');
    if (end == text.npos || !ends_here(text.substr(end + 1))) throw config_error(number, "expected [name]");
    const auto name = trimmed(text.substr(1, end - 1), blanks);
    if (!is_name_of_section(name))
      throw config_error(number, "a section's name is letters, digits, hyphens and underscores");
    if (std::ranges::any_of(sections, [&](const config_section& s) { return s.name == name; }))
      throw config_error(number, "[" + std::string{name} + "] is there a second time");
    sections.push_back({std::string{name}, number, {}});
  });
  return sections;
}

}  // namespace gateway
