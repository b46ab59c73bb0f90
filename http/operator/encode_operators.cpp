#include "encode_operators.hpp"

#include <utility>

#include "http/codec/json_writer.hpp"

namespace gateway::http {

std::string encode_operator(std::string_view name, operator_role role, std::string_view setup_url) {
  std::string text;
  {
    json_object body{text};
    body.text("name", name);
    body.text("role", to_string(role));
    body.text("setup_url", setup_url);
  }
  return text;
}

std::string role_as_json(operator_role role) {
  std::string text;
  json_object{text}.text("role", to_string(role));
  return text;
}

std::string encode_removed_operator(std::string_view name) {
  std::string text;
  {
    json_object body{text};
    body.text("name", name);
    body.text("status", "removed");
  }
  return text;
}

std::string encode_operators(const std::vector<listed_operator>& all) {
  std::string text;
  {
    json_object body{text};
    auto& list = body.member("operators");
    list += '[';
    bool first = true;
    for (const auto& each : all) {
      if (!std::exchange(first, false)) list += ',';
      json_object row{list};
      row.text("name", each.name);
      row.text("role", to_string(each.role));
    }
    list += ']';
  }
  return text;
}

}  // namespace gateway::http
