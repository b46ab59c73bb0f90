#include "schemas.hpp"

#include <algorithm>

#include <boost/json/serialize.hpp>

namespace gateway::http::openapi {
namespace {

void absorb_property(json::object& all, const json::key_value_pair& property) {
  auto& known = all[property.key()];
  // Both apply, as for a reference that is narrowed where it is used.
  known =
      known.is_null() ? property.value() : json::value(json::object{{"allOf", json::array{known, property.value()}}});
}

void absorb_required(json::value& all, const json::value& more) {
  if (!all.is_array()) all = json::array{};
  if (const auto* names = more.if_array())
    for (const auto& name : *names)
      if (std::ranges::find(all.get_array(), name) == all.get_array().end()) all.get_array().push_back(name);
}

void absorb(json::object& out, const json::object& part) {
  for (const auto& member : part) {
    if (member.key() == "$ref" || member.key() == "allOf") continue;
    if (member.key() == "properties" && member.value().is_object()) {
      auto& all = out["properties"];
      if (!all.is_object()) all = json::object{};
      for (const auto& property : member.value().get_object()) absorb_property(all.get_object(), property);
    } else if (member.key() == "required") {
      absorb_required(out["required"], member.value());
    } else {
      out[member.key()] = member.value();
    }
  }
}

/// The schema without `$ref` and `allOf` at its top.
json::object flat(const json::value& document, const json::value& schema, int depth = 0) {
  json::object out;
  const auto* object = schema.if_object();
  if (!object || depth > deepest) return out;
  if (object->contains("$ref")) absorb(out, flat(document, *referred(document, &schema), depth + 1));
  if (const auto* parts = array_of(*object, "allOf"))
    for (const auto& part : *parts) absorb(out, flat(document, part, depth + 1));
  absorb(out, *object);
  return out;
}

const json::array* variants_of(const json::object& schema) {
  const auto* variants = array_of(schema, "oneOf");
  return variants ? variants : array_of(schema, "anyOf");
}

bool has_fields(const json::object& schema) {
  return schema.contains("properties") || schema.contains("patternProperties");
}

/// Whether a schema has a section of its own on the page. A plain text or number has none.
bool is_told_apart(const json::object& schema) {
  static constexpr std::size_t few_values = 8;
  const auto* values = array_of(schema, "enum");
  return has_fields(schema) || variants_of(schema) || (values && values->size() > few_values);
}

void append(type_name& to, const type_name& more) { to.insert(to.end(), more.begin(), more.end()); }

type_name type_of(const json::value& document, const json::value& schema, int depth);

type_name type_of_variants(const json::value& document, const json::array& variants, int depth) {
  type_name all;
  for (const auto& variant : variants) {
    if (!all.empty()) all.push_back({" or ", {}});
    append(all, type_of(document, variant, depth + 1));
  }
  return all;
}

type_name type_of_word(const json::value& document, const json::object& schema, std::string_view word, int depth) {
  type_name all;
  const char* of = word == "array" ? "items" : "additionalProperties";
  const auto* within = schema.if_contains(of);
  const bool is_named = within && within->is_object() && (word == "array" || (word == "object" && !has_fields(schema)));
  all.push_back({std::string{word} + (is_named ? " of " : ""), {}});
  if (is_named) append(all, type_of(document, *within, depth + 1));
  if (const auto format = text_of(schema, "format"); !format.empty() && word != "array" && word != "null")
    all.push_back({" (" + format + ")", {}});
  return all;
}

/// The words of `type`: several if it is an array. Without `type`, `object` if the schema has fields.
std::vector<std::string> type_words(const json::object& schema) {
  std::vector<std::string> words;
  if (const auto* list = array_of(schema, "type")) {
    for (const auto& word : *list)
      if (word.is_string()) words.emplace_back(word.get_string());
  } else if (auto word = text_of(schema, "type"); !word.empty()) {
    words.push_back(std::move(word));
  } else if (has_fields(schema)) {
    words.emplace_back("object");
  }
  return words;
}

type_name type_of(const json::value& document, const json::value& schema, int depth) {
  if (depth > deepest) return {{"any", {}}};
  const auto whole = flat(document, schema);
  const std::string name{name_of_reference(schema)};
  if (!name.empty() && is_told_apart(whole)) return {{name, anchor_of_schema(name)}};
  const auto words = type_words(whole);
  if (const auto* variants = variants_of(whole); variants && words.size() < 2)
    return type_of_variants(document, *variants, depth);
  type_name all;
  for (const auto& word : words) {
    if (!all.empty()) all.push_back({" or ", {}});
    append(all, type_of_word(document, whole, word, depth));
  }
  if (all.empty()) all.push_back({whole.contains("const") || whole.contains("enum") ? "value" : "any", {}});
  return all;
}

std::string shown(const json::value& value) {
  return value.is_string() ? std::string{value.get_string()} : json::serialize(value);
}

void say(std::string& text, std::string_view words) {
  if (!text.empty()) text += ' ';
  text.append(words).append(".");
}

void say_range(std::string& text, const json::object& schema, const char* least, const char* most,
               std::string_view unit) {
  const auto* from = schema.if_contains(least);
  const auto* to = schema.if_contains(most);
  if (!from && !to) return;
  std::string words;
  if (from && to)
    words = shown(*from) + " to " + shown(*to);
  else
    words = from ? "At least " + shown(*from) : "At most " + shown(*to);
  say(text, words.append(unit));
}

std::string limits_of(const json::object& schema) {
  std::string text;
  if (const auto* constant = schema.if_contains("const")) say(text, "Always " + shown(*constant));
  if (const auto* values = array_of(schema, "enum")) {
    std::string words;
    for (const auto& value : *values) words.append(words.empty() ? "One of: " : ", ").append(shown(value));
    say(text, words);
  }
  say_range(text, schema, "minimum", "maximum", "");
  say_range(text, schema, "exclusiveMinimum", "exclusiveMaximum", ", these excluded");
  say_range(text, schema, "minLength", "maxLength", " characters");
  say_range(text, schema, "minItems", "maxItems", " items");
  say_range(text, schema, "minProperties", "maxProperties", " members");
  if (const auto pattern = text_of(schema, "pattern"); !pattern.empty()) say(text, "Matches " + pattern);
  if (const auto* initial = schema.if_contains("default")) say(text, "Default: " + shown(*initial));
  if (flag_of(schema, "readOnly")) say(text, "Only in answers");
  if (flag_of(schema, "writeOnly")) say(text, "Only in requests");
  return text;
}

member_view field_of(const json::value& document, std::string name, const json::value& schema, bool required) {
  const auto whole = flat(document, schema);
  member_view out{std::move(name), type_of(document, schema, 0), required, flag_of(whole, "deprecated"), {}, {}};
  out.about = text_of(whole, "description");
  const bool elsewhere = !name_of_reference(schema).empty() && is_told_apart(whole);
  if (!elsewhere) out.limits = limits_of(whole);
  return out;
}

void add_fields(const json::value& document, const json::object& schema, const std::string& prefix, int depth,
                std::vector<member_view>& out);

/// The fields of an object or array in a field, unless its schema has a section of its own.
void add_inner_fields(const json::value& document, const json::value& schema, const std::string& name, int depth,
                      std::vector<member_view>& out) {
  const auto whole = flat(document, schema);
  if (depth > deepest || (!name_of_reference(schema).empty() && is_told_apart(whole))) return;
  add_fields(document, whole, name + '.', depth + 1, out);
  if (const auto* items = whole.if_contains("items")) add_inner_fields(document, *items, name + "[]", depth + 1, out);
  if (const auto* values = whole.if_contains("additionalProperties"))
    add_inner_fields(document, *values, name + ".*", depth + 1, out);
  if (const auto* variants = variants_of(whole))
    for (const auto& variant : *variants) add_inner_fields(document, variant, name, depth + 1, out);
}

void add_fields(const json::value& document, const json::object& schema, const std::string& prefix, int depth,
                std::vector<member_view>& out) {
  const auto* required = array_of(schema, "required");
  for (const auto* kind : {"properties", "patternProperties"}) {
    const auto* properties = object_of(schema, kind);
    if (!properties) continue;
    for (const auto& property : *properties) {
      const auto name = prefix + std::string{property.key()};
      const json::value key(property.key());
      const bool must_be = required && std::ranges::find(*required, key) != required->end();
      out.push_back(field_of(document, name, property.value(), must_be));
      add_inner_fields(document, property.value(), name, depth, out);
    }
  }
}

std::string title_of_variant(const json::object& variant, const json::value& schema, std::size_t number) {
  auto title = text_of(variant, "title");
  if (title.empty()) title = name_of_reference(schema);
  return title.empty() ? "Variant " + std::to_string(number) : title;
}

schema_view view_of(const json::value& document, const json::value& schema, int depth) {
  const auto whole = flat(document, schema);
  schema_view out;
  out.type = type_of(document, schema, 0);
  out.about = text_of(whole, "description");
  out.limits = limits_of(whole);
  add_fields(document, whole, "", 0, out.fields);
  if (const auto* items = whole.if_contains("items")) add_inner_fields(document, *items, "[]", 0, out.fields);
  const auto* variants = variants_of(whole);
  if (!variants || depth > deepest) return out;
  for (const auto& variant : *variants) {
    const auto variant_whole = flat(document, variant);
    const auto title = title_of_variant(variant_whole, variant, out.variants.size() + 1);
    if (!name_of_reference(variant).empty()) {
      out.variants.push_back({title, type_of(document, variant, 0), {}, {}, {}, {}});
      continue;
    }
    out.variants.push_back(view_of(document, variant, depth + 1));
    out.variants.back().title = title;
  }
  return out;
}

}  // namespace

std::string anchor_of_schema(std::string_view name) { return "schema-" + std::string{name}; }

schema_view view_of_schema(const json::value& document, const json::value& schema) {
  return view_of(document, schema, 0);
}

member_view view_of_field(const json::value& document, std::string_view name, const json::value& schema) {
  return field_of(document, std::string{name}, schema, false);
}

}  // namespace gateway::http::openapi
