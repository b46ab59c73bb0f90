// Markdown to HTML by cmark-gfm: CommonMark with GitHub's tables, without raw HTML. Headings get the anchors that
// GitHub gives them, so that a link within the text works in the repository and on the page. Code is highlighted
// (code_sample.hpp); neighbouring blocks whose fences have a title, as in ```sh curl, become samples.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::http {

struct markdown_heading {
  int level = 2;
  std::string anchor;
  std::string text;
};

struct rendered_markdown {
  std::string title;                       ///< of the first heading of level 1, which is not in `html`
  std::vector<markdown_heading> headings;  ///< all others, in their order
  std::string html;
};

/// How the references of a text are rendered on the page. A reference without a rule stays as it is written.
struct markdown_rules {
  /// Converts a link's address as written to its address on the page.
  std::function<std::string(std::string_view)> address;
  /// The text of the file that this address names. It replaces, folded, a link that is alone in its paragraph; a list
  /// of such links becomes samples, of which a reader chooses one.
  std::function<std::optional<std::string>(std::string_view)> file;
  /// Where a piece of inline code leads to; empty: nowhere.
  std::function<std::string(std::string_view)> code;
};

rendered_markdown render_markdown(std::string_view text, const markdown_rules& rules = {});

/// GitHub's anchor of a heading: lower case, without punctuation, blanks as hyphens.
std::string anchor_of_heading(std::string_view text);

}  // namespace gateway::http
