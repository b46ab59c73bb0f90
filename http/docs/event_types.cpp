#include "event_types.hpp"

#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "code_sample.hpp"
#include "json_parts.hpp"
#include "schema_parts.hpp"
#include "schemas.hpp"
#include "texts.hpp"

namespace gateway::http {
namespace {

using namespace openapi;

json::value schema_from(const document_text& file) { return json::parse({file.text.data(), file.text.size()}); }

std::string list_of_event_types() {
  json::array list;
  for (const auto& each : event_schema_texts())
    list.push_back(
        json::object{{"type", json::string_view{each.name.data(), each.name.size()}}, {"schema", schema_from(each)}});
  return json::serialize(json::object{{"event_types", std::move(list)}});
}

void show_event_type(TemplateDictionary& section, std::string_view type, const json::value& schema) {
  set(section, "TYPE", type);
  set(section, "VERSION", json::serialize(schema.at("x-version")));
  show_schema(section, "SCHEMA", view_of_schema(schema, schema));
  set(section, "EXAMPLE", code_block_html("json", indented(schema.at("examples").at(0))));
}

}  // namespace

response event_types_answer() {
  static const auto body = list_of_event_types();
  response out;
  out.body = body;
  return out;
}

void show_event_types(ctemplate::TemplateDictionary& page, const char* place) {
  auto& part = include_part(page, place, "part_event_types");
  for (const auto& each : event_schema_texts()) {
    set(*part.AddSectionDictionary("LINK"), "TYPE", each.name);
    show_event_type(*part.AddSectionDictionary("EVENT"), each.name, schema_from(each));
  }
}

}  // namespace gateway::http
