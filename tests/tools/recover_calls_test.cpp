// gatewayctl recover, with a gateway that a test scripts.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <sstream>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "recover_calls.hpp"

using namespace gateway::ctl;
using Catch::Contains;

namespace {

namespace json = boost::json;

/// Has a list of answers for each path; the last one is repeated.
struct old_gateway {
  std::map<std::string, std::vector<std::string>> answers{
      {"/operator/recovery/begin",
       {R"({"required":true,"lists":[{"provider":"stripe","mode":"live"}],"without_list":[]})"}},
      {"/operator/providers/backfill", {R"({"events":3,"new":2,"complete":true})"}},
      {"/operator/notifications/list", {R"({"notifications":[]})"}},
      {"/operator/recovery/payments", {R"({"refreshed":1,"changed":0,"unanswered":[]})"}},
      {"/operator/recovery/sandbox-ledger", {R"({"missing":[]})"}},
      {"/operator/recovery/finish", {R"({"recovered":true})"}}};
  std::vector<std::string> requests{};
  int pauses = 0;

  json::object run(bool expected, bool accepts_unanswered = false) {
    std::ostringstream out, progress;
    const operator_poster post = [this](const std::string& path, const json::object& body) {
      requests.push_back(path + ' ' + json::serialize(body));
      auto& left = answers.at(path);
      const auto answer = left.front();
      if (left.size() > 1) left.erase(left.begin());
      return json::parse(answer).get_object();
    };
    const pause_between pause = [this] { ++pauses; };
    CHECK(recover({"2026-11-20T09:30:00Z", accepts_unanswered, true}, post, pause, out, progress) == expected);
    return json::parse(out.str()).get_object();
  }
  std::int64_t count(const std::string& path) const {
    return std::ranges::count_if(requests, [&](const auto& each) { return each.starts_with(path + ' '); });
  }
};

}  // namespace

TEST_CASE("a recovery reads the events, asks about the unsettled payments, and only then accepts the database") {
  old_gateway from;
  const auto answer = from.run(true);
  CHECK(answer.at("recovered").as_bool());
  CHECK(answer.at("events").as_int64() == 3);
  CHECK(answer.at("new").as_int64() == 2);
  CHECK(answer.at("refreshed").as_int64() == 4);
  CHECK_THAT(from.requests.front(), Contains("/operator/recovery/begin") && Contains("2026-11-20T09:30:00Z"));
  CHECK_THAT(from.requests.at(1), Contains("/operator/providers/backfill") && Contains(R"("join":true)"));
  CHECK_THAT(from.requests.back(), Contains("/operator/recovery/finish") && Contains(R"("refreshed":4)"));
  CHECK(from.count("/operator/recovery/payments") == 4);
}

TEST_CASE("a list that takes long is asked for until it has been read, and events until they are applied") {
  old_gateway from;
  from.answers["/operator/providers/backfill"] = {R"({"events":1,"new":1,"complete":false})",
                                                  R"({"events":9,"new":8,"complete":true})"};
  const std::string fresh = R"({"notifications":[{"id":"n1","provider":"stripe","mode":"live","about":"","attempts":0,)"
                            R"("received_at":"2026-11-20T10:00:00.000Z"}]})";
  from.answers["/operator/notifications/list"] = {fresh, fresh, R"({"notifications":[]})"};
  const auto answer = from.run(true);
  CHECK(answer.at("events").as_int64() == 9);
  CHECK(from.pauses == 2);
}

TEST_CASE("each part of the payments begins where the one before ended") {
  old_gateway from;
  from.answers["/operator/recovery/payments"] = {
      R"({"refreshed":16,"changed":3,"unanswered":[],"next":"merch_1/live/5/pay_1"})",
      R"({"refreshed":1,"changed":0,"unanswered":[]})"};
  const auto answer = from.run(true);
  CHECK(answer.at("refreshed").as_int64() == 20);
  CHECK(answer.at("changed").as_int64() == 3);
  const auto second =
      std::ranges::find_if(from.requests, [](const auto& each) { return each.find("after") != each.npos; });
  REQUIRE(second != from.requests.end());
  CHECK_THAT(*second, Contains(R"("state":"created")") && Contains("merch_1/live/5/pay_1"));
}

TEST_CASE("a provider that does not answer about a payment keeps the database from being accepted, unless asked for") {
  const bool accepts = GENERATE(false, true);
  old_gateway from;
  from.answers["/operator/recovery/payments"] = {
      R"({"refreshed":1,"changed":0,"unanswered":[{"payment_id":"pay_1","merchant_id":"merch_1","mode":"live",)"
      R"("message":"The payment provider is not available."}]})",
      R"({"refreshed":0,"changed":0,"unanswered":[]})"};
  const auto answer = from.run(accepts, accepts);
  CHECK(answer.at("recovered").as_bool() == accepts);
  CHECK(answer.at("unanswered").as_array().size() == 1);
  CHECK(from.count("/operator/recovery/finish") == (accepts ? 1 : 0));
}

TEST_CASE("what only the provider has is listed once") {
  old_gateway from;
  from.answers["/operator/notifications/list"] = {
      R"({"notifications":[
           {"id":"n1","provider":"stripe","mode":"live","about":"payment merch_1/live/pay_9","attempts":1,
            "received_at":"2026-11-20T10:00:00.000Z"},
           {"id":"n2","provider":"stripe","mode":"live","about":"payment merch_1/live/pay_9","attempts":2,
            "received_at":"2026-11-20T10:00:00.000Z"}]})"};
  from.answers["/operator/recovery/sandbox-ledger"] = {
      R"({"missing":[{"payment_id":"pay_7","merchant_id":"merch_1","mode":"test"}],"next":70})", R"({"missing":[]})"};
  const auto unknown = from.run(true).at("unknown").as_array();
  REQUIRE(unknown.size() == 2);
  CHECK(unknown[0].at("about").as_string() == "payment merch_1/live/pay_9");
  CHECK(unknown[1].at("about").as_string() == "payment merch_1/test/pay_7");
  CHECK_THAT(from.requests.back(), Contains(R"("unknown":2)"));
}
