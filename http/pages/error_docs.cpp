#include "error_docs.hpp"

#include <cstring>  // ctemplate uses strlen without it: this stays in front

#include <ctemplate/template_dictionary.h>

#include "http/errors.hpp"
#include "page.hpp"

namespace gateway::http {
namespace {

ctemplate::TemplateString view(std::string_view text) { return {text.data(), text.size()}; }

std::string render_catalogue() {
  ctemplate::TemplateDictionary values{"error_docs"};
  values.SetValue("TITLE", "Errors");
  for (const auto& row : error_catalogue()) {
    const auto anchor = anchor_of(row);
    auto* link = values.AddSectionDictionary("LINK");
    link->SetValue("ANCHOR", anchor);
    link->SetValue("TEXT", view(row.text));
    auto* error = values.AddSectionDictionary("ERROR");
    error->SetValue("ANCHOR", anchor);
    error->SetValue("TEXT", view(row.text));
    error->SetIntValue("STATUS", row.status);
    error->SetValue("ABOUT", view(row.about));
    if (row.stored) error->ShowSection("KEPT");
  }
  return render(page_template::error_docs, values);
}

}  // namespace

response error_docs_page() {
  static const std::string html = render_catalogue();
  return page_response(html);
}

}  // namespace gateway::http
