#include "reference.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>

#include "http/html/block_parts.hpp"
#include "markdown.hpp"
#include "openapi.hpp"
#include "schema_parts.hpp"

namespace gateway::http {
namespace {

using namespace openapi;

/// Headings within a description have no place among those of the page.
std::string prose_without_headings(std::string_view text) {
  auto html = render_markdown(text).html;
  for (const auto* level : {"1", "2", "3", "4"})
    for (const auto& [from, to] : {std::pair{std::string{"<h"} + level + ">", std::string{"<p class=\"what\">"}},
                                   std::pair{std::string{"</h"} + level + ">", std::string{"</p>"}}})
      for (auto at = html.find(from); at != html.npos; at = html.find(from, at + to.size()))
        html.replace(at, from.size(), to);
  return html;
}

/// A schema with a section of its own is shown by its name, except in a request, where the reader needs its fields.
void show_content(TemplateDictionary& where, const content_view& what, bool in_full, bool with_examples) {
  auto& part = include_part(where, "CONTENTS", "part_content");
  set(part, "MEDIA", what.media_type);
  const bool named = what.schema.type.size() == 1 && !what.schema.type.front().anchor.empty();
  if (named) show_type(part, "OF", what.schema.type);
  if (!named || in_full) show_schema(part, "SCHEMA", what.schema);
  if (!with_examples) return;
  for (const auto& each : what.examples) {
    auto& example = *part.AddSectionDictionary("EXAMPLE");
    if (each.title.empty()) example.ShowSection("UNTITLED");
    set_if_any(example, "TITLED", "TITLE", each.title);
    set(example, "TEXT", each.text);
  }
}

void show_answer(TemplateDictionary& item, const answer_view& what, const std::vector<std::string>& everywhere) {
  set(item, "STATUS", what.status);
  set_about(item, what.about);
  TemplateDictionary* list = nullptr;
  for (const auto& header : what.headers) {
    if (std::ranges::count(everywhere, header.what.name) > 0) continue;
    const bool later = list != nullptr;
    if (!list) list = item.AddSectionDictionary("HEADERS");
    auto& named = *list->AddSectionDictionary("HEADER");
    if (later) named.ShowSection("LATER");
    set(named, "NAME", header.what.name);
    if (header.anchor.empty()) continue;
    named.ShowSection("TO");
    set(named, "ANCHOR", header.anchor);
  }
  for (const auto& each : what.contents) show_content(item, each, false, what.success);
}

void show_operation(TemplateDictionary& item, const operation_view& what, const std::vector<std::string>& everywhere) {
  set(item, "ANCHOR", what.anchor);
  set(item, "SUMMARY", what.summary);
  set(item, "PATH", what.path);
  if (what.webhook)
    item.ShowSection("WEBHOOK");
  else
    set_if_any(item, "CALL", "METHOD", what.method);
  if (what.deprecated) item.ShowSection("DEPRECATED");
  set_about(item, what.about);
  set_if_any(item, "NEEDS", "TEXT", what.needs);
  if (!what.parameters.empty()) {
    auto& list = *item.AddSectionDictionary("PARAMETERS");
    for (const auto& each : what.parameters) {
      auto& parameter = *list.AddSectionDictionary("PARAMETER");
      show_field(parameter, each.what);
      set(parameter, "PLACE", each.place);
    }
  }
  if (!what.bodies.empty() || !what.body_about.empty()) {
    auto& body = *item.AddSectionDictionary("BODY");
    set_about(body, what.body_about);
    for (const auto& each : what.bodies) show_content(body, each, true, true);
  }
  if (what.answers.empty()) return;
  auto& list = *item.AddSectionDictionary("ANSWERS");
  for (const auto& each : what.answers) show_answer(*list.AddSectionDictionary("ANSWER"), each, everywhere);
}

/// The headers that every answer of every operation has.
std::vector<std::string> headers_everywhere(const document_view& all) {
  std::map<std::string, std::size_t> counts;
  std::size_t answers = 0;
  for (const auto& group : all.groups)
    for (const auto& operation : group.operations) {
      if (operation.webhook) continue;
      for (const auto& answer : operation.answers) {
        ++answers;
        for (const auto& header : answer.headers) ++counts[header.what.name];
      }
    }
  std::vector<std::string> names;
  for (const auto& [name, count] : counts)
    if (count == answers) names.push_back(name);
  return names;
}

void show_shared(TemplateDictionary& part, const document_view& all) {
  for (const auto& each : all.security) {
    auto& scheme = *part.AddSectionDictionary("SCHEME");
    set(scheme, "NAME", each.name);
    set_about(scheme, each.about);
  }
  for (const auto& each : all.headers) {
    auto& header = *part.AddSectionDictionary("HEADER");
    set(header, "ANCHOR", each.anchor);
    show_field(header, each.what);
  }
  for (const auto& each : all.schemas) {
    auto& schema = *part.AddSectionDictionary("SCHEMA");
    set(schema, "ANCHOR", each.anchor);
    set(schema, "NAME", each.what.title);
    show_schema(schema, "VIEW", each.what);
  }
}

void show_groups(TemplateDictionary& part, const document_view& all, const std::vector<std::string>& everywhere) {
  for (const auto& group : all.groups) {
    auto& shown = *part.AddSectionDictionary("GROUP");
    set(shown, "NAME", group.name);
    set(shown, "ID", "tag-" + anchor_of_heading(group.name));
    set_about(shown, group.about);
    for (const auto& each : group.operations)
      show_operation(*shown.AddSectionDictionary("OPERATION"), each, everywhere);
  }
}

}  // namespace

void show_reference(TemplateDictionary& page, const char* place, std::string_view openapi) {
  const auto all = read_document(boost::json::parse({openapi.data(), openapi.size()}));
  auto& part = include_part(page, place, "part_reference");
  if (!all.about.empty()) {
    auto& about = *part.AddSectionDictionary("ABOUT");
    set(about, "TITLE", all.title);
    set(about, "VERSION", all.version);
    set(about, "TEXT", prose_without_headings(all.about));
  }
  const auto everywhere = headers_everywhere(all);
  if (!everywhere.empty()) {
    std::string names;
    for (const auto& name : everywhere) names.append(names.empty() ? "" : ", ").append(name);
    set_if_any(part, "EVERYWHERE", "NAMES", names);
  }
  show_groups(part, all, everywhere);
  show_shared(part, all);
}

}  // namespace gateway::http
