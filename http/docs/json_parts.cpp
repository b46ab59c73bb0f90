#include "json_parts.hpp"

#include <stdexcept>

#include <boost/json/serialize.hpp>

namespace gateway::http::openapi {
namespace {

void indent(std::string& text, const json::value& value, int depth) {
  const auto line = [&](int at) { text.append("\n").append(2 * static_cast<std::size_t>(at), ' '); };
  bool first = true;
  const auto next = [&] {
    if (!first) text += ',';
    first = false;
    line(depth + 1);
  };
  if (const auto* object = value.if_object(); object && !object->empty()) {
    text += '{';
    for (const auto& member : *object) {
      next();
      text.append(json::serialize(json::value(member.key()))).append(": ");
      indent(text, member.value(), depth + 1);
    }
    line(depth);
    text += '}';
  } else if (const auto* array = value.if_array(); array && !array->empty()) {
    text += '[';
    for (const auto& element : *array) {
      next();
      indent(text, element, depth + 1);
    }
    line(depth);
    text += ']';
  } else {
    text += json::serialize(value);
  }
}

}  // namespace

const json::value* referred(const json::value& document, const json::value* part) {
  const auto* object = part->if_object();
  const auto* reference = object ? object->if_contains("$ref") : nullptr;
  if (!reference || !reference->is_string()) return part;
  const std::string_view written = reference->get_string();
  boost::system::error_code fault;
  const auto* found = written.starts_with('#') ? document.find_pointer(written.substr(1), fault) : nullptr;
  if (!found) throw std::runtime_error{"an OpenAPI reference leads nowhere: " + std::string{written}};
  return found;
}

const json::value& resolved(const json::value& document, const json::value& part) {
  const auto* at = &part;
  for (int step = 0; !name_of_reference(*at).empty(); ++step) {
    if (step == deepest) throw std::runtime_error{"an OpenAPI reference leads in circles"};
    at = referred(document, at);
  }
  return *at;
}

std::string_view name_of_reference(const json::value& part) {
  const auto* object = part.if_object();
  const auto* reference = object ? object->if_contains("$ref") : nullptr;
  if (!reference || !reference->is_string()) return {};
  const std::string_view written = reference->get_string();
  return written.substr(written.rfind('/') + 1);
}

std::string text_of(const json::object& of, std::string_view name) {
  const auto* text = of.if_contains(name);
  return text && text->is_string() ? std::string{text->get_string()} : std::string{};
}

const json::object* object_of(const json::object& of, std::string_view name) {
  const auto* found = of.if_contains(name);
  return found ? found->if_object() : nullptr;
}

const json::array* array_of(const json::object& of, std::string_view name) {
  const auto* found = of.if_contains(name);
  return found ? found->if_array() : nullptr;
}

bool flag_of(const json::object& of, std::string_view name) {
  const auto* found = of.if_contains(name);
  return found && found->is_bool() && found->get_bool();
}

std::string indented(const json::value& value) {
  std::string text;
  indent(text, value, 0);
  return text;
}

}  // namespace gateway::http::openapi
