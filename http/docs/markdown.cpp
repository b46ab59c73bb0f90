#include "markdown.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include "code_sample.hpp"
#include "gateway/domain/text.hpp"

namespace gateway::http {
namespace {

struct node_end {
  void operator()(cmark_node* node) const noexcept { cmark_node_free(node); }
};
using owned_node = std::unique_ptr<cmark_node, node_end>;

struct parser_end {
  void operator()(cmark_parser* parser) const noexcept { cmark_parser_free(parser); }
};
using owned_parser = std::unique_ptr<cmark_parser, parser_end>;

struct iterator_end {
  void operator()(cmark_iter* iterator) const noexcept { cmark_iter_free(iterator); }
};

std::string_view or_empty(const char* text) noexcept { return text ? std::string_view{text} : std::string_view{}; }

/// cmark returns null if it has no memory.
template <class T>
T* present(T* made) {
  if (!made) throw std::bad_alloc{};
  return made;
}

owned_parser parser_with_tables() {
  // Registers the extensions for the whole process; a repeated call does nothing.
  cmark_gfm_core_extensions_ensure_registered();
  owned_parser parser{present(cmark_parser_new(CMARK_OPT_DEFAULT))};
  cmark_parser_attach_syntax_extension(parser.get(), present(cmark_find_syntax_extension("table")));
  return parser;
}

/// All nodes of these kinds. They are collected first, because a tree must not change during a walk.
std::vector<cmark_node*> nodes_of(cmark_node* root, std::initializer_list<cmark_node_type> kinds) {
  std::vector<cmark_node*> found;
  const std::unique_ptr<cmark_iter, iterator_end> iterator{present(cmark_iter_new(root))};
  for (auto event = cmark_iter_next(iterator.get()); event != CMARK_EVENT_DONE;
       event = cmark_iter_next(iterator.get())) {
    auto* node = cmark_iter_get_node(iterator.get());
    if (event == CMARK_EVENT_ENTER && std::ranges::count(kinds, cmark_node_get_type(node)) > 0) found.push_back(node);
  }
  return found;
}

std::string plain_text(cmark_node* root) {
  std::string text;
  for (auto* node : nodes_of(root, {CMARK_NODE_TEXT, CMARK_NODE_CODE, CMARK_NODE_SOFTBREAK})) {
    const bool is_break = cmark_node_get_type(node) == CMARK_NODE_SOFTBREAK;
    text += is_break ? std::string_view{" "} : or_empty(cmark_node_get_literal(node));
  }
  return text;
}

void move_children(cmark_node* from, cmark_node* to) {
  while (auto* child = cmark_node_first_child(from)) cmark_node_append_child(to, child);
}

owned_node custom(cmark_node_type kind, const std::string& before, const char* after) {
  owned_node made{present(cmark_node_new(kind))};
  cmark_node_set_on_enter(made.get(), before.c_str());
  cmark_node_set_on_exit(made.get(), after);
  return made;
}

/// A heading's text becomes a link to itself, which carries the anchor.
void link_heading(cmark_node* heading, const std::string& anchor) {
  auto link = custom(CMARK_NODE_CUSTOM_INLINE, R"(<a class="anchor" id=")" + anchor + R"(" href="#)" + anchor + R"(">)",
                     "</a>");
  move_children(heading, link.get());
  cmark_node_append_child(heading, link.release());
}

std::string unused_anchor(const std::string& wanted, const std::vector<markdown_heading>& others) {
  auto anchor = wanted;
  for (int n = 1; std::ranges::find(others, anchor, &markdown_heading::anchor) != others.end(); ++n)
    anchor = wanted + '-' + std::to_string(n);
  return anchor;
}

void take_headings(cmark_node* root, rendered_markdown& out) {
  for (auto* node : nodes_of(root, {CMARK_NODE_HEADING})) {
    const auto level = cmark_node_get_heading_level(node);
    auto text = plain_text(node);
    if (level == 1 && out.title.empty()) {
      out.title = std::move(text);
      const owned_node removed{node};
      cmark_node_unlink(node);
      continue;
    }
    auto anchor = unused_anchor(anchor_of_heading(text), out.headings);
    link_heading(node, anchor);
    out.headings.push_back({level, std::move(anchor), std::move(text)});
  }
}

bool is_alone(cmark_node* link) {
  auto* parent = cmark_node_parent(link);
  return parent && cmark_node_get_type(parent) == CMARK_NODE_PARAGRAPH && !cmark_node_previous(link) &&
         !cmark_node_next(link);
}

owned_node with_html(const std::string& html) { return custom(CMARK_NODE_CUSTOM_BLOCK, html, ""); }

void replace_by(cmark_node* node, owned_node by) {
  cmark_node_replace(node, by.release());
  const owned_node removed{node};
}

/// The file that an address names, as a block of code.
std::optional<std::string> code_of_file(const std::string& address, const markdown_rules& rules) {
  const auto text = rules.file ? rules.file(address) : std::nullopt;
  if (!text) return std::nullopt;
  return code_block_html(language_of_file(address), *text);
}

/// Replaces the link's paragraph by the file, folded under the link's text. Returns the paragraph, which must outlive
/// the tree: texts of its inline nodes are views into it.
owned_node unfold_file(cmark_node* link, const std::string& code_html) {
  owned_node paragraph{cmark_node_parent(link)};
  auto fold = custom(CMARK_NODE_CUSTOM_BLOCK, R"(<details class="example">)", "</details>");
  auto summary = custom(CMARK_NODE_CUSTOM_BLOCK, "<summary>", "</summary>");
  move_children(link, summary.get());
  cmark_node_append_child(fold.get(), summary.release());
  cmark_node_append_child(fold.get(), with_html(code_html).release());
  cmark_node_replace(paragraph.get(), fold.release());
  return paragraph;
}

/// One of several samples of the same thing. The title before the colon names its tab: `Python: create_payment.py`.
std::string sample_html(const std::string& title, const std::string& code_html) {
  std::string html{R"(<div class="sample" data-tab=")"};
  html.append(escaped_html(title.substr(0, title.find(':')))).append(R"("><p class="what">)");
  return html.append(escaped_html(title)).append("</p>").append(code_html).append("</div>\n");
}

owned_node samples_of(const std::string& samples) {
  return with_html("<div class=\"samples\">\n" + samples + "</div>");
}

/// The link that an item of a list consists of; null if the item has more, or something else.
cmark_node* only_link_of(cmark_node* item) {
  auto* paragraph = cmark_node_first_child(item);
  if (!paragraph || cmark_node_next(paragraph)) return nullptr;
  auto* link = cmark_node_first_child(paragraph);
  return link && cmark_node_get_type(link) == CMARK_NODE_LINK && is_alone(link) ? link : nullptr;
}

/// A list of at least two files, and of nothing else, becomes samples.
void gather_files(cmark_node* root, const markdown_rules& rules) {
  for (auto* list : nodes_of(root, {CMARK_NODE_LIST})) {
    std::string samples;
    std::size_t count = 0;
    bool only_files = true;
    for (auto* item = cmark_node_first_child(list); item && only_files; item = cmark_node_next(item)) {
      auto* link = only_link_of(item);
      const auto code = link ? code_of_file(std::string{or_empty(cmark_node_get_url(link))}, rules) : std::nullopt;
      only_files = code.has_value();
      if (only_files) samples += sample_html(plain_text(link), *code);
      ++count;
    }
    if (only_files && count > 1) replace_by(list, samples_of(samples));
  }
}

/// Returns what is no longer part of the tree and must outlive it.
std::vector<owned_node> follow_links(cmark_node* root, const markdown_rules& rules) {
  std::vector<owned_node> replaced;
  for (auto* link : nodes_of(root, {CMARK_NODE_LINK})) {
    const std::string written{or_empty(cmark_node_get_url(link))};
    if (is_alone(link)) {
      if (const auto code = code_of_file(written, rules)) {
        replaced.push_back(unfold_file(link, *code));
        continue;
      }
    }
    if (rules.address) cmark_node_set_url(link, rules.address(written).c_str());
  }
  return replaced;
}

/// The text of a fence after the language: `curl` of `sh curl`.
std::string title_of_code(cmark_node* block) {
  auto info = or_empty(cmark_node_get_fence_info(block));
  cut_before(info, ' ');
  return std::string{trimmed(info)};
}

bool is_titled_code(cmark_node* node) {
  return node && cmark_node_get_type(node) == CMARK_NODE_CODE_BLOCK && !title_of_code(node).empty();
}

/// Highlights the blocks of code. Neighbours that have titles become samples.
void show_code(cmark_node* root) {
  std::string samples;
  for (auto* block : nodes_of(root, {CMARK_NODE_CODE_BLOCK})) {
    auto info = or_empty(cmark_node_get_fence_info(block));
    const auto html = code_block_html(cut_before(info, ' '), or_empty(cmark_node_get_literal(block)));
    if (!is_titled_code(block)) {
      replace_by(block, with_html(html));
      continue;
    }
    samples += sample_html(title_of_code(block), html);
    if (is_titled_code(cmark_node_next(block))) {
      cmark_node_unlink(block);
      const owned_node removed{block};
      continue;
    }
    replace_by(block, samples_of(samples));
    samples.clear();
  }
}

void link_code(cmark_node* root, const markdown_rules& rules) {
  if (!rules.code) return;
  for (auto* code : nodes_of(root, {CMARK_NODE_CODE})) {
    const auto address = rules.code(or_empty(cmark_node_get_literal(code)));
    const auto within = cmark_node_get_type(cmark_node_parent(code));
    if (address.empty() || within == CMARK_NODE_LINK || within == CMARK_NODE_CUSTOM_INLINE) continue;
    owned_node link{present(cmark_node_new(CMARK_NODE_LINK))};
    cmark_node_set_url(link.get(), address.c_str());
    cmark_node_insert_before(code, link.get());
    cmark_node_append_child(link.release(), code);
  }
}

}  // namespace

std::string anchor_of_heading(std::string_view text) {
  std::string anchor;
  for (const char c : text) {
    if (is_id_character(c)) anchor += to_lower(c);
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

rendered_markdown render_markdown(std::string_view text, const markdown_rules& rules) {
  const auto parser = parser_with_tables();
  cmark_parser_feed(parser.get(), text.data(), text.size());
  std::vector<owned_node> replaced;
  const owned_node root{present(cmark_parser_finish(parser.get()))};
  rendered_markdown out;
  take_headings(root.get(), out);
  gather_files(root.get(), rules);
  replaced = follow_links(root.get(), rules);
  link_code(root.get(), rules);
  show_code(root.get());
  // Without CMARK_OPT_UNSAFE raw HTML and addresses of scripts are left out.
  const std::unique_ptr<char, decltype(&std::free)> html{
      present(cmark_render_html(root.get(), CMARK_OPT_DEFAULT, cmark_parser_get_syntax_extensions(parser.get()))),
      &std::free};
  out.html = html.get();
  return out;
}

}  // namespace gateway::http
