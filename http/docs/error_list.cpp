#include "error_list.hpp"

#include <map>
#include <string>

#include "error_texts.hpp"
#include "http/html/block_parts.hpp"

namespace gateway::http {
namespace {

void add_paragraph(TemplateDictionary& section, const error_row& row) {
  auto& paragraph = *section.AddSectionDictionary("PARAGRAPH");
  paragraph.SetIntValue("STATUS", row.status);
  set(paragraph, "ABOUT", text_about(row.code));
  if (row.stored) paragraph.ShowSection("KEPT");
}

TemplateDictionary& add_named(TemplateDictionary& list, const char* section, const std::string& anchor,
                              std::string_view text) {
  auto& item = *list.AddSectionDictionary(section);
  set(item, "ANCHOR", anchor);
  set(item, "TEXT", text);
  return item;
}

}  // namespace

/// One section for each text, because callers search for the text; it lists every row that has this text.
void show_error_list(TemplateDictionary& page, const char* place) {
  auto& list = include_part(page, place, "part_errors");
  std::map<std::string, TemplateDictionary*> sections;
  for (const auto& row : error_catalogue()) {
    const auto anchor = anchor_of(row);
    auto& section = sections[anchor];
    if (!section) {
      add_named(list, "LINK", anchor, row.text);
      section = &add_named(list, "ERROR", anchor, row.text);
    }
    add_paragraph(*section, row);
  }
}

}  // namespace gateway::http
