// What the reference reads from an OpenAPI document: references, compositions, examples, headers.
#include <fstream>
#include <iterator>
#include <map>

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include "http/docs/openapi.hpp"

using namespace gateway::http::openapi;

namespace {

/// tests/data/openapi.json has a sample of everything.
const document_view& orchard() {
  static const auto read = [] {
    std::ifstream file{GATEWAY_TEST_DATA "/openapi.json"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    return read_document(boost::json::parse(text));
  }();
  return read;
}

const operation_view& operation(std::string_view anchor) {
  for (const auto& group : orchard().groups)
    for (const auto& each : group.operations)
      if (each.anchor == anchor) return each;
  throw std::runtime_error{"no operation " + std::string{anchor}};
}

const schema_view& schema(std::string_view name) {
  for (const auto& each : orchard().schemas)
    if (each.what.title == name) return each.what;
  throw std::runtime_error{"no schema " + std::string{name}};
}

/// The type's text, with linked names in brackets.
std::string text_of_type(const type_name& type) {
  std::string text;
  for (const auto& part : type) text += part.anchor.empty() ? part.text : '[' + part.text + ']';
  return text;
}

/// `type, required; limits` of each field.
std::map<std::string, std::string> fields_of(const schema_view& view) {
  std::map<std::string, std::string> all;
  for (const auto& each : view.fields) {
    auto text = text_of_type(each.type);
    if (each.required) text += ", required";
    if (each.deprecated) text += ", deprecated";
    if (!each.limits.empty()) text += "; " + each.limits;
    all.emplace(each.name, std::move(text));
  }
  return all;
}

}  // namespace

TEST_CASE("operations are grouped by tag, in the order of the tags, and those without a tag come last") {
  std::vector<std::string> found;
  for (const auto& group : orchard().groups)
    for (const auto& each : group.operations) found.push_back(group.name + ": " + each.method + ' ' + each.path);
  CHECK(found == std::vector<std::string>{"Trees: GET /trees/{id}", "Other operations: PUT /trees/{id}",
                                          "Webhooks: POST tree.fell"});
  CHECK(operation("treeFell").webhook);
  CHECK(operation("getTree").deprecated);
  CHECK(operation("put-treesid").summary == "Plant a tree");
}

TEST_CASE("an operation has its path's parameters, replaced by its own of the same name") {
  std::vector<std::string> found;
  for (const auto& each : operation("getTree").parameters)
    found.push_back(each.place + ' ' + each.what.name + ": " + text_of_type(each.what.type) +
                    (each.what.required ? ", required" : "") + "; " + each.what.about + each.what.limits);
  CHECK(found == std::vector<std::string>{"path id: string, required; At most 20 characters. Matches ^tree_.",
                                          "query fields: string, required; of the operationDefault: kind."});
  const auto& inherited = operation("put-treesid").parameters;
  REQUIRE(inherited.size() == 2);
  CHECK(text_of_type(inherited[1].what.type) == "array of string");
}

TEST_CASE("who may call is the document's rule unless the operation has its own") {
  CHECK(operation("getTree").needs == "Key");
  CHECK(operation("put-treesid").needs.empty());
}

TEST_CASE("a schema is a list of fields, with nested fields under their field's name") {
  const std::map<std::string, std::string> expected{
      {"kind", "string, required; One of: apple, plum."},
      {"age", "integer or null; 0 to 900."},
      {"soil", "object"},
      {"soil.acidity", "number, deprecated"},
      {"rings", "array of object; At most 9 items."},
      {"rings[].width", "integer, required"},
      {"labels", "object of string or null"},
      {"root", "[Node]"},
      {"fruit", "[Core] or [Stone] or null"},
  };
  CHECK(fields_of(schema("Tree")) == expected);
  CHECK(schema("Tree").fields.front().about == "What **kind**.");
}

TEST_CASE("a schema that contains itself ends at its name") {
  CHECK(fields_of(schema("Node")) == std::map<std::string, std::string>{{"children", "array of [Node]"}});
}

TEST_CASE("a reference is narrowed by its sibling keywords, and by allOf") {
  const auto& body = operation("put-treesid").bodies.at(0);
  CHECK(fields_of(body.schema).at("fruit") == "[Core] or [Stone] or null, required");
  CHECK(fields_of(body.schema).at("kind") == "string, required; One of: apple, plum.");
  const auto& fault = operation("getTree").answers.at(1).contents.at(0).schema;
  CHECK(text_of_type(fault.type) == "[Fault]");
  CHECK(fields_of(fault).at("code") == "string, required; One of: not_found.");
}

TEST_CASE("each variant of a choice is named, and shown in place if it has no section of its own") {
  const auto& fruit = schema("Fruit");
  REQUIRE(fruit.variants.size() == 2);
  CHECK(fruit.variants[0].title == "Core");
  CHECK(text_of_type(fruit.variants[0].type) == "[Core]");
  CHECK(fruit.variants[0].fields.empty());
  CHECK(fruit.variants[1].title == "Unknown");
  CHECK(fields_of(fruit.variants[1]) == std::map<std::string, std::string>{{"sort", "string"}});
}

TEST_CASE("examples are given by reference, by the media type or by name") {
  const auto& named = operation("put-treesid").bodies.at(0).examples;
  REQUIRE(named.size() == 1);
  CHECK(named[0].title == "An apple tree");
  CHECK(named[0].text ==
        "{\n  \"kind\": \"apple\",\n  \"fruit\": {\n    \"sort\": \"core\",\n    \"seeds\": 5\n  }\n}");
  const auto& only = operation("getTree").answers.at(0).contents.at(0).examples;
  REQUIRE(only.size() == 1);
  CHECK(only[0].text == "{\n  \"kind\": \"apple\",\n  \"rings\": []\n}");
}

TEST_CASE("an answer's headers link to the shared headers, under their wire names") {
  const auto& answer = operation("getTree").answers.at(0);
  CHECK(answer.success);
  REQUIRE(answer.headers.size() == 2);
  CHECK(answer.headers[0].what.name == "Trace");
  CHECK(answer.headers[0].anchor == "header-TraceId");
  CHECK(answer.headers[1].anchor.empty());
  REQUIRE(orchard().headers.size() == 1);
  CHECK(orchard().headers[0].what.name == "Trace");
  CHECK(orchard().headers[0].anchor == "header-TraceId");
}

TEST_CASE("a reference to nothing, or in a circle, is an error that names it") {
  const auto read = [](const char* text) { return read_document(boost::json::parse(text)); };
  CHECK_THROWS_WITH(read(R"({"components":{"schemas":{"A":{"$ref":"#/components/schemas/B"}}}})"),
                    Catch::Contains("#/components/schemas/B"));
  CHECK_THROWS_WITH(read(R"({"paths":{"/a":{"$ref":"other.json#/a"}}})"), Catch::Contains("other.json"));
  CHECK_THROWS(read(R"({"paths":{"/a":{"$ref":"#/paths/~1a"}}})"));
  // A schema may refer to itself alone; it then has no description.
  CHECK(read(R"({"components":{"schemas":{"A":{"$ref":"#/components/schemas/A"}}}})").schemas.size() == 1);
}
