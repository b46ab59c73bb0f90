#include "code_sample.hpp"

#include <algorithm>
#include <array>

#include "gateway/domain/text.hpp"

namespace gateway::http {
namespace {

/// The class of a span, as style.css names it.
enum class code_class : char { comment = 'c', keyword = 'k', name = 'v', number = 'n', text = 's' };

struct code_grammar {
  std::string_view languages;        ///< names, with a blank around each
  std::string_view keywords;         ///< with a blank around each
  std::string_view line_comment{};   ///< begins a comment up to the end of the line
  std::string_view quotes{};         ///< each begins a text, and ends it
  std::string_view raw_quotes{};     ///< those of `quotes` in which a backslash escapes nothing
  bool block_comments = false;       ///< between /* and */
  bool tripled_quotes = false;       ///< three of a quote begin a text, and end it
  bool member_names = false;         ///< a text before a colon is a name
  bool variables = false;            ///< a dollar sign begins a name
  bool shell = false;                ///< comments begin after a blank; words have more characters, numbers are words
};

constexpr auto code_grammars = std::to_array<code_grammar>(
    {{.languages = " sh bash ",
      .keywords =
          " if then elif else fi for while until do done case esac in function local export return exit set trap ",
      .line_comment = "#",
      .quotes = "\"'",
      .raw_quotes = "'",
      .variables = true,
      .shell = true},
     {.languages = " json ", .keywords = " true false null ", .quotes = "\"", .member_names = true},
     {.languages = " python ",
      .keywords = " and as assert async await break class continue def del elif else except finally for from global if "
                  "import in is lambda nonlocal not or pass raise return try while with yield None True False ",
      .line_comment = "#",
      .quotes = "\"'",
      .tripled_quotes = true},
     {.languages = " js javascript ts typescript ",
      .keywords = " async await break case catch class const continue default delete do else export extends false "
                  "finally for from function if import in instanceof interface let new null of return static switch "
                  "this throw true try type typeof undefined while yield ",
      .line_comment = "//",
      .quotes = "\"'`",
      .block_comments = true},
     {.languages = " php ",
      .keywords = " abstract and array as break case catch class const continue declare default do echo else elseif "
                  "false final finally fn for foreach function if implements instanceof namespace new null or private "
                  "protected public readonly require return static switch throw true try use while yield ",
      .line_comment = "//",
      .quotes = "\"'",
      .block_comments = true,
      .variables = true},
     {.languages = " go ",
      .keywords = " break case chan const continue default defer else fallthrough for func go goto if import interface "
                  "map nil package range return select struct switch true false type var ",
      .line_comment = "//",
      .quotes = "\"'`",
      .raw_quotes = "`",
      .block_comments = true},
     {.languages = " cpp ",
      .keywords = " auto bool break case catch char class const constexpr continue default delete do double else enum "
                  "false for if include inline int long namespace new noexcept nullptr operator private public return "
                  "sizeof static struct switch template this throw true try typename unsigned using void while ",
      .line_comment = "//",
      .quotes = "\"'",
      .block_comments = true}});

bool names_word(std::string_view list, std::string_view word) {
  return !word.empty() && list.find(' ' + std::string{word} + ' ') != list.npos;
}

void append_escaped(std::string& to, std::string_view text) {
  for (const char c : text) switch (c) {
      case '&': to += "&amp;"; break;
      case '<': to += "&lt;"; break;
      case '>': to += "&gt;"; break;
      case '"': to += "&quot;"; break;
      default: to += c;
    }
}

void append_span(std::string& to, code_class which, std::string_view text) {
  to.append("<span class=\"").append(1, static_cast<char>(which)).append("\">");
  append_escaped(to, text);
  to += "</span>";
}

/// Scans the code once, from its beginning. Each character is appended once, escaped.
class code_scanner {
 public:
  code_scanner(const code_grammar& how, std::string_view code, std::string& out) : how_{how}, code_{code}, out_{out} {}

  void run() {
    while (at_ < code_.size()) {
      const auto rest = code_.substr(at_);
      if (const auto comment = comment_length(rest)) {
        span(code_class::comment, comment);
      } else if (how_.quotes.find(rest.front()) != std::string_view::npos) {
        const auto quoted = quoted_length(rest);
        span(is_member_name(rest, quoted) ? code_class::name : code_class::text, quoted);
      } else if (const auto variable = variable_length(rest)) {
        span(code_class::name, variable);
      } else if (is_word_character(rest.front())) {
        word(rest);
      } else {
        append_escaped(out_, code_.substr(at_++, 1));
      }
    }
  }

 private:
  void span(code_class which, std::size_t length) {
    append_span(out_, which, code_.substr(at_, length));
    at_ += length;
  }

  bool is_word_character(char c) const noexcept {
    static constexpr std::string_view further = "-./%+:=@,~";  // of words in a shell
    return is_letter_or_digit(c) || c == '_' || (how_.shell && further.find(c) != further.npos);
  }

  std::size_t comment_length(std::string_view rest) const {
    if (how_.block_comments && rest.starts_with("/*")) return std::min(rest.find("*/", 2), rest.size() - 2) + 2;
    if (how_.line_comment.empty() || !rest.starts_with(how_.line_comment)) return 0;
    if (how_.shell && at_ > 0 && code_[at_ - 1] != ' ' && code_[at_ - 1] != '\n') return 0;
    return std::min(rest.find('\n'), rest.size());
  }

  std::size_t quoted_length(std::string_view rest) const {
    const char quote = rest.front();
    const std::string thrice(3, quote);
    const auto end = how_.tripled_quotes && rest.starts_with(thrice) ? std::string_view{thrice} : rest.substr(0, 1);
    const bool raw = how_.raw_quotes.find(quote) != std::string_view::npos;
    for (auto at = end.size(); at < rest.size(); ++at) {
      if (rest.substr(at).starts_with(end)) return at + end.size();
      if (!raw && rest[at] == '\\') ++at;
    }
    return rest.size();
  }

  bool is_member_name(std::string_view rest, std::size_t length) const {
    if (!how_.member_names) return false;
    const auto next = rest.find_first_not_of(" \n", length);
    return next != rest.npos && rest[next] == ':';
  }

  std::size_t variable_length(std::string_view rest) const {
    if (!how_.variables || !rest.starts_with('$') || rest.size() < 2) return 0;
    if (rest[1] == '{') return std::min(rest.find('}'), rest.size() - 1) + 1;
    const auto end = std::ranges::find_if_not(rest.substr(1), [](char c) { return is_letter_or_digit(c) || c == '_'; });
    const auto length = static_cast<std::size_t>(end - rest.begin());
    return length > 1 ? length : 0;
  }

  void word(std::string_view rest) {
    const auto end = std::ranges::find_if_not(rest, [&](char c) { return is_word_character(c); });
    const auto piece = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    if (names_word(how_.keywords, piece)) return span(code_class::keyword, piece.size());
    if (!how_.shell && is_digit(piece.front())) return span(code_class::number, piece.size());
    append_escaped(out_, piece);
    at_ += piece.size();
  }

  const code_grammar& how_;
  std::string_view code_;
  std::string& out_;
  std::size_t at_ = 0;
};

void append_code(std::string& to, std::string_view language, std::string_view code) {
  const auto how = std::ranges::find_if(code_grammars,
                                        [&](const code_grammar& each) { return names_word(each.languages, language); });
  if (how == code_grammars.end()) return append_escaped(to, code);
  code_scanner{*how, code, to}.run();
}

/// The text after a prompt is highlighted as shell; the output of programs stays plain.
void append_console(std::string& to, std::string_view code) {
  static constexpr std::string_view prompt = "$ ";
  for (auto rest = code; !rest.empty();) {
    auto line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    rest.remove_prefix(line.size());
    if (!line.starts_with(prompt)) {
      append_escaped(to, line);
      continue;
    }
    append_span(to, code_class::comment, prompt.substr(0, 1));
    append_code(to, "sh", line.substr(1));
  }
}

/// An HTTP message: a first line, which may be missing; headers; and a body, which is JSON.
void append_http(std::string& to, std::string_view message) {
  for (bool first = true; !message.empty() && message.front() != '\n'; first = false) {
    const auto line = message.substr(0, std::min(message.find('\n'), message.size() - 1) + 1);
    const auto name = line.substr(0, std::min(line.find_first_of(": "), line.size()));
    const bool is_header = line.substr(name.size()).starts_with(':');
    if (is_header || first)
      append_span(to, is_header ? code_class::name : code_class::keyword, name);
    else
      append_escaped(to, name);
    append_escaped(to, line.substr(name.size()));
    message.remove_prefix(line.size());
  }
  append_code(to, "json", message);
}

struct file_ending {
  std::string_view ending;
  std::string_view language;
};
constexpr auto file_endings = std::to_array<file_ending>({{".sh", "sh"},
                                                          {".py", "python"},
                                                          {".mjs", "js"},
                                                          {".ts", "ts"},
                                                          {".go", "go"},
                                                          {".php", "php"},
                                                          {".cpp", "cpp"},
                                                          {".json", "json"}});

}  // namespace

std::string escaped_html(std::string_view text) {
  std::string html;
  append_escaped(html, text);
  return html;
}

std::string highlighted_code(std::string_view language, std::string_view code) {
  std::string html;
  html.reserve(code.size() * 2);
  if (language == "console")
    append_console(html, code);
  else if (language == "http")
    append_http(html, code);
  else
    append_code(html, language, code);
  return html;
}

std::string code_block_html(std::string_view language, std::string_view code) {
  std::string html{R"(<pre tabindex="0"><code)"};
  if (!language.empty()) html.append(R"( class="language-)").append(escaped_html(language)).append("\"");
  return html.append(">").append(highlighted_code(language, code)).append("</code></pre>");
}

std::string_view language_of_file(std::string_view name) noexcept {
  for (const auto& each : file_endings)
    if (name.ends_with(each.ending)) return each.language;
  return {};
}

}  // namespace gateway::http
