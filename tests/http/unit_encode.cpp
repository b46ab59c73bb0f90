// Envelopes, timelines and event data, byte for byte.
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include "gateway/domain/cycle_payment.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/store/payment_questions.hpp"
#include "http/codec/encode_event.hpp"
#include "http/codec/encode_grant.hpp"
#include "http/codec/encode_payment.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

const time_point noon = *parse_seconds("2026-11-20T12:00:00Z") + duration_ms{125};

payment example(payment_state state = payment_state::captured) {
  payment p;
  p.key = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  p.state = state;
  p.amount = {4200, *currency::parse("HKD")};
  p.provider_ref = "ch_1";
  p.status = provider_status::approved;
  p.captured = 4200;
  p.created_at = noon;
  return p;
}

payment wallet_example() {
  auto p = example(payment_state::failed);
  p.provider = provider_kind::sandbox_wallet;
  p.hides_provider = true;
  p.status = provider_status::declined;
  p.error = provider_error{error_category::provider, "native_code", "Native words", false, false};
  return p;
}

outcome result_of(operation what, payment after, provider_status status = provider_status::approved) {
  outcome result;
  result.what = what;
  result.after = std::move(after);
  result.status = status;
  return result;
}

constexpr std::string_view pending_refund =
    R"({"refund_id":"re_1","amount":200,"currency":"HKD","status":"pending","reason":"torn","origin":"api",)"
    R"("created_at":"2026-11-20T12:00:00Z"})";
constexpr std::string_view failed_refund =
    R"({"refund_id":"re_2","amount":300,"currency":"HKD","status":"failed","origin":"provider",)"
    R"("created_at":"2026-11-20T12:00:00Z","failure_code":"expired_card"})";
constexpr std::string_view open_dispute =
    R"({"dispute_id":"dp_1","payment_id":"pay_1","amount":700,"currency":"HKD","reason":"fraudulent",)"
    R"("status":"needs_response","evidence_due_by":"2026-11-21T12:00:00Z","opened_at":"2026-11-20T12:00:00Z"})";
constexpr std::string_view won_dispute =
    R"({"dispute_id":"dp_2","payment_id":"pay_1","amount":900,"currency":"HKD","status":"won",)"
    R"("opened_at":"2026-11-20T12:00:00Z","closed_at":"2026-11-22T12:00:00Z"})";

/// As the four texts above.
payment_records eventful_records() {
  payment_records records;
  records.refunds = {{"re_1", 200, refund_status::pending, entry_origin::api, noon, "torn", {}, "provider's 1"},
                     {"re_2", 300, refund_status::failed, entry_origin::provider, noon, {}, "expired_card", "2"}};
  const auto day = std::chrono::hours{24};
  records.disputes = {
      {"dp_1", 700, "fraudulent", dispute_status::needs_response, noon + day, noon, std::nullopt, "provider's 3"},
      {"dp_2", 900, {}, dispute_status::won, std::nullopt, noon, noon + 2 * day, "4"}};
  return records;
}

answer encoded(const outcome& result) { return make_payment_encoder("https://pay.example")->encode(result); }

}  // namespace

TEST_CASE("an approved payment's envelope") {
  CHECK(
      encoded(result_of(operation::create, example())) ==
      answer{
          200,
          R"({"payment_id":"pay_1","state":"captured","provider":{"provider":"sandbox","provider_ref":"ch_1","status":"approved"}})"});
}

TEST_CASE("a declined payment is a 200 with the provider's error") {
  auto after = example(payment_state::failed);
  after.status = provider_status::declined;
  auto result = result_of(operation::create, after, provider_status::declined);
  result.error = provider_error{error_category::provider, "card_declined", "The \"bank\" said no.", false, false};
  CHECK(
      encoded(result) ==
      answer{
          200,
          R"({"payment_id":"pay_1","state":"failed","provider":{"provider":"sandbox","provider_ref":"ch_1","status":"declined",)"
          R"("error":{"category":"provider","code":"card_declined","message":"The \"bank\" said no.","retryable":false}}})"});
}

TEST_CASE("a hosted session is pending and contains the page's address") {
  auto after = example(payment_state::processing);
  after.status = provider_status::pending;
  after.hosted_url = "https://pay.example/sandbox/checkout/t";
  CHECK(
      encoded(result_of(operation::create, after, provider_status::pending)).body ==
      R"({"payment_id":"pay_1","state":"processing","provider":{"provider":"sandbox","provider_ref":"ch_1","status":"pending",)"
      R"("hosted_url":"https://pay.example/sandbox/checkout/t"}})");
}

TEST_CASE("a capture shows how much was captured") {
  auto after = example();
  after.captured = 3000;
  CHECK(encoded(result_of(operation::capture, after)).body ==
        R"({"payment_id":"pay_1","state":"captured","captured_amount":3000,)"
        R"("provider":{"provider":"sandbox","provider_ref":"ch_1","status":"approved"}})");
}

TEST_CASE("a refund shows its own amount, the total, what remains and its id") {
  auto after = example(payment_state::partially_refunded);
  after.refunded = 1500;
  auto result = result_of(operation::refund, after);
  result.refunded_amount = 500;
  result.refund_id = "re_1";
  CHECK(
      encoded(result).body ==
      R"({"payment_id":"pay_1","state":"partially_refunded","refunded_amount":500,"refunded_total":1500,"remaining_amount":2700,)"
      R"("refund_id":"re_1","provider":{"provider":"sandbox","provider_ref":"ch_1","status":"approved"}})");
}

TEST_CASE("a refund that the provider carries out later is a 200 whose provider's status is pending") {
  auto after = example(payment_state::refunded);
  after.refunded = 4200;
  auto result = result_of(operation::refund, after, provider_status::pending);
  result.refunded_amount = 4200;
  result.refund_id = "re_1";
  CHECK(encoded(result) ==
        answer{200, R"({"payment_id":"pay_1","state":"refunded","refunded_amount":4200,"refunded_total":4200,)"
                    R"("remaining_amount":0,"refund_id":"re_1",)"
                    R"("provider":{"provider":"sandbox","provider_ref":"ch_1","status":"pending"}})"});
}

TEST_CASE("a rejected capture is a 200 with the state unchanged and this operation's error") {
  auto result = result_of(operation::capture, example(payment_state::authorized), provider_status::declined);
  result.error = provider_error{error_category::provider, "capture_declined", "No.", true, false};
  const auto got = encoded(result);
  CHECK(got.status == 200);
  CHECK(got.body.find(R"("state":"authorized")") != std::string::npos);
  CHECK(
      got.body.find(
          R"("status":"declined","error":{"category":"provider","code":"capture_declined","message":"No.","retryable":true})") !=
      std::string::npos);
}

TEST_CASE("an unknown outcome is a 502: the envelope plus error") {
  auto after = example(payment_state::processing);
  after.provider_ref.clear();
  after.status = provider_status::pending;
  auto result = result_of(operation::create, after, provider_status::pending);
  result.failure = problem::provider_outcome_unknown;
  result.error = provider_error{error_category::timeout, "provider_timeout", "No answer.", true, true};
  CHECK(
      encoded(result) ==
      answer{
          502,
          R"({"payment_id":"pay_1","state":"processing","provider":{"provider":"sandbox","status":"pending",)"
          R"("error":{"category":"timeout","code":"provider_timeout","message":"No answer.","retryable":true,"outcome":"unknown"}},)"
          R"("error":"provider outcome unknown","docs_url":"https://pay.example/docs/errors#provider_outcome_unknown"})"});
}

TEST_CASE("the other failures of operations") {
  struct {
    problem why;
    std::uint16_t status;
    std::string_view part;
  } const rows[] = {
      {problem::refund_rejected, 502,
       R"("error":"refund rejected by provider","docs_url":"https://pay.example/docs/errors#refund_rejected_by_provider"})"},
      {problem::void_rejected, 502,
       R"("error":"void rejected by provider","docs_url":"https://pay.example/docs/errors#void_rejected_by_provider"})"},
      {problem::refund_not_supported, 502, R"("error":"refund not supported by configured provider","docs_url":")"},
      {problem::void_not_supported, 502, R"("error":"void not supported by configured provider","docs_url":")"},
      {problem::not_capturable, 409, R"({"error":"payment not authorized for capture","message":)"},
      {problem::payment_disputed, 409, R"({"error":"payment disputed","message":)"},
      {problem::payment_outcome_pending, 409, R"({"error":"payment outcome pending","message":)"},
      {problem::refund_exceeds_captured, 422, R"({"error":"refund amount exceeds captured amount"})"},
      {problem::capture_exceeds_authorized, 422, R"({"error":{"code":"capture_amount_exceeds_authorized","message":)"},
      {problem::capture_unsupported, 422,
       R"("operation":"capture","docs_url":"https://pay.example/docs/errors#provider_operation_unsupported")"},
      {problem::void_unsupported, 422, R"("operation":"void")"},
  };
  for (const auto& row : rows) {
    INFO(row.part);
    auto result = result_of(operation::capture, example(), provider_status::none);
    result.failure = row.why;
    const auto got = encoded(result);
    CHECK(got.status == row.status);
    CHECK(got.body.find(row.part) != std::string::npos);
    if (row.status == 502) CHECK(got.body.starts_with(R"({"payment_id":"pay_1","state":"captured","provider":{)"));
  }
}

TEST_CASE("a payment shown on its own adds its amounts, refunds, disputes and its creation time") {
  auto p = example(payment_state::partially_refunded);
  p.refunded = 200;
  CHECK(
      encode_payment(p, true) ==
      R"({"payment_id":"pay_1","state":"partially_refunded","provider":{"provider":"sandbox","provider_ref":"ch_1","status":"approved"},)"
      R"("amount":4200,"currency":"HKD","captured_amount":4200,"refunded_total":200,"remaining_amount":4000,)"
      R"("disputed_amount":0,"refunds":[],"disputes":[],"created_at":"2026-11-20T12:00:00Z"})");
  p.records = eventful_records();
  const auto shown = encode_payment(p, false);
  CHECK(shown.find(R"("disputed_amount":700,"refunds":[)" + std::string{pending_refund} + "," +
                   std::string{failed_refund} + R"(],"disputes":[)" + std::string{open_dispute} + "," +
                   std::string{won_dispute} + R"(],"created_at":)") != std::string::npos);
}

TEST_CASE("a payment's refunds, and a page of disputes with the cursor of the next one") {
  auto p = example(payment_state::partially_refunded);
  CHECK(encode_refunds(p) == R"({"payment_id":"pay_1","refunds":[]})");
  CHECK(encode_disputes({}, {}) == R"({"disputes":[]})");
  p.records = eventful_records();
  CHECK(encode_refunds(p) ==
        R"({"payment_id":"pay_1","refunds":[)" + std::string{pending_refund} + "," + std::string{failed_refund} + "]}");
  const auto of = std::make_shared<const payment>(p);
  const disputes_lookup page{{{of, "dp_2"}, {of, "dp_of_no_record"}, {of, "dp_1"}}, true};
  CHECK(encode_disputes(page, "c.1") ==
        R"({"disputes":[)" + std::string{won_dispute} + "," + std::string{open_dispute} + R"(],"next":"c.1"})");
}

TEST_CASE("only disputes that are open and have taken money count as disputed") {
  auto p = example();
  const struct {
    dispute_status status;
    std::int64_t disputed, remaining;
  } rows[] = {{dispute_status::warning, 0, 4200},
              {dispute_status::needs_response, 700, 4200},
              {dispute_status::under_review, 700, 4200},
              {dispute_status::won, 0, 4200},
              {dispute_status::lost, 0, 3500}};
  for (const auto& row : rows) {
    INFO(to_string(row.status));
    p.records.disputes = {eventful_records().disputes.front()};
    p.records.disputes.front().status = row.status;
    const auto shown = boost::json::parse(encode_payment(p, false));
    CHECK(shown.at("disputed_amount") == row.disputed);
    CHECK(shown.at("remaining_amount") == row.remaining);
    CHECK(shown.at("disputes").at(0).at("status").as_string() == to_string(row.status));
  }
}

TEST_CASE("a payment shows its customer and metadata to the merchant and to the platform that made it") {
  auto p = example();
  p.details.description = "two pages";
  p.details.metadata = {{"order", "A-17"}};
  p.customer = payment_customer{};
  p.customer->ref = "c-1";
  CHECK(encode_payment(p, true).ends_with(
      R"("created_at":"2026-11-20T12:00:00Z","description":"two pages","customer_ref":"c-1","metadata":{"order":"A-17"}})"));
  CHECK(encode_payment(p, false).ends_with(R"("created_at":"2026-11-20T12:00:00Z","description":"two pages"})"));
}

TEST_CASE("a wallet payment shows neither its provider nor native words") {
  const auto p = wallet_example();
  auto result = result_of(operation::create, p, provider_status::declined);
  result.error = p.error;
  const auto expected =
      R"({"payment_id":"pay_1","state":"failed","provider":{"status":"declined",)"
      R"("error":{"category":"provider","code":"PAYMENT_DECLINED","message":"The payment was declined.","retryable":false}}})";
  CHECK(encoded(result).body == expected);
  const auto data = make_payment_encoder("")->event_data(p, "payment.failed");
  CHECK(data.find("PAYMENT_DECLINED") != std::string::npos);
  for (const auto& text : {encoded(result).body, encode_payment(p, true), data})
    for (auto hidden : {"sandbox", "ch_1", "native", "Native"}) CHECK(text.find(hidden) == std::string::npos);
}

TEST_CASE("neutral codes") {
  using enum error_category;
  CHECK(neutral_error({provider, "card_declined", "x", true, false}).code == "PAYMENT_DECLINED");
  CHECK(neutral_error({risk, "risk_blocked", "x", false, false}).code == "PAYMENT_DECLINED");
  CHECK(neutral_error({timeout, "checkout_expired", "x", false, false}).code == "PAYMENT_EXPIRED");
  CHECK(neutral_error({timeout, "provider_timeout", "x", true, true}).code == "PAYMENT_OUTCOME_UNKNOWN");
  CHECK(neutral_error({auth, "account_invalid", "x", false, false}).code == "PAYMENT_FAILED");
  CHECK(neutral_error({provider, "x", "native", true, false}).retryable);
  CHECK(neutral_error({validation, std::string{checkout_cancelled}, "x", false, false}).code == checkout_cancelled);
}

TEST_CASE("a timeline, oldest first, with three fractional digits") {
  timeline_view view{
      payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"}), false, provider_kind::sandbox, {}};
  CHECK(encode_timeline(view) == R"({"payment_id":"pay_1","timeline":[]})");
  view.entries.push_back({1, timeline_kind::attempt, "charge", "declined", "card_declined", "No.", noon, {}, {}});
  view.entries.push_back(
      {2, timeline_kind::event, "payment.failed", "published", {}, {}, noon, "evt_1", "{}", entry_origin::provider});
  CHECK(
      encode_timeline(view) ==
      R"({"payment_id":"pay_1","timeline":[)"
      R"({"kind":"attempt","operation":"charge","provider":"sandbox","status":"declined","error_code":"card_declined","message":"No.",)"
      R"("occurred_at":"2026-11-20T12:00:00.125Z","origin":"api"},)"
      R"({"kind":"event","operation":"payment.failed","provider":"sandbox","status":"published",)"
      R"("occurred_at":"2026-11-20T12:00:00.125Z","origin":"provider"}]})");
  view.hides_provider = true;
  const auto hidden = encode_timeline(view);
  for (auto native : {"sandbox", "card_declined", "No."}) CHECK(hidden.find(native) == std::string::npos);
}

TEST_CASE("the data of events") {
  const auto encoder = make_payment_encoder("");
  auto p = example();
  p.details.metadata = {{"order", "A\n1"}, {"k\"", "v"}};
  CHECK(
      encoder->event_data(p, "payment.captured") ==
      R"({"payment_id":"pay_1","state":"captured","amount":4200,"currency":"HKD","captured_amount":4200,"metadata":{"order":"A\n1","k\"":"v"}})");
  p.details.metadata = {{"k\x7f", "\x7f\x7f"}};  // DEL needs no escape
  CHECK(encoder->event_data(p, "payment.captured").find("{\"k\x7f\":\"\x7f\x7f\"}") != std::string::npos);
  p.details.metadata.clear();
  p.state = payment_state::refunded;
  p.refunded = 4200;
  CHECK(
      encoder->event_data(p, "payment.refunded") ==
      R"({"payment_id":"pay_1","state":"refunded","amount":4200,"currency":"HKD","captured_amount":4200,"refunded_amount":4200})");
  p = example(payment_state::failed);
  p.captured = 0;
  p.error = provider_error{error_category::auth, "account_invalid", "x", false, false};
  CHECK(
      encoder->event_data(p, "payment.failed") ==
      R"({"payment_id":"pay_1","state":"failed","amount":4200,"currency":"HKD","failure_code":"account_invalid","failure_category":"auth"})");
}

TEST_CASE("the data of events about what the provider did") {
  const auto encoder = make_payment_encoder("");
  auto p = example();
  p.records.paid_late = true;
  CHECK(
      encoder->event_data(p, "payment.captured") ==
      R"({"payment_id":"pay_1","state":"captured","amount":4200,"currency":"HKD","captured_amount":4200,"late":true})");
  p = example(payment_state::partially_refunded);
  p.refunded = 200;
  p.records = eventful_records();
  CHECK(encoder->event_data(p, "payment.refund_failed", "re_2") ==
        R"({"payment_id":"pay_1","state":"partially_refunded","refund_id":"re_2","amount":300,"currency":"HKD",)"
        R"("captured_amount":4200,"refunded_amount":200,"failure_code":"expired_card"})");
  CHECK(encoder->event_data(p, "dispute.opened", "dp_1") == open_dispute);
  CHECK(encoder->event_data(p, "dispute.closed", "dp_2") == won_dispute);
  // The metadata of the payment belongs to its own events.
  p.details.metadata = {{"order", "A-17"}};
  CHECK(encoder->event_data(p, "dispute.opened", "dp_1") == open_dispute);

  p = example(payment_state::voided);
  p.captured = 0;
  for (const auto reason : {std::string_view{}, void_requested, authorization_expired, cancelled_at_provider}) {
    p.records.void_reason = reason;
    CHECK(encoder->event_data(p, "payment.voided") ==
          R"({"payment_id":"pay_1","state":"voided","amount":4200,"currency":"HKD","void_reason":")" +
              std::string{reason.empty() ? void_requested : reason} + "\"}");
  }
}

TEST_CASE("other platforms get a payment's event without customer and metadata") {
  const auto encoder = make_payment_encoder("");
  const auto body = [](std::string data, std::string_view type, bool partial) {
    event_record reported{"evt_1", example().key, 2, std::string{type}, noon, std::move(data)};
    return make_event_encoder()->envelope(reported, destination_kind::platform, entity_id{"ent_1"}, partial);
  };
  auto plain = example();
  plain.error = provider_error{error_category::provider, R"(a","customer_ref":"b)", "x", false, false};
  auto with_metadata = plain;
  with_metadata.details.metadata = {{"order", "A1"}};
  auto with_customer = plain;
  with_customer.customer = payment_customer{platform_id{"plat_1"}, R"(a","metadata":{)", "cus_1", true, false, "pm_1"};
  auto with_both = with_customer;
  with_both.details.metadata = with_metadata.details.metadata;
  for (const auto& each : event_catalogue) {
    const auto expected = body(encoder->event_data(plain, each.name), each.name, false);
    for (const auto& p : {plain, with_metadata, with_customer, with_both}) {
      const auto data = encoder->event_data(p, each.name);
      INFO(data);
      CHECK(body(data, each.name, true) == expected);
      CHECK(body(data, each.name, false).find(data) != std::string::npos);
    }
  }
}

TEST_CASE("the events of a cycle's payment name its customer, and a failure reported late says what failed") {
  const auto encoder = make_payment_encoder("");
  cycle_charge c;
  c.payment = payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_in_9_1"});
  c.platform = platform_id{"plat_1"};
  c.customer_ref = "reader-17";
  c.invoice.id = "in_9_1";
  c.invoice.amount = {1500, *currency::parse("EUR")};
  const auto paid = settle_cycle(std::nullopt, c, noon)->next;
  CHECK(
      encoder->event_data(as_reported(paid, c), "payment.captured") ==
      R"({"payment_id":"pay_in_9_1","state":"captured","amount":1500,"currency":"EUR","captured_amount":1500,"customer_ref":"reader-17"})");
  c.result = cycle_result::failed;
  c.invoice.failure_code = "card_declined";
  const auto late = settle_cycle(paid, c, noon)->next;
  CHECK(
      encoder->event_data(as_reported(late, c), "payment.failed") ==
      R"({"payment_id":"pay_in_9_1","state":"captured","amount":1500,"currency":"EUR","failure_code":"card_declined","failure_category":"provider","customer_ref":"reader-17"})");
}

TEST_CASE("a grant's times are whole seconds everywhere") {
  const auto given_at = *parse_seconds("2026-11-20T12:00:00Z") + std::chrono::milliseconds{987};
  grant one{grant_id{"grant_1"}, *parse_scopes("payments:read"), user_id{"user_1"}, given_at, {}, {}};
  one.revoked_at = given_at + std::chrono::hours{1};
  one.revoke_reason = "over";
  grant_binding binding;
  binding.key = binding_key(merchant_id{"merch_1"}, environment::test, platform_id{"plat_1"});
  binding.newest = one;
  CHECK(encode_grants({{binding.key, one}}) ==
        R"({"grants":[{"grant_id":"grant_1","platform_id":"plat_1","merchant_id":"merch_1","mode":"test",)"
        R"("scopes":["payments:read"],"status":"revoked","granted_at":"2026-11-20T12:00:00Z",)"
        R"("revoked_at":"2026-11-20T13:00:00Z","reason":"over"}]})");
  CHECK(make_grant_encoder()
            ->exchanged(binding, entity_id{"ent_1"})
            .body.find(R"("granted_at":"2026-11-20T12:00:00Z")") != std::string::npos);
}
