// The messages to a collector, parsed as a collector would.
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <string>

#include "tracing/otlp_json.hpp"

using namespace gateway;
using namespace gateway::actors;

namespace {

namespace json = boost::json;

span a_span() {
  span one;
  one.where.trace = {0x4bf92f3577b34da6, 0xa3ce929d0e0e4736};
  one.where.span = 0x00f067aa0ba902b7;
  one.where.flags = trace_context::sampled;
  one.where.recorded = true;
  one.parent = 0xb7ad6b7169203331;
  one.name = "POST /v1/payment_intents";
  one.kind = span_kind::server;
  one.begun = 1'795'167'000'000'000'001;
  one.ended = 1'795'167'000'012'345'678;
  one.attributes = {{"http.request.method", std::string{"POST"}},
                    {"http.response.status_code", std::int64_t{200}},
                    {"gateway.payment_id", std::string{"pay_\"1\"\n\\\xff"}}};
  return one;
}

json::object first_span(const std::string& body) {
  return json::parse(body).at_pointer("/resourceSpans/0/scopeSpans/0/spans/0").as_object();
}

}  // namespace

TEST_CASE("otlp: a span has its ids in hex, its times as texts and its kind as a number") {
  const auto sent = first_span(otlp_json({"shop", "n1"}, {a_span()}));
  CHECK(sent == json::parse(R"({
    "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
    "spanId": "00f067aa0ba902b7",
    "parentSpanId": "b7ad6b7169203331",
    "name": "POST /v1/payment_intents",
    "kind": 2,
    "startTimeUnixNano": "1795167000000000001",
    "endTimeUnixNano": "1795167000012345678",
    "attributes": [
      {"key": "http.request.method", "value": {"stringValue": "POST"}},
      {"key": "http.response.status_code", "value": {"intValue": "200"}},
      {"key": "gateway.payment_id", "value": {"stringValue": "pay_\"1\"\n\\\ufffd"}}
    ]})"));
}

TEST_CASE("otlp: a failed span has an error status, and one without a parent has none") {
  auto one = a_span();
  one.failed = true;
  one.parent = 0;
  one.kind = span_kind::client;
  one.attributes.clear();
  const auto sent = first_span(otlp_json({"shop", ""}, {one}));
  CHECK(sent.at("status") == json::parse(R"({"code": 2})"));
  CHECK(sent.at("kind") == 3);
  CHECK(sent.at("attributes").as_array().empty());
  CHECK(sent.if_contains("parentSpanId") == nullptr);
}

TEST_CASE("otlp: all spans are of one resource, which names the service and the node") {
  const auto whole = json::parse(otlp_json({"shop", "n1"}, {a_span(), a_span(), a_span()}));
  CHECK(whole.at("resourceSpans").as_array().size() == 1);
  CHECK(whole.at_pointer("/resourceSpans/0/scopeSpans/0/spans").as_array().size() == 3);
  CHECK(whole.at_pointer("/resourceSpans/0/resource/attributes") == json::parse(R"([
    {"key": "service.name", "value": {"stringValue": "shop"}},
    {"key": "service.instance.id", "value": {"stringValue": "n1"}}])"));
  const auto alone = json::parse(otlp_json({"shop", ""}, {}));
  CHECK(alone.at_pointer("/resourceSpans/0/resource/attributes").as_array().size() == 1);
}

TEST_CASE("otlp: an answer contains how many spans were rejected") {
  struct row {
    const char* answer;
    std::uint64_t rejected;
  };
  for (const auto& row : {row{"", 0},
                          {"{}", 0},
                          {"[]", 0},
                          {"{\"partialSuccess\":", 0},
                          {R"({"partialSuccess":{}})", 0},
                          {R"({"partialSuccess":null})", 0},
                          {R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}})", 3},
                          {R"({"partialSuccess":{"rejectedSpans":4}})", 4},
                          {R"({"partialSuccess":{"rejectedSpans":-4}})", 0},
                          {R"({"partialSuccess":{"rejectedSpans":"many"}})", 0}}) {
    CAPTURE(row.answer);
    CHECK(rejected_spans(row.answer) == row.rejected);
  }
}
