// One payment from its creation to its end on the sandbox card route: envelopes, tokens, timelines.
#include <catch2/catch.hpp>

#include <cstdlib>

#include "merchant.hpp"

using namespace gateway::e2e;

namespace {

struct shop {
  gateway_process& gateway;
  merchant_account account;
  api merchant;

  explicit shop(store_kind store)
      : gateway{shared_gateway(store)}, account{new_merchant(gateway)}, merchant{gateway, account.test} {}

  /// Makes a payment with this token, which must be authorized.
  std::string authorized(const std::string& token = "pm_card_visa") {
    const auto id = new_payment_id();
    REQUIRE(summary_of(merchant.create(server_payment(id, token))) == "200 authorized");
    return id;
  }
  std::string captured(const std::string& token = "pm_card_visa") {
    const auto id = authorized(token);
    REQUIRE(summary_of(merchant.capture(id)) == "200 captured");
    return id;
  }
};

}  // namespace

TEST_CASE("a part of an authorization is captured, and no more than that is refunded") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  s.merchant.create(server_payment(id));
  const auto too_much = s.merchant.capture_part(id, 4201);
  CHECK(summary_of(too_much) == "422 {capture_amount_exceeds_authorized}");
  CHECK(s.merchant.payment(id)["state"] == "authorized");

  const auto taken = json::parse(s.merchant.capture_part(id, 3000).body);
  CHECK(taken["state"] == "captured");
  CHECK(taken["captured_amount"] == 3000);
  const auto again = json::parse(s.merchant.capture_part(id, 4000).body);
  CHECK(again["captured_amount"] == 3000);
  CHECK(s.merchant.refund(id, 3001).status == 422);
  const auto back = json::parse(s.merchant.refund(id).body);
  CHECK(back["state"] == "refunded");
  CHECK(back["refunded_amount"] == 3000);
  const auto view = s.merchant.payment(id);
  CHECK(view["amount"] == 4200);
  CHECK(view["captured_amount"] == 3000);
  CHECK(view["refunded_total"] == 3000);
  CHECK(view["remaining_amount"] == 0);
}

TEST_CASE("a payment is authorized, captured and refunded in parts, and its answers are complete") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();

  const auto created = json::parse(s.merchant.create(server_payment(id)).body);
  CHECK(created["payment_id"] == id);
  CHECK(created["state"] == "authorized");
  CHECK(created["provider.provider"] == "sandbox");
  CHECK(created["provider.status"] == "approved");
  CHECK_FALSE(created["provider.provider_ref"].text().empty());
  CHECK_FALSE(created["provider.error"].present());
  CHECK_FALSE(created["provider.hosted_url"].present());

  const auto captured = json::parse(s.merchant.capture(id).body);
  CHECK(captured["payment_id"] == id);
  CHECK(captured["state"] == "captured");
  CHECK(captured["captured_amount"] == 4200);
  CHECK(captured["provider.status"] == "approved");
  CHECK(captured["provider.provider_ref"] == created["provider.provider_ref"].text());

  const auto part = json::parse(s.merchant.refund(id, 1000).body);
  CHECK(part["payment_id"] == id);
  CHECK(part["state"] == "partially_refunded");
  CHECK(part["refunded_amount"] == 1000);
  CHECK(part["refunded_total"] == 1000);
  CHECK(part["remaining_amount"] == 3200);
  CHECK(part["provider.status"] == "approved");

  const auto more = json::parse(s.merchant.refund(id, R"({"amount":200,"reason":"one page missing"})").body);
  CHECK(more["refunded_amount"] == 200);
  CHECK(more["refunded_total"] == 1200);
  CHECK(more["remaining_amount"] == 3000);

  const auto rest = json::parse(s.merchant.refund(id).body);
  CHECK(rest["state"] == "refunded");
  CHECK(rest["refunded_amount"] == 3000);
  CHECK(rest["refunded_total"] == 4200);
  CHECK(rest["remaining_amount"] == 0);

  const auto view = s.merchant.payment(id);
  CHECK(view["payment_id"] == id);
  CHECK(view["state"] == "refunded");
  CHECK(view["amount"] == 4200);
  CHECK(view["currency"] == "HKD");
  CHECK(view["refunded_total"] == 4200);
  CHECK((is_timestamp_in_seconds(view["created_at"].text()) || is_timestamp_in_millis(view["created_at"].text())));
  CHECK(std::abs(seconds_until(view["created_at"].text())) < 60);
  CHECK(view["provider.provider"] == "sandbox");

  CHECK(history(s.merchant.timeline(id)) ==
        std::vector<std::string>{"attempt authorize approved", "attempt capture approved",
                                 "event payment.captured published", "attempt refund approved",
                                 "event payment.partially_refunded published", "attempt refund approved",
                                 "event payment.partially_refunded published", "attempt refund approved",
                                 "event payment.refunded published"});
}

TEST_CASE("a timeline lists each attempt with its provider and each event, oldest first, in milliseconds") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  REQUIRE(summary_of(s.merchant.create(server_payment(id, "pm_card_chargeDeclined"))) == "200 failed");
  const auto answer = s.merchant.timeline(id);
  REQUIRE(answer.status == 200);
  const auto body = json::parse(answer.body);
  CHECK(body["payment_id"] == id);
  REQUIRE(body["timeline"].size() == 2);
  const auto attempt = body["timeline"].at(0), event = body["timeline"].at(1);
  CHECK(attempt["kind"] == "attempt");
  CHECK(attempt["operation"] == "authorize");
  CHECK(attempt["provider"] == "sandbox");
  CHECK(attempt["status"] == "declined");
  CHECK(attempt["error_code"] == "card_declined");
  CHECK_FALSE(attempt["message"].text().empty());
  CHECK(event["kind"] == "event");
  CHECK(event["operation"] == "payment.failed");
  CHECK(event["status"] == "published");
  for (const auto& entry : body["timeline"].items()) CHECK(is_timestamp_in_millis(entry["occurred_at"].text()));
  CHECK(attempt["occurred_at"].text() <= event["occurred_at"].text());
}

TEST_CASE("each sandbox token has its outcome, as pm_ and as ctoken_") {
  shop s{GENERATE(from_range(stores()))};
  struct row {
    const char* token;
    const char* state;
    const char* status;
    const char* code;
    const char* category;
    bool retryable;
  };
  const std::vector<row> rows{
      {"card_visa", "authorized", "approved", "", "", false},
      {"card_chargeDeclined", "failed", "declined", "card_declined", "provider", false},
      {"card_chargeDeclinedInsufficientFunds", "failed", "declined", "insufficient_funds", "provider", true},
      {"card_riskBlocked", "failed", "declined", "risk_blocked", "risk", false},
      {"card_authenticationRequired", "processing", "pending", "", "", false},
      {"card_captureDeclined", "authorized", "approved", "", "", false},
      {"card_refundFail", "authorized", "approved", "", "", false},
      {"card_voidFail", "authorized", "approved", "", "", false},
      {"card_accountInvalid", "failed", "declined", "account_invalid", "auth", false},
      {"card_slow_150", "authorized", "approved", "", "", false},
      {"card_of_nobody", "failed", "declined", "payment_method_not_found", "validation", false},
      {"card_slow_x", "failed", "declined", "payment_method_not_found", "validation", false},
  };
  for (const auto& row : rows)
    for (const std::string prefix : {"pm_", "ctoken_"}) {
      CAPTURE(prefix, row.token);
      const auto id = new_payment_id();
      const auto answer = s.merchant.create(server_payment(id, prefix + row.token));
      CHECK(summary_of(answer) == "200 " + std::string{row.state});
      const auto provider = json::parse(answer.body)["provider"];
      CHECK(provider["status"] == row.status);
      CHECK(provider["provider"] == "sandbox");
      if (*row.code) {
        CHECK(provider["error.code"] == row.code);
        CHECK(provider["error.category"] == row.category);
        CHECK(provider["error.retryable"] == row.retryable);
        CHECK_FALSE(provider["error.message"].text().empty());
        CHECK_FALSE(provider["error.outcome"].present());
        CHECK(history(s.merchant.timeline(id)) ==
              std::vector<std::string>{"attempt authorize declined " + std::string{row.code},
                                       "event payment.failed published"});
      } else {
        CHECK_FALSE(provider["error"].present());
      }
      CHECK(provider["hosted_url"].present() == (std::string{row.status} == "pending"));
      CHECK(s.merchant.state_of(id) == row.state);
    }
}

TEST_CASE("a slow approval takes its time") {
  shop s{store_kind::sqlite};
  const auto begun = std::chrono::steady_clock::now();
  CHECK(summary_of(s.merchant.create(server_payment(new_payment_id(), "pm_card_slow_600"))) == "200 authorized");
  CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds{600});
}

TEST_CASE("a rejected capture leaves the payment authorized and is still 200") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = s.authorized("pm_card_captureDeclined");
  const auto answer = s.merchant.capture(id);
  CHECK(summary_of(answer) == "200 authorized");
  const auto provider = json::parse(answer.body)["provider"];
  CHECK(provider["status"] == "declined");
  CHECK_FALSE(provider["error.code"].text().empty());
  CHECK_FALSE(provider["error.message"].text().empty());
  CHECK(s.merchant.state_of(id) == "authorized");
  CHECK(summary_of(s.merchant.void_payment(id)) == "200 voided");
}

TEST_CASE("a refund that the provider rejects is 502 with the envelope, and returns nothing") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = s.captured("pm_card_refundFail");
  const auto answer = s.merchant.refund(id, 1000);
  CHECK(summary_of(answer) == "502 refund rejected by provider");
  const auto body = json::parse(answer.body);
  CHECK(body["payment_id"] == id);
  CHECK(body["state"] == "captured");
  CHECK(body["provider.status"] == "declined");
  CHECK_FALSE(body["provider.error.code"].text().empty());
  const auto view = s.merchant.payment(id);
  CHECK(view["state"] == "captured");
  CHECK(view["refunded_total"] == 0);
}

TEST_CASE("a void that the provider rejects is 502 with the envelope, and the payment can still be captured") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = s.authorized("pm_card_voidFail");
  const auto answer = s.merchant.void_payment(id, R"({"reason":"changed their mind"})");
  CHECK(summary_of(answer) == "502 void rejected by provider");
  const auto body = json::parse(answer.body);
  CHECK(body["payment_id"] == id);
  CHECK(body["state"] == "authorized");
  CHECK_FALSE(body["provider.error.code"].text().empty());
  CHECK(summary_of(s.merchant.capture(id)) == "200 captured");
}

TEST_CASE("a void answers with the payment, its state and the provider's status") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = s.authorized();
  const auto body = json::parse(s.merchant.void_payment(id, R"({"reason":"ordered twice"})").body);
  CHECK(body["payment_id"] == id);
  CHECK(body["state"] == "voided");
  CHECK(body["provider.status"] == "approved");
  CHECK(history(s.merchant.timeline(id)) == std::vector<std::string>{"attempt authorize approved",
                                                                     "attempt void approved",
                                                                     "event payment.voided published"});
}

TEST_CASE("refunds never exceed the capture") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = s.captured();
  const auto too_much = s.merchant.refund(id, 4201);
  CHECK(too_much.status == 422);
  CHECK(too_much.body == R"({"error":"refund amount exceeds captured amount"})");
  CHECK(summary_of(s.merchant.refund(id, 4000)) == "200 partially_refunded");
  // Below the captured amount, above the remainder.
  CHECK(s.merchant.refund(id, 201).body == R"({"error":"refund amount exceeds captured amount"})");
  CHECK(summary_of(s.merchant.refund(id, 200)) == "200 refunded");
  CHECK(summary_of(s.merchant.refund(id, 1)) == "409 payment not refundable in current state");
  CHECK(summary_of(s.merchant.refund(id)) == "409 payment not refundable in current state");
  CHECK(s.merchant.payment(id)["refunded_total"] == 4200);
}

TEST_CASE("concurrent refunds of one payment are executed one at a time and never exceed the capture") {
  const auto store = GENERATE(from_range(stores()));
  shop s{store};
  const auto id = s.captured();
  std::vector<std::thread> threads;
  std::vector<std::string> words(12);
  for (std::size_t i = 0; i < words.size(); ++i)
    threads.emplace_back([&, i] {
      api own{s.gateway, s.account.test};
      words[i] = summary_of(own.refund(id, 1000));
    });
  for (auto& thread : threads) thread.join();
  CHECK(std::ranges::count(words, "200 partially_refunded") == 4);
  CHECK(std::ranges::count(words, "422 refund amount exceeds captured amount") == 8);
  CHECK(s.merchant.payment(id)["refunded_total"] == 4000);
}

TEST_CASE("concurrent capture and void of one payment: exactly one wins") {
  shop s{GENERATE(from_range(stores()))};
  for (int round = 0; round < 8; ++round) {
    const auto id = s.authorized();
    std::string captured, voided;
    std::thread capturing{[&] { captured = summary_of(api{s.gateway, s.account.test}.capture(id)); }};
    std::thread voiding{[&] { voided = summary_of(api{s.gateway, s.account.test}.void_payment(id)); }};
    capturing.join();
    voiding.join();
    CAPTURE(captured, voided);
    const bool capture_won = captured == "200 captured" && voided == "409 payment not voidable in current state";
    const bool void_won = voided == "200 voided" && captured == "409 payment not authorized for capture";
    CHECK(capture_won != void_won);
    CHECK(s.merchant.state_of(id) == (capture_won ? "captured" : "voided"));
  }
}

TEST_CASE("payments survive passivation and a restart") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  options.arguments = {"--live-payments=16", "--payment-idle=50ms"};
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test};
  std::vector<std::string> ids;
  for (int i = 0; i < 80; ++i) {
    ids.push_back(new_payment_id());
    REQUIRE(summary_of(merchant.create(server_payment(ids.back()))) == "200 authorized");
  }
  for (const auto& id : ids) CHECK(summary_of(merchant.capture(id)) == "200 captured");
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  gateway.start();
  api again{gateway, account.test};
  for (const auto& id : ids) {
    CHECK(summary_of(again.refund(id, 1)) == "200 partially_refunded");
    CHECK(again.timeline(id).body.find("payment.partially_refunded") != std::string::npos);
  }
}
