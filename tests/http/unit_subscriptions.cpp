// Subscriptions in requests and answers, byte for byte.
#include <catch2/catch.hpp>

#include "http/codec/decode.hpp"
#include "http/codec/encode_subscription.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

const time_point subscribed = *parse_seconds("2026-11-20T12:00:00Z") + duration_ms{125};

subscription box() {
  subscription s;
  s.key = subscription_key(merchant_id{"merch_1"}, environment::live, "box-17");
  s.platform = platform_id{"plat_1"};
  s.details.customer_ref = "reader-17";
  s.hosted_url = "https://pay.example/sandbox/subscription/t";
  s.checkout_session_id = "cs_1";
  s.state.amount = {1900, *currency::parse("EUR")};
  return s;
}

subscription_outcome outcome_of(subscription_operation what, subscription after,
                                std::optional<subscription_problem> failure = std::nullopt) {
  subscription_outcome result;
  result.what = what;
  result.after = std::move(after);
  result.failure = failure;
  return result;
}

answer reported(const subscription_outcome& result) {
  return make_subscription_encoder("https://pay.example")->encode(result);
}

std::string decoded_fault(std::string_view body, environment env = environment::live) {
  const auto read = decode_subscription(body, {env, 32});
  const auto* wrong = std::get_if<rejection>(&read);
  return wrong ? wrong->message.substr(0, wrong->message.find(':')) : "";
}

std::string body_with(const std::string& name, const std::string& value) {
  std::string text = "{";
  for (const auto& [field, usual] :
       std::initializer_list<std::pair<std::string, std::string>>{{"subscription_id", "\"box\""},
                                                                  {"customer_ref", "\"r\""},
                                                                  {"amount", "1900"},
                                                                  {"currency", "\"EUR\""},
                                                                  {"interval", "\"month\""},
                                                                  {"success_url", "\"https://shop.example/\""},
                                                                  {"cancel_url", "\"https://shop.example/\""}}) {
    const auto& given = field == name ? value : usual;
    if (!given.empty()) text += (text.size() > 1 ? ",\"" : "\"") + field + "\":" + given;
  }
  if (text.find('"' + name + '"') == text.npos && !value.empty()) text += ",\"" + name + "\":" + value;
  return text + "}";
}

}  // namespace

TEST_CASE("an open checkout, and one that could not be opened") {
  using enum subscription_operation;
  CHECK(reported(outcome_of(open_checkout, box())) ==
        answer{200, R"({"subscription_id":"box-17","status":"pending",)"
                    R"("hosted_url":"https://pay.example/sandbox/subscription/t","checkout_session_id":"cs_1"})"});
  auto failed = box();
  failed.state.status = subscription_status::failed;
  auto result = outcome_of(open_checkout, failed, subscription_problem::checkout_failed);
  result.error = provider_error{error_category::provider, "provider_unreachable", "No answer.", true, true};
  CHECK(reported(result) == answer{502,
                                   R"({"subscription_id":"box-17","status":"failed","error":{"category":"provider",)"
                                   R"("code":"provider_unreachable","message":"No answer.","retryable":true,)"
                                   R"("outcome":"unknown"},)"
                                   R"("docs_url":"https://pay.example/docs/errors#subscription_checkout_failed"})"});
}

TEST_CASE("the answer to a cancel shows its time and the result of the checkout") {
  auto ended = box();
  ended.state.status = subscription_status::canceled;
  ended.state.canceled_at = subscribed;
  CHECK(reported(outcome_of(subscription_operation::cancel, ended)) ==
        answer{200, R"({"subscription_id":"box-17","status":"canceled","canceled_at":"2026-11-20T12:00:00Z"})"});
  using enum subscription_problem;
  const std::pair<subscription_problem, unsigned> rows[] = {
      {outcome_pending, 409}, {cancel_rejected, 502}, {outcome_unknown, 502}};
  for (const auto& [why, status] : rows)
    CHECK(reported(outcome_of(subscription_operation::cancel, box(), why)).status == status);
  CHECK(reported(outcome_of(subscription_operation::cancel, box(), cancel_rejected)).body ==
        R"({"subscription_id":"box-17","status":"pending","error":"cancel rejected by provider",)"
        R"("docs_url":"https://pay.example/docs/errors#cancel_rejected_by_provider"})");
}

TEST_CASE("a subscription on its own has the known fields, and leaves out the others") {
  CHECK(encode_subscription(box()) ==
        R"({"subscription_id":"box-17","status":"pending","customer_ref":"reader-17","subscription_status":"pending",)"
        R"("amount":1900,"currency":"EUR","interval":"month","interval_count":1})");
}

TEST_CASE("the data of a subscription's events have the members that their type names") {
  subscription_event_data what{"sub_merch_1_sub_9", "sub_9", "reader-17", box().state, "evt_1", subscribed};
  what.state.status = subscription_status::active;
  what.state.provider_customer_id = "cus_1";
  what.state.period_start = subscribed;
  what.state.metadata = {{"schedule", "s \"7\""}};
  CHECK(make_subscription_encoder("")->event_data(what) ==
        R"({"subscription_id":"sub_merch_1_sub_9","provider_subscription_id":"sub_9","provider_customer_id":"cus_1",)"
        R"("customer_ref":"reader-17","subscription_status":"active","amount":1900,"currency":"EUR",)"
        R"("interval":"month","interval_count":1,"period_start":"2026-11-20T12:00:00Z","source_event_id":"evt_1",)"
        R"("subscription_metadata":{"schedule":"s \"7\""}})");
}

TEST_CASE("a cycle that needs its customer has the address, in the failure's event and in the subscription") {
  subscription_event_data what{"sub_merch_1_sub_9", "sub_9", "reader-17", box().state, "evt_1", subscribed};
  what.hosted_url = "https://pay.example/in_1";
  CHECK(make_subscription_encoder("")->event_data(what).find(R"("hosted_url":"https://pay.example/in_1")") !=
        std::string::npos);
  auto subject = box();
  subject.state.status = subscription_status::past_due;
  subject.invoices = {{"in_1", {subscribed, 0, notification_kind::invoice_failed, "evt_1"}, what.hosted_url}};
  CHECK(encode_subscription(subject).find(R"("hosted_url":"https://pay.example/in_1")") != std::string::npos);
  subject.state.status = subscription_status::canceled;
  CHECK(encode_subscription(subject).find("hosted_url") == std::string::npos);
}

TEST_CASE("operators see the id in events, once it exists") {
  auto s = std::make_shared<subscription>(box());
  const std::string bare = R"({"subscription_id":"box-17","status":"pending","platform_id":"plat_1",)"
                           R"("customer_ref":"reader-17"})";
  CHECK(encode_subscriptions({s}) == R"({"subscriptions":[)" + bare + "]}");
  s->provider_subscription_id = "sub_9";
  CHECK(encode_subscription_for_operator(*s).find(R"("id":"sub_merch_1_sub_9")") != std::string::npos);
}

TEST_CASE("a checkout's body is read, with its defaults") {
  const auto read = decode_subscription(body_with("interval_count", "0"), {environment::live, 32});
  const auto* body = std::get_if<subscription_body>(&read);
  REQUIRE(body);
  CHECK(body->id == "box");
  CHECK(body->command.details.customer_ref == "r");
  CHECK(body->command.amount.minor == 1900);
  CHECK(body->command.every == billing_period{billing_interval::month, 1});
  CHECK(body->command.details.trial_period_days == 0);
  for (const auto* name : {"interval_count", "trial_period_days"})
    CHECK(decoded_fault(body_with(name, "null")).empty());
}

TEST_CASE("each fault of a checkout's body is named") {
  CHECK(decoded_fault(body_with("metadata", R"({"a":"b"})")).empty());
  const std::pair<std::string, std::vector<std::string>> rows[] = {
      {"subscription_id", {"", "\"\"", "\"a b\"", "\"" + std::string(65, 'a') + "\"", "7"}},
      {"customer_ref", {"", "\"\"", "\"a\\u0007\"", "\"" + std::string(129, 'a') + "\""}},
      {"amount", {"", "null", "0", "-1", "1.5", "\"1900\""}},
      {"currency", {"", "\"XXX\""}},
      {"interval", {"", "\"decade\"", "\"Month\"", "1"}},
      {"interval_count", {"-1", "1001", "\"1\""}},
      {"trial_period_days", {"-1", "3651", "true"}},
      {"success_url", {"", "\"http://shop.example/\"", "\"/thanks\""}},
      {"cancel_url", {"", "\"javascript:alert(1)\""}},
      {"description", {"7"}},
      {"metadata", {"[]", R"({"a":1})"}},
      {"merchant_id", {"7"}},
  };
  for (const auto& [name, values] : rows)
    for (const auto& value : values) {
      CAPTURE(name, value);
      CHECK(decoded_fault(body_with(name, value)) == name);
    }
}
