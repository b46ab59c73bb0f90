#include "reference.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "code_sample.hpp"
#include "http/html/block_parts.hpp"
#include "openapi.hpp"
#include "schema_parts.hpp"

namespace gateway::http {
namespace {

using namespace openapi;

/// Headings within a description become paragraphs, because they are no headings of the page.
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
    set(example, "CODE", code_block_html("json", each.text));
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
    set(named, "ADDRESS", reference_address(header.anchor));
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

void show_shared(TemplateDictionary& part, const document_view& all, const std::vector<std::string>& everywhere) {
  auto& shared = *part.AddSectionDictionary("SHARED");
  for (const auto& each : all.security) {
    auto& scheme = *shared.AddSectionDictionary("SCHEME");
    set(scheme, "NAME", each.name);
    set_about(scheme, each.about);
  }
  std::string names;
  for (const auto& name : everywhere) names.append(names.empty() ? "" : ", ").append(name);
  set_if_any(shared, "EVERYWHERE", "NAMES", names);
  for (const auto& each : all.headers) {
    auto& header = *shared.AddSectionDictionary("HEADER");
    set(header, "ANCHOR", each.anchor);
    show_field(header, each.what);
  }
}

/// An entry of the index.
TemplateDictionary& add_entry(TemplateDictionary& list, const char* section, std::string_view anchor,
                              std::string_view text) {
  auto& entry = *list.AddSectionDictionary(section);
  set(entry, "ANCHOR", anchor);
  set(entry, "ADDRESS", reference_address(anchor));
  set(entry, "TEXT", text);
  return entry;
}

std::string id_of_group(const group_view& group) { return "tag-" + anchor_of_heading(group.name); }

void show_group(TemplateDictionary& part, const reference_page& page) {
  auto& shown = *part.AddSectionDictionary("GROUP");
  set(shown, "NAME", page.label);
  set(shown, "ID", id_of_group(*page.group));
  set(shown, "PAGE", page.name);
  set(shown, "TITLE", page.title);
  set_about(shown, page.group->about);
  for (const auto& each : page.group->operations) {
    auto& entry = add_entry(shown, "OPERATION", each.anchor, each.summary);
    set(entry, "CALLED", each.webhook ? "event " + each.path : each.method + ' ' + each.path);
  }
}

}  // namespace

void show_reference_index(TemplateDictionary& page, const char* place) {
  const auto& book = served_reference();
  const auto& all = book.document;
  auto& part = include_part(page, place, "part_reference");
  if (!all.about.empty()) {
    auto& about = *part.AddSectionDictionary("ABOUT");
    set(about, "TITLE", all.title);
    set(about, "VERSION", all.version);
    set(about, "TEXT", prose_without_headings(all.about));
  }
  for (const auto& each : book.pages)
    if (each.group) show_group(part, each);
  set(part, "SHARED", book.pages.back().name);
  for (const auto& each : all.headers) add_entry(part, "HEADER", each.anchor, each.what.name);
  for (const auto& each : all.schemas) add_entry(part, "SCHEMA", each.anchor, each.what.title);
}

void show_reference_page(TemplateDictionary& page, const char* place, const reference_page& what) {
  const auto& all = served_reference().document;
  const auto everywhere = headers_everywhere(all);
  auto& part = include_part(page, place, "part_reference_page");
  if (what.group) {
    set_about(part, what.group->about);
    for (const auto& each : what.group->operations)
      show_operation(*part.AddSectionDictionary("OPERATION"), each, everywhere);
  } else {
    show_shared(part, all, everywhere);
  }
  if (what.schemas.empty()) return;
  auto& list = *part.AddSectionDictionary("SCHEMAS");
  for (const auto* each : what.schemas) {
    auto& schema = *list.AddSectionDictionary("SCHEMA");
    set(schema, "ANCHOR", each->anchor);
    set(schema, "NAME", each->what.title);
    show_schema(schema, "VIEW", each->what);
  }
}

std::vector<markdown_heading> reference_index_headings() {
  std::vector<markdown_heading> all;
  for (const auto& each : served_reference().pages)
    if (each.group) all.push_back({2, id_of_group(*each.group), each.label});
  all.push_back({2, "shared", "Shared by operations"});
  all.push_back({2, "schemas", "Schemas"});
  return all;
}

std::vector<markdown_heading> reference_headings(const reference_page& what) {
  std::vector<markdown_heading> all;
  if (what.group)
    for (const auto& each : what.group->operations) all.push_back({2, each.anchor, each.summary});
  else
    all = {{2, "authentication", "Authentication"}, {2, "headers", "Headers of answers"}};
  if (!what.schemas.empty()) all.push_back({2, "schemas", "Schemas"});
  return all;
}

}  // namespace gateway::http
