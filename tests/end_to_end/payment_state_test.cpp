// The state table: every state that a payment can be in, and every operation on it.
#include <catch2/catch.hpp>

#include <functional>

#include "hosted_page.hpp"
#include "merchant.hpp"

using namespace gateway::e2e;

namespace {

class states {
 public:
  explicit states(store_kind store)
      : gateway_{shared_gateway(store)}, account_{new_merchant(gateway_)}, merchant_{gateway_, account_.test} {}

  api& merchant() { return merchant_; }

  /// Makes a payment on the card route and brings it into this state.
  std::string over_cards(const std::string& state) {
    const auto id = new_payment_id();
    if (state == "processing") {
      expect(merchant_.create(redirect_payment(id)), state);
    } else if (state == "failed") {
      expect(merchant_.create(server_payment(id, "pm_card_chargeDeclined")), state);
    } else {
      expect(merchant_.create(server_payment(id)), "authorized");
      if (state == "voided") expect(merchant_.void_payment(id), state);
      if (state == "captured" || state == "partially_refunded" || state == "refunded")
        expect(merchant_.capture(id), "captured");
      refund_towards(id, state);
    }
    REQUIRE(merchant_.state_of(id) == state);
    return id;
  }

  /// The same on the route that captures at authorization.
  std::string over_hosted_cards(const std::string& state) {
    const auto id = new_payment_id();
    const auto created = merchant_.create(redirect_payment(id));
    expect(created, "processing");
    hosted_page page{gateway_, json::parse(created.body)["provider.hosted_url"].text()};
    if (state == "failed") page.act("decline");
    if (state == "captured" || state == "partially_refunded" || state == "refunded") page.act("pay");
    refund_towards(id, state);
    REQUIRE(merchant_.state_of(id) == state);
    return id;
  }

  void use_hosted_cards_only() {
    set_connection(gateway_, account_.id, "sandbox", "not_connected");
    set_route(gateway_, account_.id, "sandbox_hosted", "HKD", "card");
    set_connection(gateway_, account_.id, "sandbox_hosted", "connected");
  }

 private:
  static void expect(const reply& answer, const std::string& state) { REQUIRE(summary_of(answer) == "200 " + state); }
  void refund_towards(const std::string& id, const std::string& state) {
    if (state == "partially_refunded") expect(merchant_.refund(id, 1000), state);
    if (state == "refunded") expect(merchant_.refund(id), state);
  }

  gateway_process& gateway_;
  merchant_account account_;
  api merchant_;
};

struct row {
  const char* state;
  const char* operation;
  const char* answer;
  const char* after;
};

reply perform(api& merchant, const std::string& operation, const std::string& id) {
  if (operation == "capture") return merchant.capture(id);
  if (operation == "void") return merchant.void_payment(id);
  return merchant.refund(id);
}

constexpr const char* not_capturable = "409 payment not authorized for capture";
constexpr const char* not_voidable = "409 payment not voidable in current state";
constexpr const char* not_refundable = "409 payment not refundable in current state";
constexpr const char* unsupported = "422 {provider_operation_unsupported}";

}  // namespace

TEST_CASE("every operation in every state, on a route with separate capture") {
  states s{GENERATE(from_range(stores()))};
  const std::vector<row> rows{
      {"processing", "capture", not_capturable, "processing"},
      {"processing", "void", not_voidable, "processing"},
      {"processing", "refund", not_refundable, "processing"},
      {"authorized", "capture", "200 captured", "captured"},
      {"authorized", "void", "200 voided", "voided"},
      {"authorized", "refund", not_refundable, "authorized"},
      {"captured", "capture", "200 captured", "captured"},
      {"captured", "void", not_voidable, "captured"},
      {"captured", "refund", "200 refunded", "refunded"},
      {"partially_refunded", "capture", not_capturable, "partially_refunded"},
      {"partially_refunded", "void", not_voidable, "partially_refunded"},
      {"partially_refunded", "refund", "200 refunded", "refunded"},
      {"refunded", "capture", not_capturable, "refunded"},
      {"refunded", "void", not_voidable, "refunded"},
      {"refunded", "refund", not_refundable, "refunded"},
      {"failed", "capture", not_capturable, "failed"},
      {"failed", "void", not_voidable, "failed"},
      {"failed", "refund", not_refundable, "failed"},
      {"voided", "capture", not_capturable, "voided"},
      {"voided", "void", not_voidable, "voided"},
      {"voided", "refund", not_refundable, "voided"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.state, row.operation);
    const auto id = s.over_cards(row.state);
    const auto before = history(s.merchant().timeline(id));
    CHECK(summary_of(perform(s.merchant(), row.operation, id)) == row.answer);
    CHECK(s.merchant().state_of(id) == row.after);
    // An operation that changes nothing leaves no trace: the provider was not called.
    if (std::string{row.state} == row.after) CHECK(history(s.merchant().timeline(id)) == before);
  }
}

TEST_CASE("every operation in every state, on a route that captures at authorization") {
  states s{GENERATE(from_range(stores()))};
  s.use_hosted_cards_only();
  const std::vector<row> rows{
      {"processing", "capture", unsupported, "processing"},
      {"processing", "void", unsupported, "processing"},
      {"processing", "refund", not_refundable, "processing"},
      {"captured", "capture", "200 captured", "captured"},
      {"captured", "void", not_voidable, "captured"},
      {"captured", "refund", "200 refunded", "refunded"},
      {"partially_refunded", "capture", not_capturable, "partially_refunded"},
      {"partially_refunded", "void", not_voidable, "partially_refunded"},
      {"partially_refunded", "refund", "200 refunded", "refunded"},
      {"refunded", "capture", not_capturable, "refunded"},
      {"refunded", "void", not_voidable, "refunded"},
      {"refunded", "refund", not_refundable, "refunded"},
      {"failed", "capture", not_capturable, "failed"},
      {"failed", "void", not_voidable, "failed"},
      {"failed", "refund", not_refundable, "failed"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.state, row.operation);
    const auto id = s.over_hosted_cards(row.state);
    const auto answer = perform(s.merchant(), row.operation, id);
    CHECK(summary_of(answer) == row.answer);
    if (answer.status == 422) {
      const auto error = json::parse(answer.body)["error"];
      CHECK(error["operation"] == row.operation);
      CHECK(error["docs_url"].text().find("/docs/errors#provider_operation_unsupported") != std::string::npos);
    }
    CHECK(s.merchant().state_of(id) == row.after);
  }
}

TEST_CASE("capturing a captured payment answers with its present state") {
  states s{GENERATE(from_range(stores()))};
  const auto id = s.over_cards("captured");
  const auto again = s.merchant().capture(id);
  CHECK(summary_of(again) == "200 captured");
  CHECK_FALSE(again.replayed());
  CHECK(history(s.merchant().timeline(id)) == std::vector<std::string>{"attempt authorize approved",
                                                                       "attempt capture approved",
                                                                       "event payment.captured published"});
}
