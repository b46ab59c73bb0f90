#include "schema_parts.hpp"

#include <map>
#include <string>

#include "http/errors.hpp"
#include "markdown.hpp"
#include "reference_pages.hpp"

namespace gateway::http {
namespace {

using namespace openapi;

/// The address of an error code's section in /docs/errors; empty for any other text.
std::string address_of_code(std::string_view text) {
  static const auto known = [] {
    std::map<std::string_view, std::string> anchors;
    for (const auto& row : error_catalogue()) anchors.emplace(row.text, "errors#" + anchor_of(row));
    return anchors;
  }();
  const auto found = known.find(text);
  return found == known.end() ? std::string{} : found->second;
}

}  // namespace

void set_about(TemplateDictionary& values, std::string_view text) {
  set(values, "ABOUT", text.empty() ? std::string{} : render_markdown(text, {{}, {}, address_of_code}).html);
}

void show_type(TemplateDictionary& where, const char* section, const type_name& type) {
  if (type.empty()) return;
  auto& list = *where.AddSectionDictionary(section);
  for (const auto& each : type) {
    auto& part = *list.AddSectionDictionary("PART");
    set(part, "TEXT", each.text);
    if (each.anchor.empty()) continue;
    part.ShowSection("TO");
    set(part, "ADDRESS", reference_address(each.anchor));
  }
}

void show_field(TemplateDictionary& item, const member_view& what) {
  set(item, "NAME", what.name);
  show_type(item, "TYPE", what.type);
  if (what.required) item.ShowSection("REQUIRED");
  if (what.deprecated) item.ShowSection("DEPRECATED");
  set_about(item, what.about);
  set_if_any(item, "LIMITS", "TEXT", what.limits);
}

void show_schema(TemplateDictionary& where, const char* place, const schema_view& what, bool shows_title) {
  auto& part = include_part(where, place, "part_schema");
  if (shows_title) set_if_any(part, "NAMED", "TITLE", what.title);
  const bool plain = what.fields.empty() && what.variants.empty();
  if (plain || !what.limits.empty()) {
    auto& line = *part.AddSectionDictionary("PLAIN");
    show_type(line, "TYPE", what.type);
    set_if_any(line, "LIMITS", "TEXT", what.limits);
  }
  set_about(part, what.about);
  if (!what.fields.empty()) {
    auto& list = *part.AddSectionDictionary("FIELDS");
    for (const auto& each : what.fields) show_field(*list.AddSectionDictionary("FIELD"), each);
  }
  if (!what.variants.empty()) part.ShowSection("CHOICE");
  for (const auto& each : what.variants) show_schema(part, "VARIANTS", each, true);
}

}  // namespace gateway::http
