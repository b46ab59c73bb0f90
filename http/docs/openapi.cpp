#include "openapi.hpp"

#include <algorithm>
#include <array>

#include "markdown.hpp"
#include "schemas.hpp"

namespace gateway::http::openapi {
namespace {

struct method_word {
  std::string_view member;
  std::string_view shown;
};
constexpr auto methods = std::to_array<method_word>({{"get", "GET"},
                                                     {"post", "POST"},
                                                     {"put", "PUT"},
                                                     {"patch", "PATCH"},
                                                     {"delete", "DELETE"},
                                                     {"head", "HEAD"},
                                                     {"options", "OPTIONS"},
                                                     {"trace", "TRACE"}});

const json::object& object_behind(const json::value& document, const json::value& part) {
  static const json::object none;
  const auto* object = resolved(document, part).if_object();
  return object ? *object : none;
}

std::string anchor_of_header(std::string_view name) { return "header-" + std::string{name}; }

void add_examples(const json::value& document, const json::object& of, std::vector<example_view>& out) {
  if (const auto* one = of.if_contains("example")) out.push_back({{}, indented(*one)});
  if (const auto* list = array_of(of, "examples"))
    for (const auto& each : *list) out.push_back({{}, indented(each)});
  const auto* named = object_of(of, "examples");
  if (!named) return;
  for (const auto& each : *named) {
    const auto& example = object_behind(document, each.value());
    auto title = text_of(example, "summary");
    if (title.empty()) title = each.key();
    if (const auto* value = example.if_contains("value")) out.push_back({std::move(title), indented(*value)});
  }
}

std::vector<content_view> contents_of(const json::value& document, const json::object& of) {
  std::vector<content_view> all;
  const auto* contents = object_of(of, "content");
  if (!contents) return all;
  for (const auto& content : *contents) {
    content_view view{std::string{content.key()}, {}, {}};
    const auto& media = object_behind(document, content.value());
    if (const auto* schema = media.if_contains("schema")) {
      view.schema = view_of_schema(document, *schema);
      add_examples(document, media, view.examples);
      if (view.examples.empty()) add_examples(document, object_behind(document, *schema), view.examples);
    } else {
      add_examples(document, media, view.examples);
    }
    all.push_back(std::move(view));
  }
  return all;
}

/// The description of a parameter or a header takes precedence over its schema's.
member_view field_with_schema(const json::value& document, std::string_view name, const json::object& part) {
  static const json::value any = json::object{};
  const auto* schema = part.if_contains("schema");
  if (const auto* contents = object_of(part, "content"); !schema && contents && !contents->empty())
    schema = object_behind(document, contents->begin()->value()).if_contains("schema");
  auto view = view_of_field(document, name, schema ? *schema : any);
  if (auto about = text_of(part, "description"); !about.empty()) view.about = std::move(about);
  view.required = flag_of(part, "required");
  view.deprecated = view.deprecated || flag_of(part, "deprecated");
  return view;
}

void add_parameters(const json::value& document, const json::object& of, std::vector<parameter_view>& out) {
  const auto* list = array_of(of, "parameters");
  if (!list) return;
  for (const auto& each : *list) {
    const auto& part = object_behind(document, each);
    const auto name = text_of(part, "name"), place = text_of(part, "in");
    // An operation's parameter replaces its path's.
    std::erase_if(out, [&](const parameter_view& known) { return known.what.name == name && known.place == place; });
    out.push_back({field_with_schema(document, name, part), place});
  }
}

answer_view answer_of(const json::value& document, std::string_view status, const json::value& written) {
  const auto& part = object_behind(document, written);
  answer_view view;
  view.status = status;
  view.success = status.starts_with('2') || status.starts_with('3');
  view.about = text_of(part, "description");
  if (const auto* headers = object_of(part, "headers"))
    for (const auto& header : *headers) {
      const auto name = name_of_reference(header.value());
      view.headers.push_back({field_with_schema(document, header.key(), object_behind(document, header.value())),
                              name.empty() ? std::string{} : anchor_of_header(name)});
    }
  view.contents = contents_of(document, part);
  return view;
}

/// The security that an operation needs: `A and B, or C`.
std::string needs_of(const json::object& root, const json::object& operation) {
  const auto* ways = array_of(operation, "security");
  if (!ways) ways = array_of(root, "security");
  std::string text;
  if (!ways) return text;
  for (const auto& way : *ways) {
    if (!way.is_object()) continue;
    std::string all;
    for (const auto& scheme : way.get_object()) {
      all.append(all.empty() ? "" : " and ").append(scheme.key());
      if (const auto* scopes = scheme.value().if_array())
        for (const auto& scope : *scopes)
          if (scope.is_string()) all.append(" ").append(std::string_view{scope.get_string()});
    }
    text.append(text.empty() ? "" : ", or ").append(all.empty() ? "nothing" : all);
  }
  return text == "nothing" ? std::string{} : text;
}

operation_view operation_of(const json::value& document, std::string_view path, const method_word& method,
                            const json::object& item, const json::object& part) {
  operation_view view;
  view.method = method.shown;
  view.path = path;
  view.anchor = text_of(part, "operationId");
  if (view.anchor.empty()) view.anchor = anchor_of_heading(std::string{method.member} + ' ' + std::string{path});
  view.summary = text_of(part, "summary");
  if (view.summary.empty()) view.summary = view.method + ' ' + view.path;
  view.about = text_of(part, "description");
  view.deprecated = flag_of(part, "deprecated");
  view.needs = needs_of(document.get_object(), part);
  add_parameters(document, item, view.parameters);
  add_parameters(document, part, view.parameters);
  if (const auto* body = part.if_contains("requestBody")) {
    const auto& behind = object_behind(document, *body);
    view.body_about = text_of(behind, "description");
    view.bodies = contents_of(document, behind);
  }
  if (const auto* answers = object_of(part, "responses"))
    for (const auto& answer : *answers) view.answers.push_back(answer_of(document, answer.key(), answer.value()));
  return view;
}

group_view& group_named(document_view& out, std::string_view name) {
  const auto found = std::ranges::find(out.groups, name, &group_view::name);
  if (found != out.groups.end()) return *found;
  return out.groups.emplace_back(group_view{std::string{name}, {}, {}});
}

void add_operations(const json::value& document, const char* member, document_view& out) {
  const auto* items = object_of(document.get_object(), member);
  if (!items) return;
  const bool webhooks = std::string_view{member} == "webhooks";
  for (const auto& each : *items) {
    const auto& item = object_behind(document, each.value());
    for (const auto& method : methods) {
      const auto* part = object_of(item, method.member);
      if (!part) continue;
      const auto* tags = array_of(*part, "tags");
      const bool tagged = tags && !tags->empty() && tags->back().is_string();
      auto& group = group_named(out, tagged ? std::string_view{tags->back().get_string()}
                                            : std::string_view{webhooks ? "Webhooks" : "Other operations"});
      group.operations.push_back(operation_of(document, each.key(), method, item, *part));
      group.operations.back().webhook = webhooks;
    }
  }
}

/// The name under which answers send a shared header; the components list it under another name.
std::string name_on_the_wire(const document_view& all, std::string_view name) {
  const auto anchor = anchor_of_header(name);
  for (const auto& group : all.groups)
    for (const auto& operation : group.operations)
      for (const auto& answer : operation.answers)
        for (const auto& header : answer.headers)
          if (header.anchor == anchor) return header.what.name;
  return std::string{name};
}

void read_components(const json::value& document, document_view& out) {
  const auto* components = object_of(document.get_object(), "components");
  if (!components) return;
  if (const auto* schemes = object_of(*components, "securitySchemes"))
    for (const auto& each : *schemes)
      out.security.push_back({std::string{each.key()}, text_of(object_behind(document, each.value()), "description")});
  if (const auto* headers = object_of(*components, "headers"))
    for (const auto& each : *headers)
      out.headers.push_back(
          {field_with_schema(document, name_on_the_wire(out, each.key()), object_behind(document, each.value())),
           anchor_of_header(each.key())});
  if (const auto* schemas = object_of(*components, "schemas"))
    for (const auto& each : *schemas) {
      out.schemas.push_back({anchor_of_schema(each.key()), view_of_schema(document, each.value())});
      out.schemas.back().what.title = each.key();
    }
}

}  // namespace

document_view read_document(const json::value& document) {
  document_view out;
  const auto& root = document.as_object();
  if (const auto* info = object_of(root, "info")) {
    out.title = text_of(*info, "title");
    out.version = text_of(*info, "version");
    out.about = text_of(*info, "description");
  }
  if (const auto* tags = array_of(root, "tags"))
    for (const auto& each : *tags) {
      const auto& tag = object_behind(document, each);
      group_named(out, text_of(tag, "name")).about = text_of(tag, "description");
    }
  add_operations(document, "paths", out);
  add_operations(document, "webhooks", out);
  std::erase_if(out.groups, [](const group_view& group) { return group.operations.empty(); });
  read_components(document, out);
  return out;
}

}  // namespace gateway::http::openapi
