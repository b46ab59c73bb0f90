// Code as HTML: escaped, with a span around each comment, text, keyword, number and name. style.css has their colours.
// Pure: text in, HTML out. No language is parsed: what is not recognised stays plain.
#pragma once

#include <string>
#include <string_view>

namespace gateway::http {

/// With `&`, `<`, `>` and `"` as entities.
std::string escaped_html(std::string_view text);

/// The code with its spans. `language` is the name after a fence, such as `sh`, `json` or `python`; with an unknown
/// name the code is only escaped.
std::string highlighted_code(std::string_view language, std::string_view code);

/// The whole block, which can be scrolled with the keyboard.
std::string code_block_html(std::string_view language, std::string_view code);

/// The language by the ending of a file's name: `sh` for `create_payment.sh`; empty if it is unknown.
std::string_view language_of_file(std::string_view name) noexcept;

}  // namespace gateway::http
