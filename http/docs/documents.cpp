#include "documents.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "error_list.hpp"
#include "event_types.hpp"
#include "http/html/fill.hpp"
#include "http/html/page.hpp"
#include "http/html/templates.hpp"
#include "markdown.hpp"
#include "reference.hpp"
#include "texts.hpp"

namespace gateway::http {
namespace {

using ctemplate::TemplateDictionary;

constexpr auto written_pages = std::to_array<std::string_view>(
    {"index", "first-payment", "signing", "payments", "idempotency", "webhooks", "events", "testing", "cli", "errors",
     "limits", "platforms", "subscriptions", "portal", "reference", "versioning", "changelog"});
constexpr std::string_view reference_index = "reference";
constexpr std::string_view script_file = "samples.js";

/// The pages of the reference follow its index.
const std::vector<std::string_view>& document_order() {
  static const auto all = [] {
    std::vector<std::string_view> names{written_pages.begin(), written_pages.end()};
    auto at = std::ranges::find(names, reference_index) + 1;
    for (const auto& page : served_reference().pages) at = names.insert(at, page.name) + 1;
    return names;
  }();
  return all;
}

/// The address of one page in a link on another. It is relative, because a proxy may serve the gateway under any path.
/// /docs has no slash at its end, so addresses on that page begin with `docs/`.
std::string address_from(std::string_view page, std::string_view to) {
  const bool at_index = page == "index";
  if (to == "index") return at_index ? "docs" : "../docs";
  return (at_index ? "docs/" : "") + std::string{to};
}

std::string openapi_from(std::string_view page) { return page == "index" ? "openapi.json" : "../openapi.json"; }

/// Converts a link that works in the repository, `webhooks.md#verify`, to `webhooks#verify`.
std::string served_address(std::string_view page, std::string_view written) {
  if (written == "../openapi.json") return openapi_from(page);
  const auto hash = std::min(written.find('#'), written.size());
  auto file = written.substr(0, hash);
  static constexpr std::string_view suffix = ".md";
  if (!file.ends_with(suffix) || file.find('/') != file.npos) return std::string{written};
  file.remove_suffix(suffix.size());
  return address_from(page, file).append(written.substr(hash));
}

std::optional<std::string> example_at(std::string_view written) {
  static constexpr std::string_view folder = "../examples/";
  if (!written.starts_with(folder)) return std::nullopt;
  const auto found = std::ranges::find(example_texts(), written.substr(folder.size()), &document_text::name);
  if (found == example_texts().end()) return std::nullopt;
  return std::string{found->text};
}

const rendered_markdown& text_of_page(std::string_view name) {
  static const auto all = [] {
    std::map<std::string_view, rendered_markdown> made;
    for (const auto& [file, text] : served_texts())
      made.emplace(
          file, render_markdown(
                    text, {[file = file](std::string_view to) { return served_address(file, to); }, example_at, {}}));
    for (const auto& page : served_reference().pages)
      made.emplace(page.name, rendered_markdown{page.title, reference_headings(page), {}});
    made.at(reference_index).headings = reference_index_headings();
    return made;
  }();
  return all.at(name);
}

void show_neighbour(TemplateDictionary& values, const char* section, std::string_view from, std::string_view to) {
  auto& link = *values.AddSectionDictionary(section);
  set(link, "URL", address_from(from, to));
  set(link, "NAME", text_of_page(to).title);
}

void show_ways(TemplateDictionary& values, std::string_view name) {
  set(values, "HOME", address_from(name, "index"));
  set(values, "SEARCH", address_from(name, "search"));
  set(values, "OPENAPI", openapi_from(name));
  const auto& order = document_order();
  const bool within_reference = name == reference_index || reference_page_named(name);
  for (const auto& each : order) {
    const auto* part = reference_page_named(each);
    if (part && !within_reference) continue;
    auto& place = *values.AddSectionDictionary("PLACE");
    set(place, "URL", address_from(name, each));
    set(place, "NAME", part ? part->label : text_of_page(each).title);
    if (part) place.ShowSection("PART");
    if (each == name) place.ShowSection("HERE");
  }
  const auto here = std::ranges::find(order, name);
  if (here == order.end()) return;
  if (here != order.begin()) show_neighbour(values, "BEFORE", name, *(here - 1));
  if (here + 1 != order.end()) show_neighbour(values, "NEXT", name, *(here + 1));
}

void show_contents(TemplateDictionary& values, const std::vector<markdown_heading>& headings) {
  static constexpr std::ptrdiff_t worth_a_list = 3;
  const auto is_chapter = [](const markdown_heading& heading) { return heading.level == 2; };
  if (std::ranges::count_if(headings, is_chapter) < worth_a_list) return;
  auto& list = *values.AddSectionDictionary("CONTENTS");
  for (const auto& heading : headings) {
    if (!is_chapter(heading)) continue;
    auto& link = *list.AddSectionDictionary("TO");
    set(link, "ANCHOR", heading.anchor);
    set(link, "TEXT", heading.text);
  }
}

std::string page_html(std::string_view name) {
  const auto& text = text_of_page(name);
  TemplateDictionary values{"document"};
  values.ShowSection("FRAMED");
  set(values, "TITLE", text.title);
  show_ways(values, name);
  show_contents(values, text.headings);
  set(values, "TEXT", text.html);
  if (name == "events") show_event_types(values, "REST");
  if (name == "errors") show_error_list(values, "REST");
  if (name == reference_index) show_reference_index(values, "REST");
  if (const auto* part = reference_page_named(name)) show_reference_page(values, "REST", *part);
  set_if_any(values, "SCRIPT", "URL", address_from(name, script_file));
  return render(page_template::document, values);
}

}  // namespace

std::span<const std::string_view> document_names() { return document_order(); }

std::optional<response> document_page(std::string_view name) {
  static const auto pages = [] {
    std::map<std::string_view, std::string> made;
    for (const auto& each : document_order()) made.emplace(each, page_html(each));
    return made;
  }();
  const auto found = pages.find(name);
  if (found == pages.end()) return std::nullopt;
  return page_response(found->second, {.form_targets = "'self'", .scripts = true});
}

std::string_view document_title(std::string_view name) { return text_of_page(name).title; }

std::span<const markdown_heading> document_headings(std::string_view name) { return text_of_page(name).headings; }

response search_page(std::string_view query, std::span<const search_hit> hits) {
  constexpr std::string_view here = "search";
  TemplateDictionary values{"document"};
  values.ShowSection("FRAMED");
  set(values, "TITLE", "Search the documentation");
  set(values, "QUERY", query);
  show_ways(values, here);
  if (!query.empty()) {
    auto& found = *values.AddSectionDictionary("SEARCHED");
    const auto count =
        std::to_string(hits.size()) + (hits.size() == 1 ? " part of the pages has" : " parts of the pages have");
    set(found, "COUNT",
        hits.empty()                     ? "Nothing on these pages has all of these words. Try fewer, or parts of them."
        : hits.size() < most_search_hits ? count + " all of these words."
                                         : "The first " + count + " all of these words. Add one.");
    for (const auto& hit : hits) {
      auto& item = *found.AddSectionDictionary("HIT");
      set(item, "URL", address_from(here, hit.page) + (hit.anchor.empty() ? "" : "#" + hit.anchor));
      set(item, "NAME", hit.title);
      set(item, "PAGE", document_title(hit.page));
      set(item, "EXCERPT", hit.excerpt);
    }
  }
  return page_response(render(page_template::document, values), {.form_targets = "'self'"});
}

response script_answer() {
  response out;
  out.content_type = "text/javascript; charset=utf-8";
  out.body = samples_script();
  out.headers.emplace_back("X-Content-Type-Options", "nosniff");
  out.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  return out;
}

response openapi_answer() {
  response out;
  out.body = openapi_text();
  return out;
}

}  // namespace gateway::http
