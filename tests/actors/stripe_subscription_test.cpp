#include "stripe_fixture.hpp"

#include "gateway/domain/subscription_machine.hpp"

using namespace gateway;
using namespace gateway::actors;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view stripe_api = "https://api.stripe.com";

subscription_call subscription_call_of(subscription_operation what, bool asked_again = false) {
  subscription_call call;
  call.provider_key = "pk_0123";
  call.asked_again = asked_again;
  auto& s = call.subject;
  s.key = subscription_key(merchant_id{"merch_a1"}, environment::test, "enroll-7");
  s.version = 3;
  s.provider = provider_kind::stripe;
  s.account = "acct_1";
  s.details = {"ref-7", 0, "https://shop.example/done", "https://shop.example/cart", "The monthly box"};
  s.state.amount = {1900, *currency::parse("EUR")};
  s.state.every = {billing_interval::month, 1};
  s.state.provider_customer_id = "cus_1";
  s.state.metadata = {{"schedule", "s-7"}};
  s.open = open_subscription_operation{{}, what, false, 0, 3, stripe_noon};
  return call;
}

subscription_call ending_call(subscription_operation what, std::string_view checkout, std::string_view subscription,
                              bool asked_again = false) {
  auto call = subscription_call_of(what, asked_again);
  call.subject.checkout_session_id = checkout;
  call.subject.provider_subscription_id = subscription;
  return call;
}

using subscription_talk = talk_about<subscription_result>;

subscription_talk ask_subscription(const subscription_call& call, std::initializer_list<http_outcome> answers,
                                   time_point now = stripe_noon) {
  return run_dialogue(stripe_adapter_under_test().open(call, stripe_values(), now), answers);
}

std::string subscription_answer_json(std::string_view status, std::string_view more = {}) {
  return std::string{R"({"id":"sub_1","object":"subscription","customer":"cus_1","currency":"eur","status":")"}
      .append(status)
      .append(R"(","items":{"object":"list","data":[{"quantity":1,"current_period_start":1795176000,)")
      .append(R"("current_period_end":1797768000,"price":{"unit_amount":1900,"currency":"eur",)")
      .append(R"("recurring":{"interval":"month","interval_count":1}}}]},"metadata":{"schedule":"s-7",)")
      .append(R"("gateway_merchant":"merch_a1","gateway_subscription":"enroll-7","gateway_key":"pk_0123"})")
      .append(more)
      .append("}");
}

std::string subscription_session(std::string_view status, std::string_view more = {}) {
  return std::string{R"({"id":"cs_test_1","object":"checkout.session","status":")"}
      .append(status)
      .append("\"")
      .append(more)
      .append("}");
}

constexpr std::string_view end_times = R"(,"canceled_at":1795176003,"ended_at":1795176004)";

/// `approved canceled`, `approved -` where nothing was made, `declined account_invalid`, …
std::string in_words(const subscription_talk& t) {
  if (!t.result) return "asks on";
  const auto& answer = t.result->answer;
  std::string text{to_string(answer.status)};
  if (answer.status == provider_status::declined) text += answer.error ? " " + answer.error->code : " -";
  if (answer.status == provider_status::approved)
    text.append(" ").append(answer.seen ? to_string(answer.seen->state.status) : "-");
  return text;
}

}  // namespace

TEST_CASE("a subscription's checkout is opened for its customer") {
  auto call = subscription_call_of(subscription_operation::open_checkout);
  call.subject.details.trial_period_days = 14;
  const auto t = ask_subscription(
      call, {says(200, subscription_session("open", R"(,"url":"https://checkout.stripe.com/c/pay/cs_test_1")"))});
  REQUIRE(in_words(t) == "pending");
  CHECK(t.result->answer.checkout_session_id == "cs_test_1");
  CHECK(t.result->answer.hosted_url == "https://checkout.stripe.com/c/pay/cs_test_1");
  CHECK(t.result->customer_id.empty());
  REQUIRE(t.sent.size() == 1);
  CHECK(t.url(0) == std::string{stripe_api} + "/v1/checkout/sessions");
  CHECK(t.header(0, "Idempotency-Key") == "pk_0123");
  CHECK(t.header(0, "Stripe-Account") == "acct_1");
  CHECK(t.body(0) ==
        "mode=subscription&line_items[0][quantity]=1&line_items[0][price_data][currency]=eur"
        "&line_items[0][price_data][unit_amount]=1900&line_items[0][price_data][recurring][interval]=month"
        "&line_items[0][price_data][recurring][interval_count]=1"
        "&line_items[0][price_data][product_data][name]=The%20monthly%20box"
        "&success_url=https%3A%2F%2Fshop.example%2Fdone&cancel_url=https%3A%2F%2Fshop.example%2Fcart"
        "&client_reference_id=enroll-7&expires_at=1795261800&customer=cus_1&subscription_data[trial_period_days]=14"
        "&subscription_data[description]=The%20monthly%20box"
        "&subscription_data[metadata][gateway_merchant]=merch_a1"
        "&subscription_data[metadata][gateway_subscription]=enroll-7&subscription_data[metadata][gateway_key]=pk_0123"
        "&subscription_data[metadata][schedule]=s-7&metadata[gateway_merchant]=merch_a1"
        "&metadata[gateway_subscription]=enroll-7&metadata[gateway_key]=pk_0123&metadata[schedule]=s-7");
}

TEST_CASE("a subscription's customer is made first, with the bytes that a payment sends for them") {
  auto call = subscription_call_of(subscription_operation::open_checkout);
  call.subject.state.provider_customer_id.clear();
  call.customer_key = "ck_9";
  const auto session =
      says(200, subscription_session("open", R"(,"url":"https://checkout.stripe.com/c/pay/cs_test_1")"));
  const auto t = ask_subscription(call, {says(200, R"({"id":"cus_5","object":"customer"})"), session});
  REQUIRE(in_words(t) == "pending");
  CHECK(t.result->customer_id == "cus_5");
  CHECK(t.url(0) == std::string{stripe_api} + "/v1/customers");
  CHECK(t.header(0, "Idempotency-Key") == "ck_9");
  CHECK(t.body(1).find("&customer=cus_5&") != std::string::npos);

  auto payment = stripe_call(operation::create, stripe_payment());
  payment.customer_key = "ck_9";
  payment.subject.customer.emplace().ref = "ref-7";
  CHECK(ask_stripe(payment, {}).body(0) == t.body(0));

  // Whatever the outcome of the checkout, the customer is returned.
  const auto broken = ask_subscription(
      call, {says(200, R"({"id":"cus_5","object":"customer"})"), fails(http_fault::answer_timeout, true)});
  CHECK(in_words(broken) == "unknown");
  CHECK(broken.result->customer_id == "cus_5");
}

TEST_CASE("a checkout that is not opened has failed, or is unknown") {
  struct row {
    http_outcome received;
    std::string_view first, again;
  };
  const row rows[] = {
      {says(400, error_json("invalid_request_error", "parameter_invalid_integer")),
       "declined parameter_invalid_integer", "declined parameter_invalid_integer"},
      {says(403, error_json("invalid_request_error", "account_invalid")), "declined account_invalid", "unknown"},
      {says(401, error_json("invalid_request_error", "")), "declined provider_unavailable", "unknown"},
      {says(429, error_json("invalid_request_error", "rate_limit")), "declined provider_unavailable", "unknown"},
      {fails(http_fault::connect_failed, false), "declined provider_unavailable", "unknown"},
      {fails(http_fault::answer_timeout, true), "unknown", "unknown"},
      {says(500, error_json("api_error", "")), "unknown", "unknown"},
      {says(409, error_json("idempotency_error", "idempotency_key_in_use")), "unknown", "unknown"},
      {says(200, "<html>"), "unknown", "unknown"},
      {says(200, subscription_session("open")), "unknown", "unknown"},
  };
  for (const auto& [received, first, again] : rows) {
    CHECK(in_words(ask_subscription(subscription_call_of(subscription_operation::open_checkout), {received})) == first);
    CHECK(in_words(ask_subscription(subscription_call_of(subscription_operation::open_checkout, true), {received})) ==
          again);
  }
  auto odd = subscription_call_of(subscription_operation::open_checkout);
  odd.subject.account = "a/b";
  CHECK(in_words(ask_subscription(odd, {})) == "declined account_invalid");
  odd = subscription_call_of(subscription_operation::open_checkout);
  odd.subject.state.amount = {1901, *currency::parse("KWD")};
  CHECK(in_words(ask_subscription(odd, {})) == "declined amount_not_supported");
}

TEST_CASE("once its key may be forgotten no second checkout is opened") {
  const auto call = subscription_call_of(subscription_operation::open_checkout, true);
  const auto rows = [](std::string_view what) {
    return says(200, std::string{R"({"object":"search_result","has_more":false,"data":[)"}.append(what).append("]}"));
  };
  const auto t = ask_subscription(call, {rows("")}, stripe_noon + 23h);
  CHECK(in_words(t) == "declined checkout_expired");
  CHECK(t.sent.at(0).method == http_method::get);
  CHECK(t.url(0) == std::string{stripe_api} +
                        "/v1/subscriptions/search?limit=10&query=metadata%5B%27gateway_key%27%5D%3A%27pk_0123%27");
  CHECK(in_words(ask_subscription(call, {rows(subscription_answer_json("active"))}, stripe_noon + 23h)) ==
        "approved -");
  CHECK(in_words(ask_subscription(call, {says(500, "")}, stripe_noon + 23h)) == "unknown");
  CHECK(ask_subscription(call, {}, stripe_noon + 22h).sent.at(0).method == http_method::post);
}

TEST_CASE("a subscription's customer is made under the next key if Stripe has stored a failure under the first") {
  auto call = subscription_call_of(subscription_operation::open_checkout, true);
  call.subject.state.provider_customer_id.clear();
  call.customer_key = "ck_9";
  const auto none = says(200, R"({"object":"search_result","has_more":false,"data":[]})");
  const auto t = ask_subscription(call, {says_again(500, ""), none, says(200, R"({"id":"cus_5","object":"customer"})")},
                                  stripe_noon + 1min);
  REQUIRE(t.sent.size() == 4);
  CHECK(t.header(2, "Idempotency-Key") == "ck_9_2");
  CHECK(t.body(2) == t.body(0));
  CHECK(t.body(3).find("&customer=cus_5&") != std::string::npos);
  CHECK(in_words(ask_subscription(call, {says_again(500, ""), none}, stripe_noon + 59s)) == "unknown");
  CHECK(in_words(ask_subscription(call, {says(500, "")}, stripe_noon + 1min)) == "unknown");
}

TEST_CASE("while the age of its key is unknown a checkout is searched for, never opened") {
  auto call = subscription_call_of(subscription_operation::open_checkout, true);
  const auto rows = [](std::string_view what) {
    return says(200, std::string{R"({"object":"search_result","has_more":false,"data":[)"}.append(what).append("]}"));
  };
  struct row {
    bool age_known;
    duration_ms now;
    bool sends;
    std::string_view not_found;
  };
  const row table[] = {
      {true, 1h, true, ""},
      {true, 23h, false, "declined checkout_expired"},
      {false, 1h, false, "unknown"},
      {false, 23h, false, "unknown"},
      {false, 48h, false, "unknown"},
      // The operation seems to begin later than now: the clock was wrong then, or is wrong now.
      {true, -1h, false, "unknown"},
  };
  for (const auto& [age_known, now, sends, not_found] : table) {
    INFO(age_known << " at " << now.count());
    call.age_known = age_known;
    const auto t = ask_subscription(call, {}, stripe_noon + now);
    CHECK((t.sent.at(0).method == http_method::post) == sends);
    if (sends) continue;
    CHECK(in_words(ask_subscription(call, {rows("")}, stripe_noon + now)) == not_found);
    CHECK(in_words(ask_subscription(call, {rows(subscription_answer_json("active"))}, stripe_noon + now)) ==
          "approved -");
  }
  call.asked_again = false;
  CHECK(ask_subscription(call, {}).sent.at(0).method == http_method::post);
}

TEST_CASE("a subscription is canceled at once, and an ended one is found as such") {
  const auto call = ending_call(subscription_operation::cancel, "cs_test_1", "sub_1");
  const auto t = ask_subscription(call, {says(200, subscription_answer_json("canceled", end_times))});
  REQUIRE(in_words(t) == "approved canceled");
  CHECK(t.sent.at(0).method == http_method::delete_);
  CHECK(t.url(0) == std::string{stripe_api} + "/v1/subscriptions/sub_1");
  CHECK(t.header(0, "Stripe-Account") == "acct_1");
  const auto& seen = *t.result->answer.seen;
  CHECK(seen.provider_subscription_id == "sub_1");
  CHECK(seen.state.canceled_at == from_unix_ms(1'795'176'003'000));
  CHECK(seen.state.metadata == metadata_map{{"schedule", "s-7"}});
  CHECK(seen.state.amount == money{1900, *currency::parse("EUR")});
  CHECK(seen.position == history_position{from_unix_ms(1'795'176'004'000), 0, notification_kind::deleted, {}});

  const auto none = says(404, error_json("invalid_request_error", "resource_missing"));
  struct row {
    http_outcome read;
    std::string_view now;
  };
  const row rows[] = {
      {says(200, subscription_answer_json("canceled", end_times)), "approved canceled"},
      {says(200, subscription_answer_json("incomplete_expired", end_times)), "approved incomplete_expired"},
      {says(200, subscription_answer_json("active")), "declined resource_missing"},
      {none, "declined resource_missing"},
      {says(200, subscription_answer_json("a_state_of_tomorrow")), "unknown"},
      {says(500, ""), "unknown"},
      {fails(http_fault::connect_failed, false), "unknown"},
  };
  for (const auto& [read, now] : rows) {
    const auto after = ask_subscription(call, {none, read});
    CHECK(in_words(after) == now);
    CHECK(after.sent.at(1).method == http_method::get);
  }
  CHECK(in_words(ask_subscription(call, {fails(http_fault::connect_failed, false)})) ==
        "declined provider_unavailable");
  CHECK(in_words(ask_subscription(call, {fails(http_fault::broken, true)})) == "unknown");
  const auto again = ending_call(subscription_operation::cancel, "cs_test_1", "sub_1", true);
  CHECK(in_words(ask_subscription(again, {fails(http_fault::connect_failed, false)})) == "unknown");
  CHECK(in_words(ask_subscription(again, {none, says(200, subscription_answer_json("canceled", end_times))})) ==
        "approved canceled");
}

TEST_CASE("a checkout is closed, and if its customer was faster, the subscription is read") {
  using enum subscription_operation;
  const auto no = says(400, error_json("invalid_request_error", ""));
  const auto complete = says(200, subscription_session("complete", R"(,"subscription":"sub_1")"));
  const auto canceled = says(200, subscription_answer_json("canceled", end_times));
  for (const auto what : {cancel, expire}) {
    const auto call = ending_call(what, "cs_test_1", "");
    const auto t = ask_subscription(call, {says(200, subscription_session("expired"))});
    CHECK(in_words(t) == "approved -");
    CHECK(t.url(0) == std::string{stripe_api} + "/v1/checkout/sessions/cs_test_1/expire");
    CHECK(t.header(0, "Idempotency-Key").starts_with("close_"));
    CHECK(in_words(ask_subscription(call, {no, says(200, subscription_session("expired"))})) == "approved -");
    CHECK(in_words(ask_subscription(call, {no, says(200, subscription_session("open"))})) == "unknown");
    CHECK(in_words(ask_subscription(call, {no, says(200, subscription_session("complete"))})) == "unknown");
    CHECK(in_words(ask_subscription(call, {no, says(500, "")})) == "unknown");
    CHECK(in_words(ask_subscription(call, {fails(http_fault::broken, true)})) == "unknown");
    CHECK(in_words(ask_subscription(call, {says(200, "{}")})) == "unknown");
    const auto faster = ask_subscription(call, {no, complete});
    CHECK(in_words(faster) == "asks on");
    CHECK(faster.url(2) == std::string{stripe_api} + "/v1/subscriptions/sub_1");
    CHECK(faster.sent.at(2).method == (what == cancel ? http_method::delete_ : http_method::get));
    auto later = ending_call(what, "cs_test_1", "", true);
    later.subject.version = 4;
    CHECK(ask_subscription(later, {}).header(0, "Idempotency-Key") != t.header(0, "Idempotency-Key"));
  }
  CHECK(in_words(ask_subscription(ending_call(cancel, "cs_test_1", ""), {no, complete, canceled})) ==
        "approved canceled");
  CHECK(in_words(ask_subscription(ending_call(expire, "cs_test_1", ""),
                                  {no, complete, says(200, subscription_answer_json("active"))})) == "approved active");
  CHECK(in_words(ask_subscription(ending_call(cancel, "", ""), {})) == "declined provider_ref_missing");
}

TEST_CASE("a cancel and the notification of the end make the same row, in either order, with one event") {
  const auto call = ending_call(subscription_operation::cancel, "cs_test_1", "sub_1");
  const auto answer =
      ask_subscription(call, {says(200, subscription_answer_json("canceled", end_times))}).result->answer;
  auto before = call.subject;
  before.activated = true;
  before.state.status = subscription_status::active;
  subscription_notification end;
  end.event_id = "evt_9";
  end.kind = notification_kind::deleted;
  end.at = from_unix_ms(1'795'176'005'000);
  end.provider_subscription_id = "sub_1";
  end.state = answer.seen->state;

  const auto answered = conclude(before, answer, stripe_noon, {}).next;
  const auto then_notified = std::get<subscription_transition>(apply(answered, end, false, stripe_noon));
  const auto notified = std::get<subscription_transition>(apply(before, end, false, stripe_noon));
  const auto then_answered = conclude(notified.next, answer, stripe_noon, {});
  CHECK(notified.events.size() == 1);
  CHECK(then_notified.events.size() == 1);
  CHECK(then_answered.events.empty());
  CHECK(then_notified.next.state == then_answered.next.state);
  CHECK(then_notified.next.known == then_answered.next.known);
}

TEST_CASE("a cycle's payment is refunded by the payment of its invoice") {
  auto call = stripe_call(operation::refund, stripe_payment());
  call.subject.provider_ref = "in_1";
  const auto payments = [](std::string_view rows) {
    return says(200, std::string{R"({"object":"list","has_more":false,"data":[)"}.append(rows).append("]}"));
  };
  const auto refunded = says(200, R"({"id":"re_1","object":"refund","status":"succeeded"})");
  const auto t =
      ask_stripe(call, {payments(R"({"status":"canceled","payment":{"type":"payment_intent","payment_intent":"pi_0"}},)"
                                 R"({"status":"paid","amount_paid":200,"payment":{"payment_intent":"pi_1"}},)"
                                 R"({"status":"paid","amount_paid":1700,"payment":{"payment_intent":"pi_2"}})"),
                        refunded});
  CHECK(in_words(t) == "approved");
  CHECK(t.url(0) == std::string{stripe_api} + "/v1/invoice_payments?limit=100&invoice=in_1");
  CHECK(t.body(1).starts_with("payment_intent=pi_2&amount=4200"));
  CHECK(in_words(ask_stripe(call, {payments("")})) == "declined provider_ref_missing");
  CHECK(in_words(ask_stripe(call, {fails(http_fault::broken, true)})) == "declined provider_unavailable");
  call.asked_again = true;
  CHECK(in_words(ask_stripe(call, {payments("")})) == "unknown");
  CHECK(in_words(ask_stripe(call, {says(500, "")})) == "unknown");
}

TEST_CASE("a subscription is read with its latest paid invoices, the oldest first") {
  auto call = ending_call(subscription_operation::cancel, "cs_test_1", "sub_1");
  call.reads = call.asked_again = true;
  call.subject.open.reset();
  CHECK(call.name() == "read");
  const auto invoice = [](std::string_view id, std::string_view paid, std::string_view of = "sub_1") {
    return std::string{R"({"id":")"}
        .append(id)
        .append(R"(","object":"invoice","currency":"eur","amount_paid":)")
        .append(paid)
        .append(R"(,"attempt_count":1,"parent":{"subscription_details":{"subscription":")")
        .append(of)
        .append("\"}}}");
  };
  const auto list = R"({"object":"list","has_more":true,"data":[)" + invoice("in_3", "0") + "," +
                    invoice("in_2", "950") + "," + invoice("in_9", "1900", "sub_9") + "," + invoice("in_1", "1900") +
                    "]}";
  const auto t = ask_subscription(call, {says(200, subscription_answer_json("past_due")), says(200, list)});
  CHECK(in_words(t) == "approved past_due");
  REQUIRE(t.sent.size() == 2);
  CHECK(t.url(0) == "https://api.stripe.com/v1/subscriptions/sub_1");
  CHECK(t.url(1) == "https://api.stripe.com/v1/invoices?limit=10&status=paid&subscription=sub_1");
  CHECK(t.header(1, "Stripe-Account") == "acct_1");
  std::string paid;
  for (const auto& each : t.result->paid) paid += each.id + " " + std::to_string(each.amount.minor) + ",";
  CHECK(paid == "in_1 1900,in_2 950,in_3 0,");
  CHECK(t.result->paid.front().period_start == t.result->answer.seen->state.period_start);

  for (const auto& received : {says(500, ""), says(404, error_json("invalid_request_error", "resource_missing")),
                               says(200, "{}"), fails(http_fault::answer_timeout, true)}) {
    CHECK(in_words(ask_subscription(call, {received})) == "unknown");
    CHECK(in_words(ask_subscription(call, {says(200, subscription_answer_json("active")), received})) == "unknown");
  }
}
