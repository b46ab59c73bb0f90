// gatewayctl report and reconcile, with a gateway that a test scripts.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "gateway/domain/time.hpp"
#include "ledger_calls.hpp"

using namespace gateway;
using namespace gateway::ctl;
using Catch::Contains;

namespace {

namespace json = boost::json;

/// Gives its answers in sequence, and records the requests.
struct scripted_gateway {
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

std::string report_of(scripted_gateway& from, report_request request, std::string_view first, std::string_view last) {
  request.from = parse_day(first).value();
  request.to = parse_day(last).value();
  std::ostringstream out;
  write_report(request, from.poster(), out);
  return out.str();
}

struct report_file {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("settlement-" + std::to_string(::getpid()));
  explicit report_file(const std::string& text) { std::ofstream{path} << text; }
  ~report_file() { std::filesystem::remove(path); }
};

constexpr const char* head =
    "day,currency,provider,mode,captured_count,captured_amount,refunded_count,refunded_amount,"
    "failed_count,failed_amount,net_amount,disputes_lost_count,disputes_lost_amount,disputes_won_count,"
    "disputes_won_amount\n";

}  // namespace

TEST_CASE("a report sums the gateway's totals of all merchants, a week at a time") {
  scripted_gateway from{
      {R"({"sums":[{"day":"2026-11-01","currency":"HKD","provider":"sandbox","kind":"captured","count":2,"amount":300},
                   {"day":"2026-11-01","currency":"HKD","provider":"sandbox","kind":"refunded","count":1,"amount":50}],
           "next":"merch_7"})",
       R"({"sums":[{"day":"2026-11-01","currency":"HKD","provider":"sandbox","kind":"captured","count":1,"amount":1},
                   {"day":"2026-11-01","currency":"EUR","provider":"stripe","kind":"failed","count":3,"amount":90}]})",
       R"({"sums":[{"day":"2026-11-08","currency":"HKD","provider":"sandbox","kind":"refunded","count":1,"amount":20}]})"}};
  report_request request;
  request.env = environment::live;
  CHECK(report_of(from, request, "2026-11-01", "2026-11-08") ==
        std::string{head} +
            "2026-11-01,EUR,stripe,live,0,0,0,0,3,90,0,0,0,0,0\n"
            "2026-11-01,HKD,sandbox,live,3,301,1,50,0,0,251,0,0,0,0\n"
            "2026-11-08,HKD,sandbox,live,0,0,1,20,0,0,-20,0,0,0,0\n");
  CHECK(from.requests ==
        std::vector<std::string>{
            R"(/operator/ledger/sums {"mode":"live","from":"2026-11-01","to":"2026-11-07"})",
            R"(/operator/ledger/sums {"mode":"live","from":"2026-11-01","to":"2026-11-07","after":"merch_7"})",
            R"(/operator/ledger/sums {"mode":"live","from":"2026-11-08","to":"2026-11-08"})"});
}

TEST_CASE("a refund that came back is no refund, and a dispute counts once it is closed") {
  const auto sum = [](std::string kind, std::string count, std::string amount) {
    return R"({"day":"2026-11-01","currency":"HKD","provider":"sandbox","kind":")" + kind + R"(","count":)" + count +
           R"(,"amount":)" + amount + "}";
  };
  struct row {
    std::string sums, values;
  };
  const row rows[] = {
      {sum("refunded", "3", "90") + "," + sum("refund_failed", "1", "40"), "0,0,2,50,0,0,-50,0,0,0,0"},
      // The refund was made on another day.
      {sum("refund_failed", "1", "40"), "0,0,-1,-40,0,0,40,0,0,0,0"},
      {sum("captured", "1", "100") + "," + sum("dispute_opened", "1", "100"), "1,100,0,0,0,0,100,0,0,0,0"},
      {sum("dispute_lost", "2", "70"), "0,0,0,0,0,0,-70,2,70,0,0"},
      {sum("dispute_won", "1", "30"), "0,0,0,0,0,0,0,0,0,1,30"},
  };
  for (const auto& [sums, values] : rows) {
    INFO(sums);
    scripted_gateway from{{R"({"sums":[)" + sums + "]}"}};
    report_request request;
    request.env = environment::live;
    CHECK(report_of(from, request, "2026-11-01", "2026-11-01") ==
          std::string{head} + "2026-11-01,HKD,sandbox,live," + values + "\n");
  }
}

TEST_CASE("a report without a mode covers both, each in rows of its own") {
  const std::string sum = R"({"day":"2026-11-01","currency":"HKD","provider":"sandbox","kind":"captured","count":1)";
  const std::vector<std::string> answers{R"({"sums":[)" + sum + R"(,"amount":5}]})",
                                         R"({"sums":[)" + sum + R"(,"amount":7}]})"};
  scripted_gateway from{answers}, again{answers};
  CHECK(report_of(from, {}, "2026-11-01", "2026-11-01") == std::string{head} +
                                                               "2026-11-01,HKD,sandbox,live,1,5,0,0,0,0,5,0,0,0,0\n"
                                                               "2026-11-01,HKD,sandbox,test,1,7,0,0,0,0,7,0,0,0,0\n");
  REQUIRE(from.requests.size() == 2);
  CHECK_THAT(from.requests[0], Contains(R"("mode":"live")"));
  CHECK_THAT(from.requests[1], Contains(R"("mode":"test")"));
  report_request request;
  request.as_json = true;
  const auto answer = json::parse(report_of(again, request, "2026-11-01", "2026-11-01")).as_object();
  CHECK_FALSE(answer.contains("mode"));
  CHECK(answer.at("rows").as_array().size() == 2);
  CHECK(answer.at("rows").at(1).at("mode").as_string() == "test");
}

TEST_CASE("a report is JSON on request, and empty if there was nothing") {
  scripted_gateway from{
      {R"({"sums":[{"day":"2026-11-01","currency":"HKD","provider":"sandbox","kind":"captured","count":2,"amount":300}]})",
       R"({"sums":[]})", R"({"sums":[]})"}};
  report_request request;
  request.as_json = true;
  request.env = environment::test;
  request.merchant = "merch_1";
  CHECK(
      report_of(from, request, "2026-11-01", "2026-11-01") ==
      R"({"mode":"test","from":"2026-11-01","to":"2026-11-01","rows":[{"day":"2026-11-01","currency":"HKD",)"
      R"("provider":"sandbox","mode":"test","captured_count":2,"captured_amount":300,"refunded_count":0,"refunded_amount":0,)"
      R"("failed_count":0,"failed_amount":0,"net_amount":300,"disputes_lost_count":0,"disputes_lost_amount":0,)"
      R"("disputes_won_count":0,"disputes_won_amount":0}]})"
      "\n");
  CHECK_THAT(from.requests.front(), Contains(R"("merchant_id":"merch_1")"));
  CHECK(report_of(from, {}, "2026-11-01", "2026-11-01") == head);
}

TEST_CASE("a report that the gateway refuses writes no line") {
  std::ostringstream out;
  report_request request;
  request.from = request.to = parse_day("2026-11-01").value();
  const operator_poster refuses = [](const std::string&, const json::object&) -> json::object {
    throw std::runtime_error("There is no merchant merch_x.");
  };
  CHECK_THROWS_WITH(write_report(request, refuses, out), "There is no merchant merch_x.");
  CHECK(out.str().empty());
}

TEST_CASE("a reconciliation that the gateway refuses writes nothing") {
  const report_file file{
      "reference,payment_id,kind,amount,currency,occurred_at,merchant_id,mode\n"
      "cap_1,pay_1,captured,5,HKD,2026-11-20T09:30:00.000Z,merch_x,live\n"};
  reconcile_request request;
  request.file = file.path;
  request.merchant = "merch_x";
  request.as_json = true;
  const operator_poster refuses = [](const std::string&, const json::object&) -> json::object {
    throw std::runtime_error("There is no merchant merch_x.");
  };
  std::ostringstream out;
  CHECK_THROWS_WITH(reconcile(request, refuses, out), "There is no merchant merch_x.");
  CHECK(out.str().empty());
}

TEST_CASE("a reconciliation pages through the ledger around the report's days, and reports the three differences") {
  const report_file file{
      "reference,payment_id,kind,amount,currency,occurred_at,merchant_id,mode\n"
      "cap_1,pay_1,captured,4200,HKD,2026-11-20T09:30:00.000Z,merch_1,live\n"
      "cap_2,pay_2,captured,4300,HKD,2026-11-20T09:30:00.000Z,merch_1,live\n"
      "cap_9,pay_9,captured,1,HKD,2026-11-21T09:30:00.000Z,merch_1,live\n"};
  const auto entry = [](std::string n, std::string amount, std::string kind = "captured") {
    return R"({"merchant_id":"merch_1","payment_id":"pay_)" + n +
           R"(","seq":2,"occurred_at":"2026-11-20T09:30:00.123Z","kind":")" + kind + R"(","amount":)" + amount +
           R"(,"currency":"HKD","payment_ref":"ch_)" + n + R"(","movement_ref":"cap_)" + n + "\"}";
  };
  const auto answers = std::vector<std::string>{
      R"({"entries":[)" + entry("1", "4200") + "," + entry("2", "4200") +
          R"(],"next":{"after_merchant_id":"merch_1","after_at":7,"after_payment_id":"pay_2","after_seq":2}})",
      R"({"entries":[)" + entry("3", "9") + "," + entry("4", "9", "failed") + "]}"};
  scripted_gateway from{answers};
  reconcile_request request;
  request.file = file.path;
  std::ostringstream out;
  CHECK_FALSE(reconcile(request, from.poster(), out));
  CHECK(out.str() ==
        "differs cap_2 ledger: captured 4200 HKD pay_2 merch_1 2026-11-20T09:30:00Z line 3: captured 4300 HKD\n"
        "missing cap_3 ledger: captured 9 HKD pay_3 merch_1 2026-11-20T09:30:00Z\n"
        "extra cap_9 line 4: captured 1 HKD\n"
        "period 2026-11-20 to 2026-11-21\nagree 1\nmissing 1\nextra 1\ndiffers 1\noutside 0\nnot_in_reports 0\n"
        "other_lines 0\n");
  REQUIRE(from.requests.size() == 2);
  CHECK(from.requests[0] ==
        R"(/operator/ledger/list {"mode":"live","provider":"sandbox","from":"2026-11-17","to":"2026-11-24"})");
  CHECK_THAT(from.requests[1],
             Contains(R"("after_merchant_id":"merch_1","after_at":7,"after_payment_id":"pay_2","after_seq":2)"));

  scripted_gateway again{answers};
  request.as_json = true;
  std::ostringstream answer;
  CHECK_FALSE(reconcile(request, again.poster(), answer));
  const auto parsed = json::parse(answer.str()).as_object();
  CHECK(parsed.at("differences").as_array().size() == 3);
  CHECK(parsed.at("agree").as_int64() == 1);
  CHECK(parsed.at("differences").at(0).at("report").at("line").as_int64() == 3);
}

TEST_CASE("a file of both modes is compared with both ledgers, unless one is named") {
  const report_file file{
      "reference,payment_id,kind,amount,currency,occurred_at,merchant_id,mode\n"
      "cap_1,pay_1,captured,5,HKD,2026-11-20T09:30:00.000Z,merch_1,test\n"
      "cap_2,pay_2,captured,5,HKD,2026-11-20T09:30:00.000Z,merch_1,live\n"};
  const auto entry = [](std::string n) {
    return R"({"entries":[{"merchant_id":"merch_1","payment_id":"pay_)" + n +
           R"(","seq":2,"occurred_at":"2026-11-20T09:30:00.123Z","kind":"captured","amount":5,"currency":"HKD",)" +
           R"("payment_ref":"ch_)" + n + R"(","movement_ref":"cap_)" + n + "\"}]}";
  };
  reconcile_request request;
  request.file = file.path;
  scripted_gateway both{{entry("1"), entry("2")}};
  std::ostringstream out;
  CHECK(reconcile(request, both.poster(), out));
  REQUIRE(both.requests.size() == 2);
  CHECK_THAT(both.requests[0], Contains(R"({"mode":"test","provider":"sandbox")"));
  CHECK_THAT(both.requests[1], Contains(R"({"mode":"live","provider":"sandbox")"));

  request.env = environment::live;
  scripted_gateway one{{entry("2")}};
  CHECK(reconcile(request, one.poster(), out));
  CHECK_THAT(one.requests.at(0), Contains(R"("mode":"live")"));
}

TEST_CASE("a file that cannot be reconciled is refused by its name, and the gateway is not called") {
  scripted_gateway from{{}};
  std::ostringstream out;
  reconcile_request request;
  request.file = "/nowhere/report.csv";
  CHECK_THROWS_WITH(reconcile(request, from.poster(), out), "cannot read /nowhere/report.csv");
  const report_file timeless{
      "reference,payment_id,kind,amount,currency,merchant_id,mode\ncap_1,pay_1,captured,1,HKD,merch_1,live\n"};
  request.file = timeless.path;
  CHECK_THROWS_WITH(reconcile(request, from.poster(), out), Contains("has no day: give --from and --to"));
  const report_file wrong{"a,b\n"};
  request.file = wrong.path;
  CHECK_THROWS_WITH(reconcile(request, from.poster(), out),
                    Contains(wrong.path.string() + ": the first line has no provider's columns"));
  CHECK(from.requests.empty());
  CHECK(out.str().empty());
}
