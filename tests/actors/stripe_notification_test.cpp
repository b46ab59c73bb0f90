#include "stripe_fixture.hpp"

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

TEST_CASE("other events are irrelevant") {
  for (const auto& text :
       {replaced("payment_intent.succeeded", "charge.succeeded"), replaced("payment_intent.succeeded", "refund.failed"),
        replaced("gateway_payment", "other"), replaced("merch_a1", "merch/a1"), replaced("merch_a1", "ent_a1"),
        replaced("pay_7", "pay_"), replaced("\"pay_7\"", "7"), replaced("\"object\":{", "\"other\":{"),
        replaced("livemode\":false", "livemode\":true"), std::string{"null"}, std::string{}}) {
    INFO(text);
    CHECK(std::holds_alternative<no_subject>(subject_of(text)));
  }
}
