#include "error_docs.hpp"

#include <cstring>  // ctemplate uses strlen without it: this stays in front

#include <map>
#include <string>

#include <ctemplate/template_dictionary.h>

#include "http/errors.hpp"
#include "page.hpp"

namespace gateway::http {
namespace {

ctemplate::TemplateString view(std::string_view text) { return {text.data(), text.size()}; }

void add_paragraph(ctemplate::TemplateDictionary& section, const error_row& row) {
  auto* paragraph = section.AddSectionDictionary("PARAGRAPH");
  paragraph->SetIntValue("STATUS", row.status);
  paragraph->SetValue("ABOUT", view(row.about));
  if (row.stored) paragraph->ShowSection("KEPT");
}

/// One section for each text, for that is what a caller looks for; it tells of every row that has this text.
std::string render_catalogue() {
  ctemplate::TemplateDictionary values{"error_docs"};
  values.SetValue("TITLE", "Errors");
  std::map<std::string, ctemplate::TemplateDictionary*> sections;
  for (const auto& row : error_catalogue()) {
    const auto anchor = anchor_of(row);
    auto& section = sections[anchor];
    if (!section) {
      auto* link = values.AddSectionDictionary("LINK");
      link->SetValue("ANCHOR", anchor);
      link->SetValue("TEXT", view(row.text));
      section = values.AddSectionDictionary("ERROR");
      section->SetValue("ANCHOR", anchor);
      section->SetValue("TEXT", view(row.text));
    }
    add_paragraph(*section, row);
  }
  return render(page_template::error_docs, values);
}

}  // namespace

response error_docs_page() {
  static const std::string html = render_catalogue();
  return page_response(html);
}

}  // namespace gateway::http
