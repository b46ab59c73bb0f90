#include "stripe_fixture.hpp"

#include "providers/stripe/answers.hpp"
#include "providers/stripe/errors.hpp"
#include "providers/stripe/requests.hpp"

using namespace gateway;
using namespace gateway::actors;
using namespace std::chrono_literals;

namespace {

provider_call creation_call(bool asked_again = false) {
  auto call = stripe_call(operation::create, stripe_payment());
  call.asked_again = asked_again;
  return call;
}

std::string search_json(std::string_view rows) {
  return std::string{R"({"object":"search_result","has_more":false,"data":[)"}.append(rows).append("]}");
}

}  // namespace

TEST_CASE("the result of a create for each state of the payment at Stripe") {
  struct row {
    std::string_view status, more, manual, at_once;
  };
  const row rows[] = {
      {"requires_capture", "", "approved", "unknown"},
      {"succeeded", "", "approved", "approved"},
      {"requires_action", "", "pending", "pending"},
      {"processing", "", "pending", "pending"},
      {"requires_payment_method", failed_attempt, "declined insufficient_funds", "declined insufficient_funds"},
      {"requires_payment_method", "", "declined card_declined", "declined card_declined"},
      {"canceled", "", "declined payment_canceled", "declined payment_canceled"},
      {"requires_confirmation", "", "unknown", "unknown"},
      {"a_state_of_tomorrow", "", "unknown", "unknown"},
      {"", "", "unknown", "unknown"},
  };
  for (const auto& [status, more, manual, at_once] : rows) {
    INFO(status);
    auto call = creation_call();
    CHECK(in_words(ask_stripe(call, {says(200, intent_json(status, more))})) == manual);
    call.subject.details.captures_at_once = true;
    CHECK(in_words(ask_stripe(call, {says(200, intent_json(status, more))})) == at_once);
  }
}

TEST_CASE("a create that Stripe knows already, although it is the first here, is followed: the database is older") {
  const auto is_followed = [](const http_outcome& answer, bool asked_again) {
    const auto said = ask_stripe(creation_call(asked_again), {answer});
    return said.result && said.result->is_followed;
  };
  CHECK(is_followed(says_again(200, intent_json("requires_capture")), false));
  CHECK_FALSE(is_followed(says_again(200, intent_json("requires_capture")), true));
  CHECK_FALSE(is_followed(says(200, intent_json("requires_capture")), false));
}

TEST_CASE("an answer that is not Stripe's leaves the outcome unknown") {
  const http_outcome answers[] = {
      says(200, ""),
      says(200, "[]"),
      says(200, "null"),
      says(200, "<html>"),
      says(200, R"({"object":"payment_intent"})"),
      says(200, R"({"object":"payment_intent","id":7,"status":"succeeded"})"),
      says(200, R"({"object":"payment_intent","id":"pi_1/x","status":"succeeded"})"),
      says(200, R"({"object":"payment_intent","id":"ch_1","status":"succeeded"})"),
      says(200, R"({"object":"customer","id":"pi_1","status":"succeeded"})"),
      says(200, intent_json("succeeded") + "x"),
      says(200, std::string(100'000, '[')),
      says(200, "{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}"),
      says(200, intent_json("succeeded", ",\"x\":\"\xff\"")),
      says_in_part(200, intent_json("succeeded")),
      says_in_part(402, error_json("card_error", "card_declined")),
      says(202, intent_json("succeeded")),
      says(302, ""),
      says(400, ""),
      says(400, R"({"error":"card_declined"})"),
      says(404, "not here"),
      says(405, ""),
      says(409, error_json("invalid_request_error", "idempotency_key_in_use")),
      says(400, error_json("idempotency_error", "")),
      says(424, error_json("api_error", "")),
      says(429, error_json("invalid_request_error", "lock_timeout")),
      says(500, error_json("api_error", "")),
      says(503, ""),
      says(65535, ""),
      fails(http_fault::broken, true),
      fails(http_fault::answer_timeout, true),
      fails(http_fault::garbage, true),
      fails(http_fault::send_failed, true),
  };
  for (const auto& answer : answers)
    for (const auto what : {operation::create, operation::capture, operation::refund, operation::void_payment}) {
      const auto* whole = std::get_if<http_answer>(&answer);
      INFO(to_string(what) << " " << (whole ? std::to_string(whole->status) + " " + whole->body.substr(0, 80) : "-"));
      const auto t = ask_stripe(call_of_key(what, false), {answer});
      CHECK(in_words(t) == "unknown");
      if (t.result) CHECK(t.result->error->outcome_unknown);
    }
}

TEST_CASE("a page address that is no URL is ignored: it would send a customer elsewhere, or break a header") {
  for (const std::string_view url : {"https://checkout.stripe.com/\\r\\nX: y", "https://checkout.stripe.com/a b",
                                     "https://checkout.stripe.com/\\\\a", "http://checkout.stripe.com/a", ""}) {
    INFO(url);
    const auto page = std::string{R"("url":")"}.append(url).append("\"");
    const auto session = R"({"id":"cs_test_1","object":"checkout.session","status":"open",)" + page + "}";
    const auto hosted = stripe_call(operation::create, stripe_payment(flow::redirect));
    CHECK(in_words(ask_stripe(hosted, {says(200, session)})) == "unknown");
    const auto challenge = intent_json("requires_action", R"(,"next_action":{"redirect_to_url":{)" + page + "}}");
    const auto t = ask_stripe(call_of_key(operation::create, false), {says(200, challenge)});
    CHECK(in_words(t) == "pending");
    CHECK(t.result->hosted_url.empty());
  }
}

TEST_CASE("a request that never left or was never processed is declined, unless an earlier call may have gone out") {
  struct row {
    http_outcome answer;
    std::string_view first;
    error_category category;
    bool retryable;
  };
  const row rows[] = {
      {fails(http_fault::connect_failed, false), "declined provider_unavailable", error_category::provider, true},
      {fails(http_fault::lookup_failed, false), "declined provider_unavailable", error_category::provider, true},
      {fails(http_fault::overloaded, false), "declined provider_unavailable", error_category::provider, true},
      {says(429, error_json("invalid_request_error", "rate_limit")), "declined provider_unavailable",
       error_category::provider, true},
      {says(429, ""), "declined provider_unavailable", error_category::provider, true},
      {says(401, error_json("invalid_request_error", "")), "declined provider_unavailable", error_category::auth,
       false},
      {says(403, error_json("invalid_request_error", "account_invalid")), "declined account_invalid",
       error_category::auth, false},
      {says(403, error_json("invalid_request_error", "")), "declined provider_unavailable", error_category::auth,
       false},
  };
  for (const auto& [answer, first, category, retryable] : rows)
    for (const auto what : {operation::create, operation::capture, operation::refund, operation::void_payment}) {
      INFO(to_string(what) << " " << first);
      const auto t = ask_stripe(call_of_key(what, false), {answer});
      CHECK(in_words(t) == first);
      CHECK(t.result->error->category == category);
      CHECK(t.result->error->retryable == retryable);
      CHECK(in_words(ask_stripe(call_of_key(what, true), {answer})) == "unknown");
      if (const auto* whole = std::get_if<http_answer>(&answer)) {
        auto second = *whole;
        second.resent = true;
        CHECK(in_words(ask_stripe(call_of_key(what, false), {second})) == "unknown");
      }
    }
}

TEST_CASE("each kind of error has its code") {
  struct row {
    std::string_view type, code, decline_code, param, ours;
    error_category category;
    bool retryable;
  };
  using enum error_category;
  const row rows[] = {
      {"card_error", "card_declined", "generic_decline", "", "card_declined", provider, false},
      {"card_error", "card_declined", "stolen_card", "", "card_declined", provider, false},
      {"card_error", "card_declined", "insufficient_funds", "", "insufficient_funds", provider, true},
      {"card_error", "expired_card", "expired_card", "", "expired_card", provider, false},
      {"card_error", "incorrect_cvc", "incorrect_cvc", "", "incorrect_cvc", provider, false},
      {"card_error", "processing_error", "processing_error", "", "processing_error", provider, true},
      {"card_error", "card_declined", "try_again_later", "", "processing_error", provider, true},
      {"card_error", "authentication_required", "authentication_required", "", "authentication_required", provider,
       false},
      {"card_error", "payment_intent_authentication_failure", "", "", "authentication_failed", provider, false},
      {"card_error", "card_declined", "fraudulent", "", "risk_blocked", risk, false},
      {"card_error", "card_declined", "merchant_blacklist", "", "risk_blocked", risk, false},
      {"card_error", "incorrect_number", "", "", "incorrect_number", provider, false},
      {"card_error", "", "", "", "card_declined", provider, false},
      {"invalid_request_error", "resource_missing", "", "payment_method", "payment_method_not_found", validation,
       false},
      {"invalid_request_error", "resource_missing", "", "customer", "customer_not_found", validation, true},
      {"invalid_request_error", "amount_too_small", "", "amount", "amount_too_small", validation, false},
      {"invalid_request_error", "account_invalid", "", "", "account_invalid", auth, false},
      {"invalid_request_error", "testmode_charges_only", "", "", "account_invalid", auth, false},
      {"invalid_request_error", "", "", "", "invalid_request", validation, false},
      {"invalid_request_error", "<b>", "", "", "invalid_request", validation, false},
      {"tomorrow_error", "new_code", "", "", "new_code", provider, false},
  };
  for (const auto& [type, code, decline_code, param, ours, category, retryable] : rows) {
    INFO(code << " " << decline_code << " " << param);
    stripe::stripe_error said;
    said.type = type, said.code = code, said.decline_code = decline_code, said.param = param;
    said.message = "Stripe's words.";
    CHECK(stripe::error_of(said) == provider_error{category, std::string{ours}, "Stripe's words.", retryable, false});
  }
}

TEST_CASE("a decline carries the payment that was declined, and a bounded message") {
  const auto t = ask_stripe(
      creation_call(), {says(402, error_json("card_error", "card_declined", R"(,"payment_intent":{"id":"pi_9"})"))});
  CHECK(in_words(t) == "declined card_declined");
  CHECK(t.result->provider_ref == "pi_9");
  stripe::stripe_error said;
  said.message = "a\n\x1b[2J" + std::string(600, 'x');
  const auto error = stripe::error_of(said);
  CHECK(error.message.size() == stripe::most_message_bytes);
  CHECK(error.message.starts_with("a  [2J"));
}

TEST_CASE("the result of a repeated create") {
  // Stripe answers a repeated key as before.
  CHECK(in_words(ask_stripe(creation_call(true), {says(200, intent_json("requires_capture"))})) == "approved");
  CHECK(in_words(ask_stripe(creation_call(true), {says(402, error_json("card_error", "card_declined"))})) ==
        "declined card_declined");
  // It may have stored a failure of its own, or consider this another request: then the payment is searched for.
  for (const auto& stored : {says(500, ""), says(400, error_json("idempotency_error", "")), says(409, "")}) {
    const auto t = ask_stripe(creation_call(true), {stored, says(200, search_json(intent_json("processing"))),
                                                    says(200, intent_json("requires_capture"))});
    CHECK(t.url(1) ==
          "https://api.stripe.com/v1/payment_intents/"
          "search?limit=10&query=metadata%5B%27gateway_key%27%5D%3A%27pk_0123%27");
    CHECK(t.url(2) == "https://api.stripe.com/v1/payment_intents/pi_1");
    CHECK(in_words(t) == "approved");
    CHECK(in_words(ask_stripe(creation_call(true), {stored, says(200, search_json(""))})) == "unknown");
  }
  CHECK(in_words(ask_stripe(creation_call(true), {fails(http_fault::broken, true)})) == "unknown");
}

TEST_CASE("once its key may be forgotten, a payment is searched for and never made") {
  struct row {
    duration_ms after;
    std::string found;
    std::string_view state, hosted, server;
  };
  const auto other_case = std::string{
      R"({"id":"pi_1","object":"payment_intent","status":"succeeded","metadata":{"gateway_key":"PK_0123"}})"};
  const row rows[] = {
      {23h, intent_json("succeeded"), "succeeded", "approved", "approved"},
      {23h, intent_json("processing"), "processing", "unknown", "pending"},
      {23h, intent_json("requires_payment_method"), "requires_payment_method", "unknown", "declined card_declined"},
      {25h, intent_json("requires_payment_method"), "requires_payment_method", "declined checkout_expired",
       "declined card_declined"},
      {25h, intent_json("requires_action"), "requires_action", "unknown", "pending"},
      {23h, intent_json("requires_confirmation"), "requires_confirmation", "unknown", "unknown"},
      {25h, intent_json("requires_confirmation"), "requires_confirmation", "unknown", "declined processing_error"},
      {25h - 1ms, "", "", "unknown", "unknown"},
      {25h, "", "", "declined checkout_expired", "declined processing_error"},
      {25h, other_case, "", "declined checkout_expired", "declined processing_error"},
  };
  for (const auto& [after, found, state, hosted, server] : rows) {
    INFO(state << " after " << after.count());
    for (const auto how : {flow::redirect, flow::server}) {
      auto call = stripe_call(operation::create, stripe_payment(how));
      call.asked_again = true;
      call.customer_key = "ck_9";
      const auto t =
          ask_stripe(call, {says(200, search_json(found)), says(200, intent_json(state))}, stripe_noon + after);
      CHECK(in_words(t) == (how == flow::redirect ? hosted : server));
      for (const auto& request : t.sent) CHECK(request.method == http_method::get);
    }
  }
  CHECK(in_words(ask_stripe(creation_call(true), {says(400, error_json("invalid_request_error", ""))},
                            stripe_noon + 48h)) == "unknown");
  CHECK(in_words(ask_stripe(creation_call(true), {says(200, R"({"object":"search_result","has_more":true,"data":[]})")},
                            stripe_noon + 48h)) == "unknown");
}

TEST_CASE("while the age of a key is unknown nothing is sent under it, and what is not found stays unknown") {
  struct row {
    bool age_known;
    duration_ms now;
    bool sends;
    std::string_view not_found;
  };
  const row rows[] = {
      {true, 1h, true, ""},
      {true, 24h, false, "unknown"},
      {true, 25h, false, "declined processing_error"},
      {false, 1h, false, "unknown"},
      {false, 24h, false, "unknown"},
      {false, 25h, false, "unknown"},
      {false, 48h, false, "unknown"},
      {false, -25h, false, "unknown"},
      // The operation seems to begin later than now: the clock was wrong then, or is wrong now.
      {true, -1h, false, "unknown"},
      {true, -30s, true, ""},
  };
  struct operation_row {
    operation what;
    http_outcome nothing;
    http_outcome done;
  };
  const auto list = [](std::string_view rows_of) {
    return says(200, std::string{R"({"object":"list","has_more":false,"data":[)"}.append(rows_of).append("]}"));
  };
  const operation_row operations[] = {
      {operation::create, says(200, search_json("")), says(200, search_json(intent_json("requires_capture")))},
      {operation::capture, says(200, intent_json("requires_capture")),
       says(200, intent_json("succeeded", R"(,"amount_received":4200)"))},
      {operation::void_payment, says(200, intent_json("requires_capture")), says(200, intent_json("canceled"))},
      {operation::refund, list(""),
       list(R"({"id":"re_1","object":"refund","status":"succeeded","metadata":{"gateway_key":"pk_0123"}})")},
  };
  for (const auto& [what, nothing, done] : operations)
    for (const auto& [age_known, now, sends, not_found] : rows) {
      INFO(to_string(what) << " " << age_known << " at " << now.count());
      auto call = call_of_key(what, true);
      call.age_known = age_known;
      call.customer_key = what == operation::create ? "ck_9" : "";
      CHECK((ask_stripe(call, {}, stripe_noon + now).sent.at(0).method == http_method::post) == sends);
      if (sends) continue;
      CHECK(in_words(ask_stripe(call, {nothing}, stripe_noon + now)) == not_found);
      const auto t = ask_stripe(call, {done, says(200, intent_json("requires_capture"))}, stripe_noon + now);
      CHECK(in_words(t) == "approved");
      for (const auto& request : t.sent) CHECK(request.method == http_method::get);
    }
  // A key that was never sent has no age.
  CHECK(ask_stripe(creation_call(), {}, stripe_noon).sent.at(0).method == http_method::post);
}

TEST_CASE("a stored failure of a customer's key leads to the next one, after a search that would show the customer") {
  constexpr std::string_view found =
      R"({"id":"cus_8","metadata":{"gateway_customer":"ck_9"}},{"id":"cus_7","metadata":{"gateway_customer":"ck_9"}})";
  const auto none = says(200, search_json("")), stored = says_again(500, ""), made = says(200, R"({"id":"cus_5"})");
  const auto other_case = says(200, search_json(R"({"id":"cus_8","metadata":{"gateway_customer":"CK_9"}})"));
  const auto more = says(200, R"({"object":"search_result","has_more":true,"data":[]})");
  struct row {
    std::string_view name;
    bool again;
    duration_ms after;
    std::vector<http_outcome> answers;
    std::string_view keys;  ///< of the requests, `search` for the search
    std::string_view result;
  };
  const row rows[] = {
      {"the next key makes the customer", true, 1min, {stored, none, made}, "ck_9 search ck_9_2 pk_0123", "asks on"},
      {"and the one after that",
       true,
       2min,
       {stored, none, stored, made},
       "ck_9 search ck_9_2 ck_9_3 pk_0123",
       "asks on"},
      {"which waits longer", true, 1min, {stored, none, stored}, "ck_9 search ck_9_2", "unknown"},
      {"a search finds the customer",
       true,
       1s,
       {stored, says(200, search_json(found))},
       "ck_9 search pk_0123",
       "asks on"},
      {"also in the first call", false, 0s, {stored, says(200, search_json(found))}, "ck_9 search pk_0123", "asks on"},
      {"too early for a search to show them", true, 59s, {stored, none}, "ck_9 search", "unknown"},
      {"the first call is always too early", false, 0s, {stored, none}, "ck_9 search", "unknown"},
      {"the search fails", true, 1h, {stored, says(500, "")}, "ck_9 search", "unknown"},
      {"the search has more", true, 1h, {stored, more}, "ck_9 search", "unknown"},
      {"another customer", true, 1min, {stored, other_case, made}, "ck_9 search ck_9_2 pk_0123", "asks on"},
      {"a failure that may not be stored", true, 59min, {says(500, "")}, "ck_9", "unknown"},
      {"unless it has lasted", true, 1h, {says(500, ""), none, made}, "ck_9 search ck_9_2 pk_0123", "asks on"},
      {"the keys are few",
       true,
       22h,
       {stored, none, stored, stored, stored},
       "ck_9 search ck_9_2 ck_9_3 ck_9_4",
       "unknown"},
      {"a repeated success", true, 1h, {says_again(200, R"({"id":"cus_5"})")}, "ck_9 pk_0123", "asks on"},
  };
  for (const auto& [name, again, after, answers, keys, result] : rows) {
    INFO(name);
    auto call = creation_call(again);
    call.customer_key = "ck_9";
    const auto t = ask_stripe(call, answers, stripe_noon + after);
    std::string sent;
    for (std::size_t i = 0; i < t.sent.size(); ++i) {
      const bool searches = t.sent[i].method == http_method::get;
      if (searches)
        CHECK(t.url(i) ==
              "https://api.stripe.com/v1/customers/"
              "search?limit=10&query=metadata%5B%27gateway_customer%27%5D%3A%27ck_9%27");
      else if (t.header(i, "Idempotency-Key").starts_with("ck_"))
        CHECK(t.body(i) == t.body(0));
      sent.append(i ? " " : "").append(searches ? "search" : t.header(i, "Idempotency-Key"));
    }
    CHECK(sent == keys);
    CHECK(in_words(t) == result);
  }
  auto call = creation_call(true);
  call.customer_key = "ck_9";
  const auto t = ask_stripe(call, {stored, says(200, search_json(found)), says(200, intent_json("requires_capture"))});
  CHECK(t.result->customer_id == "cus_7");
}

TEST_CASE("a customer who may have been made leaves the payment unknown, and it is repeated with the same keys") {
  auto call = creation_call();
  call.customer_key = "ck_9";
  CHECK(in_words(ask_stripe(call, {fails(http_fault::broken, true)})) == "unknown");
  CHECK(in_words(ask_stripe(call, {says(500, "")})) == "unknown");
  CHECK(in_words(ask_stripe(call, {says(200, R"({"id":""})")})) == "unknown");
  CHECK(in_words(ask_stripe(call, {fails(http_fault::connect_failed, false)})) == "declined provider_unavailable");
  CHECK(in_words(ask_stripe(call, {says(400, error_json("invalid_request_error", "email_invalid"))})) ==
        "declined email_invalid");
  call.asked_again = true;
  for (const auto& answer : {fails(http_fault::connect_failed, false),
                             says(400, error_json("invalid_request_error", "email_invalid")), says(500, "")})
    CHECK(in_words(ask_stripe(call, {answer})) == "unknown");
  const auto made = says(200, R"({"id":"cus_5"})");
  const auto t = ask_stripe(call, {made, says(402, error_json("card_error", "card_declined"))});
  CHECK(in_words(t) == "declined card_declined");
  CHECK(t.result->customer_id == "cus_5");
}
