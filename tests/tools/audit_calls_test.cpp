// gatewayctl audit export and verify, with a gateway that a test scripts.
#include <catch2/catch.hpp>

#include <sstream>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "audit_calls.hpp"

using namespace gateway::ctl;
using Catch::Contains;

namespace {

namespace json = boost::json;

/// Gives its answers in sequence, and records the requests.
struct audited_gateway {
  std::vector<std::string> answers;
  std::vector<std::string> requests{};

  operator_poster poster() {
    return [this](const std::string& path, const json::object& body) {
      requests.push_back(path + ' ' + json::serialize(body));
      if (requests.size() > answers.size()) throw std::runtime_error("asked too often");
      return json::parse(answers[requests.size() - 1]).get_object();
    };
  }
};

constexpr const char* good_part =
    R"({"ok":true,"entries":2,"erased":1,"unlinked":3,"problems":[],"head":{"chain":0,"number":2,"hash":"aa"}})";

}  // namespace

TEST_CASE("an export writes the pages as one list, the oldest entry first") {
  audited_gateway from{
      {R"({"entries":[{"audit_id":"a"},{"audit_id":"b"}],"next":"n1"})", R"({"entries":[{"audit_id":"c"}]})"}};
  std::ostringstream out;
  export_audit({{{"merchant_id", "merch_1"}}}, from.poster(), out);
  const auto written = json::parse(out.str()).get_object();
  CHECK(json::serialize(written.at("entries")) == R"([{"audit_id":"a"},{"audit_id":"b"},{"audit_id":"c"}])");
  REQUIRE(from.requests.size() == 2);
  CHECK_THAT(from.requests[0], Contains("/operator/audit/list") && Contains(R"("oldest_first":true)") &&
                                   Contains("merch_1") && !Contains("after"));
  CHECK_THAT(from.requests[1], Contains(R"("after":"n1")") && Contains("merch_1"));

  audited_gateway empty{{R"({"entries":[]})"}};
  std::ostringstream nothing;
  export_audit({}, empty.poster(), nothing);
  CHECK(json::parse(nothing.str()).at("entries").as_array().empty());
}

TEST_CASE("a verification follows the parts, adds them up, and compares the ends that were named") {
  audited_gateway from{{R"({"ok":true,"entries":500,"erased":0,"unlinked":3,"problems":[],
                            "next":{"chain":0,"number":500,"id":"audit_x","hash":"bb"}})",
                        R"({"ok":true,"entries":2,"erased":1,"unlinked":0,"problems":[],
                            "head":{"chain":0,"number":502,"hash":"aa"}})",
                        R"({"ok":true,"problems":[]})"}};
  std::ostringstream out;
  CHECK(verify_audit({{{0, 502, "aa"}}, true}, from.poster(), out));
  const auto answer = json::parse(out.str()).get_object();
  CHECK(answer.at("ok").as_bool());
  CHECK(answer.at("entries").as_int64() == 502);
  CHECK(answer.at("erased").as_int64() == 1);
  CHECK(answer.at("unlinked").as_int64() == 3);
  CHECK(answer.at("heads").as_array().size() == 1);
  REQUIRE(from.requests.size() == 3);
  CHECK(from.requests[0] == "/operator/audit/verify {}");
  CHECK_THAT(from.requests[1], Contains(R"("number":500)") && Contains("audit_x"));
  CHECK_THAT(from.requests[2], Contains("/operator/audit/compare") && Contains(R"("hash":"aa")"));
}

TEST_CASE("a problem makes the verification fail, and is shown with its place") {
  const std::string bad =
      R"({"ok":false,"entries":2,"erased":0,"unlinked":0,"problems":[{"problem":"missing","chain":4,"number":3,
          "audit_id":null,"message":"entry 3 at the end of the chain cannot be found"}]})";
  for (const bool as_json : {false, true}) {
    audited_gateway from{{bad}};
    std::ostringstream out;
    CHECK_FALSE(verify_audit({{}, as_json}, from.poster(), out));
    CHECK_THAT(out.str(), Contains("missing") && Contains("entry 3 at the end of the chain cannot be found"));
  }
  audited_gateway compared{{good_part, bad}};
  std::ostringstream out;
  CHECK_FALSE(verify_audit({{{4, 3, "cc"}}, true}, compared.poster(), out));
}
