#include "stripe_fixture.hpp"

#include <algorithm>

#include "gateway/base/crypto.hpp"
#include "providers/stripe/notifications.hpp"

using namespace gateway;
using namespace gateway::actors;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view body =
    R"({"id":"evt_1","object":"event","type":"payment_intent.succeeded","account":"acct_1","livemode":false,)"
    R"("data":{"object":{"id":"pi_1","metadata":{"gateway_merchant":"merch_a1","gateway_payment":"pay_7"}}}})";
constexpr std::string_view stamp = "1795176000";  // stripe_noon

/// printf '%s.%s' 1795176000 "$body" | openssl dgst -sha256 -hmac whsec_first (and whsec_second)
constexpr std::string_view by_first = "61e8a59be4f71ace4d8642b0252b1d974de871f7b10ca2cdb79f8bfb1939a79d";
constexpr std::string_view by_second = "d7722764311342da203d2495c86a530b03588062ec18aba6be6034be898db950";

std::string header_of(std::initializer_list<std::string_view> signatures, std::string_view t = stamp) {
  std::string header{"t="};
  header.append(t);
  for (const auto each : signatures) header.append(",v1=").append(each);
  return header;
}

std::string signed_now(std::string_view text) {
  return header_of({crypto::hex(crypto::hmac_sha256("whsec_first", std::string{stamp}.append(".").append(text)))});
}

std::variant<receive_notification, notification_fault> verify_stripe(std::string_view text, const std::string& header,
                                                                     time_point now = stripe_noon,
                                                                     environment env = environment::test,
                                                                     std::string_view secrets = "whsec_first") {
  auto with = stripe_values();
  with.values.back().second = secrets;
  incoming_notification in;
  in.body = text;
  in.header = [&](std::string_view name) -> std::optional<std::string_view> {
    if (name == "Stripe-Signature" && !header.empty()) return std::string_view{header};
    return std::nullopt;
  };
  return stripe_adapter_under_test().verify(in, with, env, now);
}

std::string verdict_of(const std::variant<receive_notification, notification_fault>& of) {
  const auto* fault = std::get_if<notification_fault>(&of);
  if (!fault) return "taken";
  return *fault == notification_fault::unsigned_ ? "unsigned"
         : *fault == notification_fault::stale   ? "stale"
                                                 : "unreadable";
}

notification_subject subject_of(std::string text, environment env = environment::test) {
  notification_question question;
  question.what.key = notification_key(provider_kind::stripe, env, "evt_1");
  question.what.body = std::move(text);
  auto said = stripe_adapter_under_test().open(question, stripe_values(), stripe_noon)->next(nullptr);
  return std::get<notification_subject>(std::move(said));
}

constexpr std::string_view of_payments[] = {"charge.captured",
                                            "charge.dispute.closed",
                                            "charge.dispute.created",
                                            "charge.dispute.funds_reinstated",
                                            "charge.dispute.funds_withdrawn",
                                            "charge.dispute.updated",
                                            "charge.expired",
                                            "charge.refund.updated",
                                            "charge.refunded",
                                            "radar.early_fraud_warning.created",
                                            "refund.created",
                                            "refund.failed",
                                            "refund.updated"};
constexpr auto unmarked = R"({"id":"dp_1","charge":"ch_1","payment_intent":"pi_1","metadata":{}})";
constexpr auto marked_intent =
    R"({"id":"pi_1","object":"payment_intent","status":"succeeded",)"
    R"("metadata":{"gateway_merchant":"merch_a1","gateway_payment":"pay_7","gateway_key":"pk_1"}})";

using talk = talk_about<notification_subject>;

talk understand_event(std::string_view type, std::string_view object, std::initializer_list<http_outcome> answers) {
  notification_question question;
  question.what.key = notification_key(provider_kind::stripe, environment::test, "evt_1");
  question.what.account = "acct_1";
  question.what.body = std::string{R"({"id":"evt_1","account":"acct_1","livemode":false,"created":1795176100,)"}
                           .append(R"("type":")")
                           .append(type)
                           .append(R"(","data":{"object":)")
                           .append(object)
                           .append("}}");
  return run_dialogue(stripe_adapter_under_test().open(question, stripe_values(), stripe_noon), answers);
}

template <class Subject>
bool is_about(const talk& t) {
  return t.result && std::holds_alternative<Subject>(*t.result);
}

std::string replaced(std::string_view from, std::string_view to) {
  std::string text{body};
  text.replace(text.find(from), from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("a notification that Stripe has signed is accepted unchanged") {
  const auto taken = verify_stripe(body, header_of({by_first}));
  REQUIRE(verdict_of(taken) == "taken");
  const auto& n = std::get<receive_notification>(taken);
  CHECK(n.provider == provider_kind::stripe);
  CHECK(n.event_id == "evt_1");
  CHECK(n.type == "payment_intent.succeeded");
  CHECK(n.account == "acct_1");
  CHECK(n.body == body);
}

TEST_CASE("one signature of several, by one secret of two, is enough") {
  const std::string zeros(64, '0');
  CHECK(verdict_of(verify_stripe(body, header_of({by_second}), stripe_noon, environment::test,
                                 "whsec_first,whsec_second")) == "taken");
  CHECK(verdict_of(verify_stripe(body, header_of({by_second}))) == "unsigned");
  CHECK(verdict_of(verify_stripe(body, header_of({zeros, by_first}))) == "taken");
  CHECK(verdict_of(verify_stripe(body, header_of({by_first, zeros}))) == "taken");
  CHECK(verdict_of(verify_stripe(body, header_of({by_second, by_first}))) == "taken");
  CHECK(verdict_of(verify_stripe(body, "v0=" + zeros + ", " + header_of({by_first}) + ",x=y")) == "taken");
}

TEST_CASE("a forged notification is unsigned, however it is forged") {
  const std::string zeros(64, '0'), good = header_of({by_first});
  std::string upper{by_first};
  for (auto& c : upper) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  const std::string headers[] = {"",
                                 "t=",
                                 "garbage",
                                 ",,,",
                                 "t=1795176000",
                                 "v1=" + std::string{by_first},
                                 header_of({zeros}),
                                 header_of({}),
                                 header_of({upper}),
                                 header_of({by_first.substr(1)}),
                                 header_of({by_first}, "1795176001"),
                                 header_of({by_first}, "01795176000"),
                                 header_of({by_first}, "-1795176000"),
                                 header_of({by_first}, "1795176000x"),
                                 header_of({by_first}, "99999999999999999999"),
                                 "t=1," + good,
                                 good + ",t=1795176000",
                                 "t=1795176000,v0=" + std::string{by_first},
                                 good + std::string(5000, ' ')};
  for (const auto& header : headers) {
    INFO(header.substr(0, 100));
    CHECK(verdict_of(verify_stripe(body, header)) == "unsigned");
  }
  CHECK(verdict_of(verify_stripe(replaced("pay_7", "pay_8"), good)) == "unsigned");
  CHECK(verdict_of(verify_stripe(std::string{body} + " ", good)) == "unsigned");
  CHECK(verdict_of(verify_stripe(body, good, stripe_noon, environment::test, "")) == "unsigned");
  // Signed with an empty secret, in case none is set.
  const auto by_nothing = crypto::hex(crypto::hmac_sha256("", std::string{stamp}.append(".").append(body)));
  CHECK(verdict_of(verify_stripe(body, header_of({by_nothing}), stripe_noon, environment::test, "")) == "unsigned");
}

TEST_CASE("a signature is valid for five minutes, before and after") {
  const auto header = header_of({by_first});
  CHECK(verdict_of(verify_stripe(body, header, stripe_noon + 300s)) == "taken");
  CHECK(verdict_of(verify_stripe(body, header, stripe_noon + 301s)) == "stale");
  CHECK(verdict_of(verify_stripe(body, header, stripe_noon - 300s)) == "taken");
  CHECK(verdict_of(verify_stripe(body, header, stripe_noon - 301s)) == "stale");
  CHECK(verdict_of(verify_stripe(body, header_of({by_second}), stripe_noon + 1h)) == "unsigned");
}

TEST_CASE("a signed notification that is malformed is unreadable") {
  for (const auto& text :
       {std::string{}, std::string{"[]"}, std::string{"{}"}, replaced("evt_1", "evt 1"), replaced("evt_1", "pi_1"),
        replaced("payment_intent.succeeded", "<b>"), replaced("\"livemode\":false,", ""), replaced("false", "\"no\""),
        replaced("acct_1", "a/b"), replaced("false", "true")}) {
    INFO(text);
    CHECK(verdict_of(verify_stripe(text, signed_now(text))) == "unreadable");
  }
  // A platform's live endpoint gets test events as well, and Stripe would repeat them for days if they were refused.
  CHECK(verdict_of(verify_stripe(body, header_of({by_first}), stripe_noon, environment::live)) == "taken");
  CHECK(std::holds_alternative<no_subject>(subject_of(std::string{body}, environment::live)));
}

TEST_CASE("an event is about the payment that the gateway has marked") {
  for (const auto type : {"payment_intent.succeeded", "payment_intent.amount_capturable_updated",
                          "payment_intent.payment_failed", "payment_intent.canceled", "payment_intent.requires_action",
                          "payment_intent.processing", "checkout.session.completed", "checkout.session.expired",
                          "checkout.session.async_payment_succeeded", "checkout.session.async_payment_failed"}) {
    INFO(type);
    const auto subject = subject_of(replaced("payment_intent.succeeded", type));
    REQUIRE(std::holds_alternative<about_payment>(subject));
    CHECK(std::get<about_payment>(subject).key == stripe_payment().key);
  }
}

TEST_CASE("an event of what belongs to a payment is about it without a request, where it has the gateway's marks") {
  for (const auto type : of_payments) {
    INFO(type);
    const auto subject = subject_of(replaced("payment_intent.succeeded", type));
    REQUIRE(std::holds_alternative<about_payment>(subject));
    CHECK(std::get<about_payment>(subject).key == stripe_payment().key);
  }
}

TEST_CASE("for a refund or a dispute without marks its payment is read") {
  for (const auto type : of_payments) {
    INFO(type);
    const auto t = understand_event(type, unmarked, {says(200, marked_intent)});
    REQUIRE(t.sent.size() == 1);
    CHECK(t.url(0) == "https://api.stripe.com/v1/payment_intents/pi_1");
    CHECK(t.header(0, "Stripe-Account") == "acct_1");
    REQUIRE(is_about<about_payment>(t));
    CHECK(std::get<about_payment>(*t.result).key == stripe_payment().key);
  }
  // A payment's own event needs no request: what it lacks, the payment lacks.
  for (const auto type : {"payment_intent.succeeded", "payment_intent.canceled", "checkout.session.completed"}) {
    INFO(type);
    const auto t = understand_event(type, unmarked, {});
    CHECK(is_about<no_subject>(t));
    CHECK(t.sent.empty());
  }
}

TEST_CASE("a payment without marks may be one of a subscription's cycle, which its invoice shows") {
  const auto intent = says(200, R"({"id":"pi_1","object":"payment_intent","status":"succeeded","metadata":{}})");
  const auto of_invoice = [](std::string_view metadata, std::string_view id = "in_1") {
    return says(200, list_json(std::string{R"({"object":"invoice_payment","invoice":{"object":"invoice","id":")"}
                                   .append(id)
                                   .append(R"(","currency":"eur","parent":{"subscription_details":{"metadata":)")
                                   .append(metadata)
                                   .append("}}}}")));
  };
  const auto t =
      understand_event("charge.dispute.created", unmarked, {intent, of_invoice(R"({"gateway_merchant":"merch_a1"})")});
  CHECK(t.url(1) ==
        "https://api.stripe.com/v1/invoice_payments?limit=10&payment%5Btype%5D=payment_intent"
        "&payment%5Bpayment_intent%5D=pi_1&expand%5B%5D=data.invoice");
  REQUIRE(is_about<about_payment>(t));
  CHECK(std::get<about_payment>(*t.result).key ==
        payment_key(merchant_id{"merch_a1"}, environment::test, payment_id{"pay_in_1"}));
  for (const auto& foreign : {of_invoice("{}"), of_invoice("null"), of_invoice(R"({"gateway_merchant":"merch/a1"})"),
                              of_invoice(R"({"gateway_merchant":"merch_a1"})", "ch_1"), says(200, list_json("")),
                              says(200, list_json(R"({"object":"invoice_payment","invoice":"in_1"})"))})
    CHECK(is_about<no_subject>(understand_event("refund.created", unmarked, {intent, foreign})));
}

TEST_CASE("an event whose payment cannot be read now waits, and one that names none is irrelevant") {
  const auto intent = says(200, R"({"id":"pi_1","object":"payment_intent","status":"succeeded","metadata":{}})");
  for (const auto& answer :
       {fails(http_fault::connect_failed, false), fails(http_fault::answer_timeout, true), says(500, ""), says(429, ""),
        says(200, "<html>"), says(200, R"({"id":"pi_2","object":"payment_intent","metadata":{}})"),
        says(403, error_json("invalid_request_error", "account_invalid"))}) {
    CHECK(is_about<not_understood>(understand_event("charge.refunded", unmarked, {answer})));
    CHECK(is_about<not_understood>(understand_event("charge.refunded", unmarked, {intent, answer})));
  }
  for (const auto object : {R"({"id":"re_1"})", R"({"id":"re_1","payment_intent":null})",
                            R"({"id":"re_1","payment_intent":"ch_1"})", R"({"id":"re_1","payment_intent":"pi_1/x"})"}) {
    INFO(object);
    const auto t = understand_event("refund.failed", object, {});
    CHECK(is_about<no_subject>(t));
    CHECK(t.sent.empty());
  }
}

TEST_CASE("each registered type is known, and no other") {
  const auto types = stripe::notification_types();
  CHECK(std::ranges::is_sorted(types));
  CHECK(types.size() == 40);
  for (const auto type : types) {
    INFO(type);
    const auto* row = stripe::find_event_type(type);
    REQUIRE(row);
    CHECK(row->type == type);
  }
  for (const auto type : {"", "charge", "charge.succeeded", "invoice.payment_succeeded", "zebra", "account"})
    CHECK_FALSE(stripe::find_event_type(type));
}

TEST_CASE("other events are irrelevant") {
  for (const auto& text :
       {replaced("payment_intent.succeeded", "charge.succeeded"),
        replaced("payment_intent.succeeded", "charge.updated"),
        replaced("payment_intent.succeeded", "payment_intent.created"),
        replaced("payment_intent.succeeded", "customer.deleted"),
        replaced("payment_intent.succeeded", "payment_method.detached"), replaced("gateway_payment", "other"),
        replaced("merch_a1", "merch/a1"), replaced("merch_a1", "ent_a1"), replaced("pay_7", "pay_"),
        replaced("\"pay_7\"", "7"), replaced("\"object\":{", "\"other\":{"),
        replaced("livemode\":false", "livemode\":true"), std::string{"null"}, std::string{}}) {
    INFO(text);
    CHECK(std::holds_alternative<no_subject>(subject_of(text)));
  }
}
