// The signatures of webhooks that gateway-cli makes and verifies.
#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <string>

#include <boost/json/parse.hpp>

#include "tools/gateway-cli/api_client.hpp"
#include "tools/gateway-cli/webhook_signature.hpp"

using namespace gateway::cli;
using Catch::Contains;

namespace {

boost::json::value read_vectors() {
  std::ifstream file{GATEWAY_TEST_DATA "/signing.json"};
  return boost::json::parse(std::string{std::istreambuf_iterator<char>{file}, {}});
}

std::string member(const boost::json::value& of, const char* name) { return std::string{of.at(name).as_string()}; }

constexpr std::string_view secret = "whsec_1";
constexpr std::string_view body = R"({"id":"evt_1"})";
constexpr std::int64_t signed_at = 1'795'167'000;

std::string why_not(const std::string& header, std::string_view of = body, std::int64_t now_s = signed_at,
                    std::string_view by = secret) {
  const auto seen = verify_webhook(by, header, of, usual_tolerance_s, now_s);
  CHECK(seen.genuine == seen.why.empty());
  return seen.why;
}

}  // namespace

TEST_CASE("webhooks of the shared vectors are genuine or not, as the vectors say") {
  const auto vectors = read_vectors();
  const auto& all = vectors.at("webhooks").as_array();
  REQUIRE(all.size() >= 5);
  for (const auto& each : all) {
    CAPTURE(member(each, "name"));
    const auto seen = verify_webhook(member(each, "secret"), member(each, "header"), member(each, "body"),
                                     each.at("tolerance").as_int64(), each.at("now").as_int64());
    CHECK(seen.genuine == each.at("valid").as_bool());
    if (member(each, "name") == "fresh")
      CHECK(sign_webhook(member(each, "secret"), member(each, "body"), each.at("t").as_int64()) ==
            member(each, "header"));
  }
}

TEST_CASE("requests are signed as the shared vectors say") {
  const auto vectors = read_vectors();
  const auto key = member(vectors, "secret");
  REQUIRE_FALSE(vectors.at("requests").as_array().empty());
  for (const auto& each : vectors.at("requests").as_array()) {
    CAPTURE(member(each, "name"));
    CHECK(request_signature(key, member(each, "method"), member(each, "target"), member(each, "timestamp"),
                            member(each, "body")) == member(each, "signature"));
  }
}

TEST_CASE("a webhook that is not genuine is refused with the reason") {
  const auto good = sign_webhook(secret, body, signed_at);
  const auto digits = good.substr(good.find("v1=") + 3);
  CHECK(why_not(good).empty());
  CHECK(why_not("  " + good + " ").empty());
  CHECK(why_not("t=1795167000,v0=x,v1=" + std::string(64, '0') + ",v1=" + digits).empty());

  CHECK_THAT(why_not(""), Contains("empty"));
  CHECK_THAT(why_not("v1=" + digits), Contains("no t="));
  CHECK_THAT(why_not("t=1795167000"), Contains("no v1="));
  CHECK_THAT(why_not("t=soon,v1=" + digits), Contains("whole seconds"));
  CHECK_THAT(why_not("t=-5,v1=" + digits), Contains("whole seconds"));
  CHECK_THAT(why_not("t=1,t=2,v1=" + digits), Contains("more than one t"));
  CHECK_THAT(why_not("t=1795167000,v1=" + digits.substr(1)), Contains("64 lower-case"));
  CHECK_THAT(why_not("t=1795167001,v1=" + digits), Contains("does not match"));
  CHECK_THAT(why_not(good, R"({"id":"evt_2"})"), Contains("does not match"));
  CHECK_THAT(why_not(good, body, signed_at, "whsec_2"), Contains("does not match"));
  CHECK_THAT(why_not(good, std::string{body} + "\n"), Contains("line end"));
  CHECK_THAT(why_not(good, body, signed_at + 301), Contains("301 s old"));
  CHECK_THAT(why_not(good, body, signed_at - 301), Contains("301 s ahead"));
  CHECK(why_not(good, body, signed_at + 300).empty());
  CHECK(why_not(good, body, signed_at - 300).empty());
}
