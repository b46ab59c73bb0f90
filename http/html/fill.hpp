// Sets values in ctemplate's dictionaries. For sources that make pages.
#pragma once

#include <cstring>  // ctemplate uses strlen without including it: keep this first

#include <string_view>

#include <ctemplate/template_dictionary.h>

namespace gateway::http {

/// The dictionary keeps a copy.
inline void set(ctemplate::TemplateDictionary& values, const char* name, std::string_view text) {
  values.SetValue(name, ctemplate::TemplateString(text.data(), text.size()));
}

/// Shows the section with the text, unless the text is empty.
inline void set_if_any(ctemplate::TemplateDictionary& values, const char* section, const char* name,
                       std::string_view text) {
  if (text.empty()) return;
  set(*values.AddSectionDictionary(section), name, text);
}

}  // namespace gateway::http
