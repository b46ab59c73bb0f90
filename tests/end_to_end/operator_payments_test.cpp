// gatewayctl payment, and the commands that change payments at the sandbox.
#include <catch2/catch.hpp>

#include <algorithm>

#include "merchant.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

using words = std::vector<std::string>;

/// A merchant and its operator.
struct operated {
  gateway_process& gateway;
  merchant_account account = new_merchant(gateway);
  api merchant{gateway, account.test};

  words of(words command, const std::string& payment, const words& options = {}) const {
    command.insert(command.end(), {payment, "--merchant", account.id, "--mode", "test"});
    command.insert(command.end(), options.begin(), options.end());
    return command;
  }
  json ctl(words command, const std::string& payment, const words& options = {}) const {
    return gateway.ctl(of(std::move(command), payment, options));
  }
  /// The one line of the error; its exit status is 1.
  std::string refused(words command, const std::string& payment, const words& options = {}) const {
    const auto result = gateway.run_ctl(of(std::move(command), payment, options));
    CHECK(result.code == 1);
    CHECK(result.out.empty());
    return result.err;
  }
  std::string new_payment(const std::string& method = "pm_card_visa", bool captured = true) {
    const auto id = new_payment_id();
    REQUIRE(summary_of(merchant.create(server_payment(id, method))) == "200 authorized");
    if (captured) REQUIRE(summary_of(merchant.capture(id)) == "200 captured");
    return id;
  }
  /// The origins of the timeline's entries that an operation has.
  words origins_of(const std::string& payment, const std::string& operation) {
    words found;
    for (const auto& entry : json::parse(merchant.timeline(payment).body)["timeline"].items())
      if (entry["operation"] == operation) found.push_back(entry["origin"].text());
    return found;
  }
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("what an operator settled against what the sandbox did follows the sandbox once it is asked") {
  gateway_options options;
  options.arguments = {"--provider-timeout=500ms", "--reconcile-first=5m", "--reconcile-longest=5m"};
  gateway_process gateway{options};
  operated at{gateway};
  const auto settled = [&](const std::string& method, const std::string& as) {
    const auto id = new_payment_id();
    REQUIRE(at.merchant.create(server_payment(id, method)).status == 502);
    at.ctl({"payment", "settle"}, id, {"--as", as, "--reason", "the sandbox's dashboard"});
    return id;
  };
  const auto approved = settled("pm_card_timeout", "declined");
  CHECK(at.merchant.view(approved).body.find(R"("state":"failed")") != std::string::npos);
  at.ctl({"payment", "refresh"}, approved);
  CHECK(at.ctl({"payment", "show"}, approved)["state"] != "failed");
  const auto declined = settled("pm_card_timeoutDeclined", "approved");
  at.ctl({"payment", "refresh"}, declined);
  CHECK(at.ctl({"payment", "show"}, declined)["state"] != "authorized");
}

TEST_CASE("an operator finds a payment whose outcome stays unknown, and settles it once") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  options.arguments = {"--provider-timeout=500ms", "--reconcile-first=5m", "--reconcile-longest=5m"};
  gateway_process gateway{options};
  operated at{gateway};
  for (const auto* as : {"approved", "declined"}) {
    CAPTURE(as);
    const auto id = new_payment_id();
    REQUIRE(summary_of(at.merchant.create(server_payment(id, "pm_card_timeout"))) == "502 provider outcome unknown");
    const words list{"payment", "list", "--merchant", at.account.id, "--mode", "test", "--unknown"};
    const auto found = gateway.ctl(list)["payments"];
    REQUIRE(found.size() == 1);
    CHECK(found.at(0)["payment_id"] == id);
    CHECK(found.at(0)["merchant_id"] == at.account.id);
    CHECK(found.at(0)["mode"] == "test");
    CHECK(found.at(0)["state"] == "processing");
    CHECK(found.at(0)["amount"] == 4200);
    CHECK(found.at(0)["currency"] == "HKD");
    CHECK(found.at(0)["open_operation"] == "create");
    CHECK(found.at(0)["unknown_since"].is_string());
    CHECK(found.at(0)["provider"] == "sandbox");
    auto older = list;
    older.insert(older.end(), {"--older-than", "1h"});
    CHECK(gateway.ctl(older)["payments"].size() == 0);

    const words reason{"--as", as, "--reason", "looked at the provider"};
    const auto settled = at.ctl({"payment", "settle"}, id, reason);
    const std::string state = std::string{as} == "approved" ? "authorized" : "failed";
    CHECK(settled["state"] == state);
    CHECK(settled["open_operation"].dump() == "null");
    CHECK(at.merchant.state_of(id) == state);
    const auto origins = at.origins_of(id, "authorize");
    CHECK(origins == words{"api", "operator"});
    CHECK(gateway.ctl(list)["payments"].size() == 0);
    CHECK(has(at.refused({"payment", "settle"}, id, reason), "nothing to settle"));
  }
}

TEST_CASE("a refund that an operator records counts once, and up to what was captured") {
  operated at{shared_gateway(GENERATE(from_range(stores())))};
  const auto id = at.new_payment();
  const words refund{"--amount", "1200", "--reference", "bank 7", "--reason", "by bank"};
  const auto after = at.ctl({"payment", "record-refund"}, id, refund);
  CHECK(after["state"] == "partially_refunded");
  CHECK(after["refunded_total"] == 1200);
  CHECK(after["remaining_amount"] == 3000);
  REQUIRE(after["refunds"].size() == 1);
  CHECK(after["refunds"].at(0)["origin"] == "operator");
  CHECK(after["refunds"].at(0)["reason"] == "by bank");
  CHECK(has(at.refused({"payment", "record-refund"}, id, refund), "this reference already"));
  CHECK(has(at.refused({"payment", "record-refund"}, id,
                       {"--amount", "3001", "--reference", "bank 8", "--reason", "by bank"}),
            "more than what remains"));
  CHECK(at.origins_of(id, "refund") == words{"operator"});
  // The provider does not know the recorded refund, and a comparison does not remove it.
  CHECK(at.ctl({"payment", "refresh"}, id)["refunded_total"] == 1200);
  CHECK(has(at.refused({"payment", "show"}, "pay_none"), "no payment pay_none"));
}

TEST_CASE("payments of one merchant are listed by state, a page at a time") {
  operated at{shared_gateway(GENERATE(from_range(stores())))};
  const auto first = at.new_payment(), second = at.new_payment();
  const auto open = at.new_payment("pm_card_visa", false);
  words list{"payment", "list", "--merchant", at.account.id, "--limit", "1", "--state", "captured"};
  words seen;
  for (int pages = 0; pages < 5; ++pages) {
    const auto page = at.gateway.ctl(list);
    for (const auto& each : page["payments"].items()) seen.push_back(each["payment_id"].text());
    if (!page["next"].present()) break;
    list.resize(8);
    list.insert(list.end(), {"--after", page["next"].text()});
  }
  std::ranges::sort(seen);
  auto expected = words{first, second};
  std::ranges::sort(expected);
  CHECK(seen == expected);
  const auto all = at.gateway.ctl({"payment", "list", "--merchant", at.account.id});
  CHECK(all["payments"].size() == 3);
}

TEST_CASE("what happens at the sandbox by command becomes part of the payment") {
  operated at{shared_gateway(GENERATE(from_range(stores())))};
  struct row {
    bool captured;
    words command, options;
    std::string state, field;
    std::int64_t value;
  };
  const row rows[] = {
      {false, {"sandbox", "authorization"}, {"--expire"}, "voided", "captured_amount", 0},
      {false, {"sandbox", "authorization"}, {"--cancel"}, "voided", "captured_amount", 0},
      {false, {"sandbox", "capture"}, {"--outside", "4200"}, "captured", "captured_amount", 4200},
      {false, {"sandbox", "capture"}, {"--outside", "4199"}, "captured", "captured_amount", 4199},
      {true, {"sandbox", "refund"}, {"--outside", "1200"}, "partially_refunded", "refunded_total", 1200},
      {true, {"sandbox", "refund"}, {"--outside", "4200"}, "refunded", "remaining_amount", 0},
      {true, {"sandbox", "dispute"}, {"--open"}, "captured", "disputed_amount", 4200},
      {true, {"sandbox", "dispute"}, {"--open", "--amount", "700"}, "captured", "disputed_amount", 700},
      {true, {"sandbox", "dispute"}, {"--open", "--warning"}, "captured", "disputed_amount", 0},
  };
  for (const auto& [captured, command, options, state, field, value] : rows) {
    CAPTURE(options);
    const auto id = at.new_payment("pm_card_visa", captured);
    const auto after = at.ctl(command, id, options);
    CHECK(after["state"] == state);
    CHECK(after[field] == value);
    CHECK(at.merchant.payment(id)[field] == value);
    CHECK(at.ctl({"payment", "show"}, id)["state"] == state);
  }
  // None of them is possible on a payment that failed at once, but the late success.
  const auto failed = new_payment_id();
  REQUIRE(summary_of(at.merchant.create(server_payment(failed, "pm_card_chargeDeclined"))) == "200 failed");
  for (const auto& each : rows)
    if (each.command.back() != "capture")
      CHECK(has(at.refused(each.command, failed, each.options), "No provider could do this"));
}

TEST_CASE("a dispute goes through its life, and the report counts it when it is closed") {
  operated at{shared_gateway(GENERATE(from_range(stores())))};
  for (const std::string end : {"--win", "--lose"}) {
    CAPTURE(end);
    const auto id = at.new_payment();
    const auto status = [&](const words& options) {
      return at.ctl({"sandbox", "dispute"}, id, options)["disputes"].at(0)["status"].text();
    };
    CHECK(status({"--open", "--amount", "700"}) == "needs_response");
    CHECK(summary_of(at.merchant.refund(id)) == "409 payment disputed");
    CHECK(has(at.refused({"sandbox", "dispute"}, id, {"--open"}), "No provider could do this"));
    CHECK(status({"--update"}) == "under_review");
    CHECK(status({end}) == (end == "--win" ? "won" : "lost"));
    CHECK(has(at.refused({"sandbox", "dispute"}, id, {end}), "No provider could do this"));
  }
  std::int64_t won = 0, lost = 0;
  for (const auto& row : at.gateway
                             .ctl({"report", "--from", "2020-01-01", "--to", "2029-12-31", "--merchant", at.account.id,
                                   "--mode", "test"})["rows"]
                             .items()) {
    won += row["disputes_won_amount"].number();
    lost += row["disputes_lost_amount"].number();
  }
  CHECK(won == 700);
  CHECK(lost == 700);
}

TEST_CASE("a refund that fails after it was accepted may be made again") {
  operated at{shared_gateway(GENERATE(from_range(stores())))};
  const auto id = at.new_payment();
  const auto refund = json::parse(at.merchant.refund(id, 1200).body)["refund_id"].text();
  REQUIRE_FALSE(refund.empty());
  const auto after = at.ctl({"sandbox", "refund"}, id, {"--fail", refund});
  CHECK(after["state"] == "captured");
  CHECK(after["remaining_amount"] == 4200);
  CHECK(after["refunds"].at(0)["status"] == "failed");
  CHECK(has(at.refused({"sandbox", "refund"}, id, {"--fail", refund}), "No provider could do this"));
  CHECK(has(at.refused({"sandbox", "refund"}, id, {"--settle", refund}), "No provider could do this"));
  CHECK(summary_of(at.merchant.refund(id)) == "200 refunded");
}
