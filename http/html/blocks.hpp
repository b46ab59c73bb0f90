// The building blocks of pages: a page consists of sections, a section of blocks, and each kind of block has one
// template (templates/part_*.html). The portal's and the console's views consist of these, so that a table or a form
// field is written once. All are plain values; the templates escape every text in them, except own_markup.
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

/// A form's field: what was typed, and its fault, which is shown beside it; empty if there is none.
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

/// A state as a word, with a colour that adds nothing to it.
struct badge {
  std::string text;
  tone how = tone::neutral;
};

struct link {
  std::string text;
  std::string url;  ///< http, https or relative to this site; other schemes are not linked
};

/// Text for machines, such as an id.
struct code {
  std::string text;
};

/// A text with an optional short explanation.
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
  user_name,  ///< of the account that the form signs in to
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
  radios,
  picture  ///< a PNG file; its form is sent as multipart/form-data
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
/// A form that posts to the page's own URL; or, with `asks`, one that requests the page again by GET, without a token.
struct act_form {
  std::string id;  ///< prefix of its fields' ids, which are unique in a page; empty: the ids are the fields' names
  std::string csrf;
  std::vector<hidden_field> hidden;
  std::vector<input> inputs;
  std::vector<button> buttons;
  std::string fault;  ///< about the form as a whole
  std::string folded;  ///< the label that unfolds it; empty: it is open. A form with faults is always open
  bool asks = false;
  std::vector<link> links;  ///< beside the buttons
  std::string about;  ///< what the buttons act on, for screen readers, which read labels without their surroundings
};

/// A form of one button.
act_form one_button(std::string csrf, std::string action, std::string label, std::string about,
                    std::vector<hidden_field> hidden);

// ---- values ---------------------------------------------------------------------------------------

/// One value, wherever values are shown. Several are shown one below the other.
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
/// On a narrow screen each row is a card, with the column names before the values.
struct table {
  std::string caption;  ///< for screen readers
  std::vector<column> columns;
  std::vector<std::vector<pieces>> rows;  ///< the first cell of each row names it
  /// Rows of one line, whose long texts are cut. On a narrow screen the cells stand two on a line, without the column
  /// names, the second at the right edge.
  bool brief = false;
};

/// A sentence or two.
struct paragraph {
  pieces text;
};
/// What to do while there is nothing to list.
struct empty_state {
  std::string title;
  std::string text;
  link next;  ///< no text: none
};
/// Something that the reader must know before going on.
struct callout {
  tone how = tone::neutral;
  std::string title;
  std::string text;
};
/// Shown only once, for copying.
struct secret {
  std::string label;
  std::vector<std::string> values;
};

/// Links to other pages of a list, and out of it.
struct pager {
  std::string label;
  std::vector<link> links;
};
/// Links to parts of a list, one of which is shown.
struct tab {
  std::string text;
  std::string count;  ///< `12`, `1000+`; empty: none
  std::string url;
  bool here = false;
};
struct tabs {
  std::string label;
  std::vector<tab> items;
};
struct list {
  std::vector<pieces> items;
};

/// Markup that the gateway generated, such as a drawing: the only value that is not escaped.
struct own_markup {
  std::string html;
  std::string caption;
};

/// Events with their times.
struct event {
  shown_time at;
  std::string title;
  tone how = tone::neutral;
  pieces text;
};
struct timeline {
  std::vector<event> events;
};

/// Bars of whole numbers, in groups: drawn as a chart, and repeated in a table.
struct chart_series {
  std::string name;
  std::string_view style;  ///< a CSS class: `captured`, `refunded`, `failed`
};
struct chart_value {
  double size = 0;  ///< not negative
  std::string text;  ///< the text in the table
};
struct chart_group {
  std::string name;
  std::string short_name;  ///< below the bars; empty: omitted for lack of room
  std::vector<chart_value> values;  ///< one for each series
  std::string url{};  ///< the bars and the table's row lead there; empty: nowhere. All groups have one, or none has
};
struct chart {
  std::string title;
  std::string most;  ///< the value of the top line
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

using block = std::variant<facts, table, paragraph, empty_state, callout, secret, pager, tabs, list, own_markup,
                           act_form, timeline, chart, figures>;

struct section {
  std::string id;  ///< unique in the page
  std::string title;  ///< may be empty
  std::vector<block> blocks;
};

}  // namespace blocks

/// Fills a page's `{{>SECTIONS}}`.
void show_sections(ctemplate::TemplateDictionary& page, const std::vector<blocks::section>& sections);

}  // namespace gateway::http
