// docs/events/ has a schema for each type of event. The interface, the OpenAPI document and the page of events have
// these schemas. The end-to-end tests compare them with the events that are sent (tests/openapi/validate.py).
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "gateway/domain/webhook.hpp"
#include "http/docs/documents.hpp"
#include "http/docs/event_types.hpp"
#include "openapi_document.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

name_set types_that_are_sent() {
  name_set all{std::string{platform_capture_name}, std::string{test_event_type}};
  for (const auto& each : event_catalogue) all.emplace(each.name);
  return all;
}

boost::json::object answered_schemas() {
  boost::json::object all;
  const auto answer = boost::json::parse(event_types_answer().body);
  for (const auto& each : answer.at("event_types").as_array()) all[each.at("type").as_string()] = each.at("schema");
  return all;
}

name_set names_in(const boost::json::object& object) {
  name_set names;
  for (const auto& each : object) names.emplace(each.key());
  return names;
}

/// The schema of the body of a webhook in the OpenAPI document.
const boost::json::object& body_of_webhook(std::string_view type) {
  const auto& post = openapi_document().at("webhooks").at(type).at("post");
  return resolved(post.at("requestBody").at("content").at("application/json").at("schema"));
}

}  // namespace

TEST_CASE("GET /v1/event_types answers each type that a merchant or a platform receives, once") {
  const auto answer = event_types_answer();
  CHECK(answer.sent_status() == 200);
  CHECK(answer.content_type == "application/json");
  const auto whole = boost::json::parse(answer.body).as_object();
  CHECK(names_in(whole) == name_set{"event_types"});
  for (const auto& each : whole.at("event_types").as_array())
    CHECK(names_in(each.as_object()) == name_set{"type", "schema"});
  CHECK(names_in(answered_schemas()) == types_that_are_sent());
  CHECK(whole.at("event_types").as_array().size() == types_that_are_sent().size());
}

TEST_CASE("a schema has a version, describes each of its fields, and forbids none that may be added") {
  for (const auto& [type, schema] : answered_schemas()) {
    CAPTURE(type);
    CHECK(schema.at("x-version").to_number<int>() >= 1);
    CHECK(schema.at("type") == "object");
    CHECK_FALSE(schema.as_object().contains("additionalProperties"));
    const auto& fields = schema.at("properties").as_object();
    for (const auto& field : fields) {
      CAPTURE(field.key());
      CHECK_FALSE(string_in(field.value().at("description")).empty());
      CHECK(field.value().as_object().contains("type"));
    }
    for (const auto& name : schema.at("required").as_array()) CHECK(fields.contains(name.as_string()));
    CHECK_FALSE(schema.at("examples").as_array().empty());
  }
}

TEST_CASE("a schema says whether its type is sent only to endpoints that list it") {
  const auto schemas = answered_schemas();
  for (const auto& each : event_catalogue) {
    CAPTURE(each.name);
    const auto about = string_in(schemas.at(each.name).at("description"));
    CHECK(about.ends_with("Sent only to endpoints that list it.") == each.on_request);
  }
}

TEST_CASE("payment.succeeded and payment.captured have the same fields, because they are one event") {
  auto schemas = answered_schemas();
  for (const auto* type : {"payment.succeeded", "payment.captured"}) schemas.at(type).as_object().erase("description");
  CHECK(schemas.at("payment.succeeded") == schemas.at("payment.captured"));
}

TEST_CASE(
    "the OpenAPI document has the same schemas under webhooks (tests/openapi/write_event_schemas.py writes them)") {
  const auto schemas = answered_schemas();
  CHECK(names_in(openapi_document().at("webhooks").as_object()) == names_in(schemas));
  for (const auto& [type, schema] : schemas) {
    CAPTURE(type);
    const auto& fields = body_of_webhook(type).at("properties");
    CHECK(fields.at("type").at("const") == boost::json::value(type));
    CHECK(boost::json::value(resolved(fields.at("data"))) == schema);
  }
}

TEST_CASE("the page of events has a section with each field of each type") {
  const auto page = document_page("events").value().body;
  for (const auto& [type, schema] : answered_schemas()) {
    CAPTURE(type);
    const auto begin = page.find("<section id=\"" + std::string{type} + '"');
    REQUIRE(begin != page.npos);
    const auto section = page.substr(begin, page.find("</section>", begin) - begin);
    for (const auto& field : schema.at("properties").as_object())
      CHECK(section.find("<dt><code>" + std::string{field.key()} + "</code>") != section.npos);
  }
}
