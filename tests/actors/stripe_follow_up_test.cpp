#include "stripe_fixture.hpp"

using namespace gateway;
using namespace gateway::actors;
using namespace std::chrono_literals;

namespace {

std::string refund_json(std::string_view status, std::string_view key = "pk_0123") {
  return std::string{R"({"id":"re_1","object":"refund","status":")"}
      .append(status)
      .append(R"(","metadata":{"gateway_key":")")
      .append(key)
      .append("\"}}");
}

std::string session_json(std::string_view status, std::string_view paid, std::string_view more = {}) {
  return std::string{R"({"id":"cs_test_1","object":"checkout.session","status":")"}
      .append(status)
      .append(R"(","payment_status":")")
      .append(paid)
      .append("\"")
      .append(more)
      .append("}");
}

}  // namespace

TEST_CASE("the result of a capture and a void for each state of the payment") {
  struct row {
    std::string_view status, more, capture, undo;
  };
  const row rows[] = {
      {"succeeded", R"(,"amount_received":4200)", "approved", "declined void_failed"},
      {"succeeded", R"(,"amount_received":4199)", "approved", "declined void_failed"},
      {"succeeded", "", "unknown", "declined void_failed"},
      {"canceled", "", "declined capture_declined", "approved"},
      {"processing", "", "unknown", "unknown"},
      {"requires_capture", "", "unknown", "unknown"},
  };
  const auto unclear = says(200, intent_json("processing"));
  for (const auto& [status, more, capture, undo] : rows) {
    INFO(status << more);
    const auto state = says(200, intent_json(status, more));
    // From the answer itself, or from a read if the answer was not clear.
    CHECK(in_words(ask_stripe(call_of_key(operation::capture, false), {state, state})) == capture);
    CHECK(in_words(ask_stripe(call_of_key(operation::void_payment, false), {state, state})) == undo);
    CHECK(in_words(ask_stripe(call_of_key(operation::capture, false), {unclear, state})) == capture);
    CHECK(in_words(ask_stripe(call_of_key(operation::capture, true), {says(500, ""), state})) == capture);
    CHECK(in_words(ask_stripe(call_of_key(operation::capture, true), {state}, stripe_noon + 23h)) == capture);
    CHECK(in_words(ask_stripe(call_of_key(operation::void_payment, true), {state}, stripe_noon + 23h)) == undo);
  }
  for (const auto what : {operation::capture, operation::void_payment}) {
    const auto held = says(200, intent_json("requires_capture"));
    const auto t = ask_stripe(call_of_key(what, true), {held}, stripe_noon + 25h);
    CHECK(in_words(t) == "declined processing_error");
    CHECK(t.sent[0].method == http_method::get);
  }
}

TEST_CASE("after a rejected capture the payment is read: it may have been captured before") {
  const auto no = says(400, error_json("invalid_request_error", "payment_intent_unexpected_state"));
  for (const bool again : {false, true}) {
    const auto call = call_of_key(operation::capture, again);
    CHECK(in_words(ask_stripe(call, {no, says(200, intent_json("succeeded", R"(,"amount_received":4200)"))})) ==
          "approved");
    CHECK(in_words(ask_stripe(call, {no, says(200, intent_json("requires_capture"))})) ==
          "declined payment_intent_unexpected_state");
    CHECK(in_words(ask_stripe(call, {no, says(200, intent_json("canceled"))})) == "declined capture_declined");
    CHECK(in_words(ask_stripe(call, {no, fails(http_fault::connect_failed, false)})) == "unknown");
  }
}

TEST_CASE("a capture that was done at Stripe with another amount is approved with that amount") {
  struct row {
    std::string_view unit, received;
    std::int64_t asked, captured;  ///< 0: what was asked for
  };
  const row rows[] = {{"EUR", "4199", 4200, 4199},   {"EUR", "4200", 4200, 0},  {"EUR", "4200", 1000, 4200},
                      {"ISK", "419900", 4200, 4199}, {"MGA", "41", 4200, 4100}, {"EUR", "1", 4200, 1}};
  const auto no = says(400, error_json("invalid_request_error", "payment_intent_unexpected_state"));
  for (const auto& [unit, received, asked, captured] : rows) {
    INFO(unit << " " << received << " for " << asked);
    auto call = stripe_call(operation::capture, stripe_payment(flow::server, unit));
    call.amount = asked;
    const auto state = says(
        200, intent_json("succeeded", std::string{R"(,"latest_charge":"ch_1","amount_received":)"}.append(received)));
    const auto t = ask_stripe(call, {no, state});
    REQUIRE(in_words(t) == "approved");
    CHECK(t.result->captured == captured);
    CHECK(t.result->movement_ref == "ch_1");
  }
}

TEST_CASE("a pending refund has its reference, by which its end is recognized") {
  const auto t = ask_stripe(call_of_key(operation::refund, false), {says(200, refund_json("pending"))});
  REQUIRE(in_words(t) == "pending");
  CHECK(t.result->movement_ref == "re_1");
}

TEST_CASE("the result of a refund for each of its states") {
  struct row {
    std::string_view status, first;
  };
  const row rows[] = {{"succeeded", "approved"},
                      {"pending", "pending"},
                      {"failed", "declined refund_failed"},
                      {"canceled", "declined refund_failed"},
                      {"requires_action", "pending"},
                      {"of_tomorrow", "unknown"},
                      {"", "unknown"}};
  for (const auto& [status, first] : rows) {
    INFO(status);
    CHECK(in_words(ask_stripe(call_of_key(operation::refund, false), {says(200, refund_json(status))})) == first);
    CHECK(in_words(ask_stripe(call_of_key(operation::refund, true), {says(200, list_json(refund_json(status)))},
                              stripe_noon + 23h)) == first);
  }
  CHECK(in_words(ask_stripe(call_of_key(operation::refund, false),
                            {says(400, error_json("invalid_request_error", "charge_already_refunded"))})) ==
        "declined charge_already_refunded");
}

TEST_CASE("a refund's failure reason is a text that can be stored and shown") {
  const auto text_of = [](const std::string& reason) {
    const auto failed = R"({"id":"re_1","object":"refund","status":"failed","failure_reason":")" + reason + "\"}";
    return ask_stripe(call_of_key(operation::refund, false), {says(200, failed)}).result->error->message;
  };
  CHECK(text_of("lost_or_stolen_card") == "The refund failed: lost_or_stolen_card");
  CHECK(text_of("a\\u0007b") == "The refund failed: a b");
  const std::string fits(481, 'x');
  CHECK(text_of(fits) == "The refund failed: " + fits);
  CHECK(text_of(fits.substr(1) + "ü") == "The refund failed: " + fits.substr(1));
}

TEST_CASE("a repeated refund is found by its key, and never made twice") {
  const auto call = call_of_key(operation::refund, true);
  const auto late = stripe_noon + 23h;
  const auto t = ask_stripe(call,
                            {says(200, list_json(refund_json("succeeded", "pk_other"), true)),
                             says(200, list_json(refund_json("succeeded")))},
                            late);
  CHECK(in_words(t) == "approved");
  CHECK(t.url(0) == "https://api.stripe.com/v1/refunds?limit=100&payment_intent=pi_1");
  CHECK(t.url(1) == "https://api.stripe.com/v1/refunds?limit=100&payment_intent=pi_1&starting_after=re_1");
  CHECK(in_words(ask_stripe(call, {says(200, list_json(""))}, late)) == "unknown");
  CHECK(in_words(ask_stripe(call, {says(200, list_json(""))}, stripe_noon + 25h)) == "declined processing_error");
  CHECK(in_words(ask_stripe(call, {says(200, list_json("", true))}, stripe_noon + 25h)) == "unknown");
  CHECK(in_words(ask_stripe(call, {says(500, ""), says(200, list_json(refund_json("succeeded")))})) == "approved");
  const auto no = says(400, error_json("invalid_request_error", "charge_already_refunded"));
  CHECK(in_words(ask_stripe(call, {no, says(200, list_json(refund_json("succeeded")))})) == "approved");
  CHECK(in_words(ask_stripe(call, {no, says(200, list_json(""))})) == "declined charge_already_refunded");
  const auto more = says(200, list_json(refund_json("succeeded", "pk_other"), true));
  const auto endless = ask_stripe(call, {more, more, more, more, more, more, more, more, more, more, more}, late);
  CHECK(endless.sent.size() == 10);
  CHECK(in_words(endless) == "unknown");
}

TEST_CASE("the result of an inquiry about a checkout") {
  auto payment = stripe_payment(flow::redirect);
  payment.provider_ref = "cs_test_1";
  payment.customer.emplace().saves_method = true;
  struct row {
    std::string session;
    std::string_view now;
  };
  const row rows[] = {
      {session_json("complete", "paid"), "approved"},
      {session_json("open", "unpaid"), "pending"},
      {session_json("expired", "unpaid"), "declined checkout_expired"},
      {session_json("complete", "unpaid", R"(,"payment_intent":{"id":"pi_1","status":"processing"})"), "pending"},
      {session_json("complete", "unpaid", R"(,"payment_intent":{"id":"pi_1","status":"requires_payment_method"})"),
       "declined card_declined"},
      {session_json("complete", "no_payment_required"), "pending"},
      {session_json("tomorrow", "unpaid"), "unknown"},
      {R"({"id":"cs_other","object":"checkout.session","status":"complete","payment_status":"paid"})", "unknown"},
      {"", "unknown"},
  };
  for (const auto& [session, now] : rows) {
    INFO(session);
    CHECK(in_words(ask_stripe(payment, false, {says(200, session)})) == now);
  }
  const auto t = ask_stripe(
      payment, false,
      {says(
          200,
          session_json(
              "complete", "paid",
              R"(,"customer":"cus_5","payment_intent":{"id":"pi_1","status":"succeeded","payment_method":"pm_8"})"))});
  CHECK(t.url(0) == "https://api.stripe.com/v1/checkout/sessions/cs_test_1?expand%5B%5D=payment_intent");
  CHECK(t.result->saved_method == "pm_8");
  CHECK(t.result->customer_id == "cus_5");
  CHECK(in_words(ask_stripe(payment, false, {fails(http_fault::connect_failed, false)})) == "unknown");
  CHECK(in_words(ask_stripe(payment, false, {says(404, error_json("invalid_request_error", "resource_missing"))})) ==
        "unknown");
}

TEST_CASE("a checkout that is being closed is paid if its customer was faster") {
  auto payment = stripe_payment(flow::redirect);
  payment.provider_ref = "cs_test_1";
  const auto open = says(200, session_json("open", "unpaid"));
  const auto no = says(400, error_json("invalid_request_error", ""));
  const auto t = ask_stripe(payment, true, {open, says(200, session_json("expired", "unpaid"))});
  CHECK(t.url(1) == "https://api.stripe.com/v1/checkout/sessions/cs_test_1/expire");
  CHECK(t.header(1, "Idempotency-Key").starts_with("close_"));
  CHECK(in_words(t) == "declined checkout_expired");
  CHECK(in_words(ask_stripe(payment, true, {open, no, says(200, session_json("complete", "paid"))})) == "approved");
  CHECK(in_words(ask_stripe(payment, true, {open, no, open})) == "unknown");
  CHECK(in_words(ask_stripe(payment, true, {open, fails(http_fault::broken, true)})) == "unknown");
  CHECK(in_words(ask_stripe(payment, true, {says(200, session_json("complete", "paid"))})) == "approved");
}

TEST_CASE("the result of an inquiry about a payment that waits for its customer's approval") {
  auto payment = stripe_payment();
  payment.provider_ref = "pi_1";
  payment.details.captures_at_once = true;
  struct row {
    std::string_view status;
    std::string_view now, closing;
  };
  const row rows[] = {{"succeeded", "approved", "approved"},
                      {"processing", "pending", "pending"},
                      {"requires_action", "pending", "asks on"},
                      {"canceled", "declined payment_canceled", "declined checkout_expired"},
                      {"requires_confirmation", "pending", "asks on"},
                      {"requires_payment_method", "asks on", "asks on"},
                      {"requires_capture", "unknown", "unknown"},
                      {"tomorrow", "unknown", "unknown"}};
  for (const auto& [status, now, closing] : rows) {
    INFO(status);
    const auto state = says(200, intent_json(status));
    CHECK(in_words(ask_stripe(payment, false, {state})) == now);
    const auto t = ask_stripe(payment, true, {state});
    CHECK(in_words(t) == closing);
    if (!t.result) CHECK(t.url(1) == "https://api.stripe.com/v1/payment_intents/pi_1/cancel");
  }
  // It failed, and expired before the failure was reported.
  const auto failed = says(200, intent_json("requires_payment_method", failed_attempt));
  const auto no = says(400, error_json("invalid_request_error", "payment_intent_unexpected_state"));
  CHECK(in_words(ask_stripe(payment, false, {failed, says(200, intent_json("canceled"))})) ==
        "declined insufficient_funds");
  CHECK(in_words(ask_stripe(payment, false, {failed, no, says(200, intent_json("succeeded"))})) == "approved");
  CHECK(in_words(ask_stripe(payment, false, {failed, no, failed})) == "unknown");
  const auto waits = says(200, intent_json("requires_action"));
  CHECK(in_words(ask_stripe(payment, true, {waits, says(200, intent_json("canceled"))})) ==
        "declined checkout_expired");
  payment.provider_ref.clear();
  CHECK(in_words(ask_stripe(payment, false, {})) == "unknown");
}
