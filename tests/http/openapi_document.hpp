// docs/openapi.json, for the tests that compare it with the code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace gateway::http::testing {

using name_set = std::set<std::string, std::less<>>;

inline const boost::json::value& openapi_document() {
  static const auto document = [] {
    std::ifstream file{GATEWAY_TEST_DATA "/../../docs/openapi.json"};
    const std::string text{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
    boost::json::parse_options options;
    options.max_depth = 64;
    return boost::json::parse(text, {}, options);
  }();
  return document;
}

inline std::string string_in(const boost::json::value& from) { return boost::json::value_to<std::string>(from); }

/// The part itself, or what its `$ref` names.
inline const boost::json::object& resolved(const boost::json::value& part) {
  const auto* ref = part.as_object().if_contains("$ref");
  if (!ref) return part.as_object();
  const auto* at = &openapi_document();
  auto rest = string_in(*ref).substr(2);  // after "#/"
  for (std::size_t end = 0; end != std::string::npos; rest.erase(0, end + 1)) {
    end = rest.find('/');
    at = &at->as_object().at(rest.substr(0, end));
    if (end == std::string::npos) break;
  }
  return at->as_object();
}

/// `POST /v1/payment_intents/{}/capture`: without variables' names, which are the document's own.
inline std::string operation_name(std::string method, std::string_view path) {
  std::ranges::transform(method, method.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  std::string name = method + ' ';
  bool variable = false;
  for (const char c : path) {
    variable = variable && c != '}';
    if (!variable) name += c;
    variable = variable || c == '{';
  }
  return name;
}

/// The documented operations, by operation_name().
inline std::map<std::string, const boost::json::object*> documented_operations() {
  std::map<std::string, const boost::json::object*> all;
  for (const auto& path : openapi_document().at("paths").as_object())
    for (const auto& each : path.value().as_object())
      all.emplace(operation_name(each.key(), path.key()), &each.value().as_object());
  return all;
}

inline name_set parameters_of(const boost::json::object& operation, std::string_view where) {
  name_set found;
  for (const auto& each : operation.at("parameters").as_array()) {
    const auto& parameter = resolved(each);
    if (string_in(parameter.at("in")) == where) found.insert(string_in(parameter.at("name")));
  }
  return found;
}

}  // namespace gateway::http::testing
