// Reads an OpenAPI 3.1 document for people: what each operation takes and answers, with references followed and
// schemas as lists of fields. Pure: values in, values out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace gateway::http::openapi {

/// A part of a type's name; with an anchor it leads to the schema of that name.
struct type_part {
  std::string text;
  std::string anchor;
};
using type_name = std::vector<type_part>;

struct member_view {
  std::string name;  ///< from the body's root: `provider.error.code`, `items[].id`
  type_name type;
  bool required = false;
  bool deprecated = false;
  std::string about;   ///< CommonMark, as all descriptions here
  std::string limits;  ///< further limits on the value, as sentences; may be empty
};

struct schema_view {
  std::string title;
  type_name type;
  std::string about;
  std::string limits;
  std::vector<member_view> fields;
  std::vector<schema_view> variants;  ///< a value also matches one of these
};

struct example_view {
  std::string title;  ///< may be empty
  std::string text;   ///< JSON, indented
};

struct content_view {
  std::string media_type;
  schema_view schema;
  std::vector<example_view> examples;
};

struct parameter_view {
  member_view what;
  std::string place;  ///< path, query, header or cookie
};

/// A header of an answer.
struct header_view {
  member_view what;
  std::string anchor;  ///< of the header among those that answers share; empty: it is this answer's own
};

struct answer_view {
  std::string status;
  bool success = false;
  std::string about;
  std::vector<header_view> headers;
  std::vector<content_view> contents;
};

struct operation_view {
  std::string anchor;
  std::string method;  ///< upper case
  std::string path;    ///< for a webhook: its name
  std::string summary;
  std::string about;
  std::string needs;  ///< the security schemes, as a sentence; empty: none
  bool deprecated = false;
  bool webhook = false;
  std::vector<parameter_view> parameters;
  std::string body_about;
  std::vector<content_view> bodies;
  std::vector<answer_view> answers;
};

struct group_view {
  std::string name;
  std::string about;
  std::vector<operation_view> operations;
};

struct named_schema {
  std::string anchor;
  schema_view what;
};

struct scheme_view {
  std::string name;
  std::string about;
};

struct document_view {
  std::string title;
  std::string version;
  std::string about;
  std::vector<scheme_view> security;
  std::vector<group_view>
      groups;  ///< by tag, in the order of `tags`; each operation is in that of its last tag, the narrowest
  std::vector<header_view> headers;
  std::vector<named_schema> schemas;
};

/// Throws std::runtime_error, which names the reference, if a reference has no target.
document_view read_document(const boost::json::value& document);

}  // namespace gateway::http::openapi
