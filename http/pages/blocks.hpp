// What pages are put together from: a page is sections, a section is blocks, and each kind of block is one template
// (templates/block_*.html). Views of the portal and of the console are made of these, so that a table or a form field
// is written once. All are plain values, and every text in them is escaped by the templates.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "shown_time.hpp"

namespace ctemplate {
class TemplateDictionary;
}  // namespace ctemplate

namespace gateway::http {

/// A field of a form: what was typed, and what is wrong with it, which is said beside it. No fault: empty.
struct field {
  std::string value;
  std::string fault;
};

struct hidden_field {
  std::string name;
  std::string value;
};

namespace blocks {

enum class tone : unsigned char { neutral, good, waiting, bad };

/// A state in a word; its colour says nothing that the word does not.
struct badge {
  std::string text;
  tone how = tone::neutral;
};

struct link {
  std::string text;
  std::string url;  ///< of http or https, or of this site; anything else is not followed
};

/// Text for machines, such as an id.
struct code {
  std::string text;
};

/// A list of things that may each be told of in a few words more.
struct described {
  std::string text;
  std::string detail;
};

// ---- forms ----------------------------------------------------------------------------------------

struct option {
  std::string value;
  std::string text;
  std::string detail;
  bool chosen = false;
};
enum class input_kind : unsigned char {
  text,
  search,
  email,
  url,
  date,
  decimal,
  code,
  password,
  new_password,
  choice,
  checks,
  radios
};
struct input {
  input_kind kind = input_kind::text;
  std::string name;
  std::string label;
  std::string hint;
  field now;                    ///< a password's value is never shown
  std::vector<option> options;  ///< of a choice, of checks and radios
  std::size_t most = 0;         ///< characters; 0: no limit
  bool required = false;
};
struct button {
  std::string action;
  std::string label;
  bool primary = false;
};
/// A form that posts to the page's own URL, or one that only asks for the page anew (`asks`: by GET, without a token).
struct act_form {
  std::string id;  ///< begins the ids of its fields, which are unique in a page; empty: they are called as the fields
  std::string csrf;
  std::vector<hidden_field> hidden;
  std::vector<input> inputs;
  std::vector<button> buttons;
  std::string fault;  ///< of the form as a whole
  std::string folded;  ///< the words that unfold it; empty: it is open. A faulty form is always open
  bool asks = false;
  std::vector<link> links;  ///< beside the buttons
  std::string about;  ///< what the buttons act on, for those who hear their labels without what stands around
};

/// A form of one button.
act_form one_button(std::string csrf, std::string action, std::string label, std::string about,
                    std::vector<hidden_field> hidden);

// ---- values ---------------------------------------------------------------------------------------

/// One value, wherever values stand. Several of them stand one under the other.
using piece = std::variant<std::string, badge, link, code, shown_time, act_form, described>;
using pieces = std::vector<piece>;

// ---- blocks ---------------------------------------------------------------------------------------

struct fact {
  std::string name;
  pieces value;
};
struct facts {
  std::vector<fact> rows;
};

struct column {
  std::string name;
  bool number = false;  ///< aligned to the right
};
/// On a narrow screen each row is a card, with the columns' names before the values.
struct table {
  std::string caption;  ///< for those who hear the page
  std::vector<column> columns;
  std::vector<std::vector<pieces>> rows;  ///< the first cell of each row names it
};

/// A sentence or two.
struct paragraph {
  pieces text;
};
/// What to do where there is nothing yet.
struct empty_state {
  std::string title;
  std::string text;
  link next;  ///< no text: none
};
/// Something that must be read before one goes on.
struct callout {
  tone how = tone::neutral;
  std::string title;
  std::string text;
};
/// Shown this once: to be copied.
struct secret {
  std::string label;
  std::vector<std::string> values;
};

/// Links to other pages of a list, and away from it.
struct pager {
  std::string label;
  std::vector<link> links;
};
struct list {
  std::vector<pieces> items;
};

/// Markup that the gateway has made itself, such as a drawing: the one thing that is not escaped.
struct own_markup {
  std::string html;
  std::string caption;
};

/// Things that happened, each at its time.
struct event {
  shown_time at;
  std::string title;
  tone how = tone::neutral;
  pieces text;
};
struct timeline {
  std::vector<event> events;
};

/// Bars of whole numbers, in groups: the chart is drawn, and said in a table.
struct chart_series {
  std::string name;
  std::string_view style;  ///< a class of the style's: `captured`, `refunded`, `failed`
};
struct chart_value {
  double size = 0;  ///< 0 and more
  std::string text;  ///< as the table has it
};
struct chart_group {
  std::string name;
  std::string short_name;  ///< under the bars; empty: none, where there is no room for all
  std::vector<chart_value> values;  ///< one for each series
};
struct chart {
  std::string title;
  std::string most;  ///< what the top line stands for
  std::vector<chart_series> series;
  std::vector<chart_group> groups;
};

/// A figure with its name.
struct figure {
  std::string name;
  std::string value;
  std::string detail;
};
struct figures {
  std::vector<figure> items;
};

using block = std::variant<facts, table, paragraph, empty_state, callout, secret, pager, list, own_markup, act_form,
                           timeline, chart, figures>;

struct section {
  std::string id;  ///< unique in the page
  std::string title;  ///< empty: it needs none
  std::vector<block> blocks;
};

}  // namespace blocks

/// Fills a page's `{{>SECTIONS}}`.
void show_sections(ctemplate::TemplateDictionary& page, const std::vector<blocks::section>& sections);

}  // namespace gateway::http
