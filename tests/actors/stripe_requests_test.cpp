#include "stripe_fixture.hpp"

#include "providers/stripe/amount.hpp"
#include "providers/stripe/form.hpp"
#include "providers/stripe/requests.hpp"

using namespace gateway;
using namespace gateway::actors;
using namespace std::chrono_literals;

namespace {

std::string amount_in_words(std::string_view unit, std::int64_t minor) {
  const auto amount = stripe::stripe_amount({minor, *currency::parse(unit)});
  if (const auto* fault = std::get_if<stripe::amount_fault>(&amount))
    return *fault == stripe::amount_fault::currency_not_supported ? "currency" : "amount";
  return std::to_string(std::get<std::int64_t>(amount));
}

payment_customer a_customer(bool saves, bool charges_saved, std::string provider_id) {
  payment_customer who;
  who.platform = platform_id{"plat_1"};
  who.ref = "reader 17";
  who.provider_id = std::move(provider_id);
  who.saves_method = saves;
  who.charges_saved = charges_saved;
  return who;
}

constexpr std::string_view marks =
    "metadata[gateway_merchant]=merch_a1&metadata[gateway_payment]=pay_7&metadata[gateway_key]=pk_0123";

}  // namespace

TEST_CASE("Stripe counts most currencies as ISO 4217 does, and some not") {
  struct row {
    std::string_view unit;
    std::int64_t minor;
    std::string_view stripe;
  };
  const row rows[] = {
      {"EUR", 1, "1"},         {"USD", 4200, "4200"},   {"JPY", 500, "500"},     {"KRW", 7, "7"},
      {"CLP", 990, "990"},     {"HUF", 1045, "1045"},   {"TWD", 80045, "80045"}, {"ISK", 5, "500"},
      {"UGX", 5, "currency"},  {"MGA", 500, "5"},       {"MGA", 501, "amount"},  {"KWD", 5120, "5120"},
      {"KWD", 5124, "amount"}, {"BHD", 10, "10"},       {"JOD", 1, "amount"},    {"OMR", 20, "20"},
      {"TND", 990, "990"},     {"IQD", 10, "currency"}, {"LYD", 10, "currency"}, {"ISK", max_amount, "99999999999900"}};
  for (const auto& [unit, minor, expected] : rows) {
    INFO(unit << " " << minor);
    CHECK(amount_in_words(unit, minor) == expected);
  }
}

TEST_CASE("a payment that Stripe does not support is declined before anything is sent") {
  auto call = stripe_call(operation::create, stripe_payment(flow::server, "KWD"));
  call.amount = 4201;
  auto t = ask_stripe(call, {});
  CHECK(t.sent.empty());
  CHECK(in_words(t) == "declined amount_not_supported");
  CHECK(t.result->error->category == error_category::validation);
  CHECK(in_words(ask_stripe(stripe_call(operation::create, stripe_payment(flow::server, "IQD")), {})) ==
        "declined currency_not_supported");
  auto refund = stripe_call(operation::refund, stripe_payment(flow::server, "MGA"));
  refund.amount = 150;
  CHECK(in_words(ask_stripe(refund, {})) == "declined amount_not_supported");
  auto payment = stripe_payment();
  payment.account = "acct_1\r\nX: y";
  CHECK(in_words(ask_stripe(stripe_call(operation::create, payment), {})) == "declined account_invalid");
}

TEST_CASE("a form keeps Stripe's names and encodes all other text") {
  stripe::form form;
  form.add("a[b]", "x&y=z ü").add("n", -5).add_unless_empty("no", "").add_to("metadata", "k&[e]y", "v");
  CHECK(form.text() == "a[b]=x%26y%3Dz%20%C3%BC&n=-5&metadata[k%26%5Be%5Dy]=v");
}

TEST_CASE("texts are cut between characters") {
  CHECK(stripe::first_characters("aüb", 2) == "aü");
  CHECK(stripe::first_characters("aüb", 3) == "aüb");
  CHECK(stripe::first_bytes("aüb", 2) == "a");
  CHECK(stripe::first_bytes("aüb", 3) == "aü");
}

TEST_CASE("an authorization is one PaymentIntent that is confirmed at once") {
  auto payment = stripe_payment();
  payment.details.description = "Tea & cake";
  payment.details.customer_email = "a@b.example";
  const auto t = ask_stripe(stripe_call(operation::create, payment), {});
  CHECK(t.url(0) == "https://api.stripe.com/v1/payment_intents");
  CHECK(t.sent[0].method == http_method::post);
  CHECK(t.sent[0].repeatable);
  CHECK(t.header(0, "Authorization") == "Bearer sk_test_51abc");
  CHECK(t.header(0, "Stripe-Version") == stripe::api_version);
  CHECK(t.header(0, "Stripe-Account") == "acct_1");
  CHECK(t.header(0, "Idempotency-Key") == "pk_0123");
  CHECK(t.header(0, "Content-Type") == "application/x-www-form-urlencoded");
  CHECK(t.body(0) ==
        "amount=4200&currency=eur&confirm=true&payment_method=pm_1&capture_method=manual"
        "&automatic_payment_methods[enabled]=true&return_url=https%3A%2F%2Fshop.example%2Fdone%3Fo%3D1"
        "&description=Tea%20%26%20cake&" +
            std::string{marks});
}

TEST_CASE(
    "the platform's own account is sent no account header, and a payment without a page returns to a page of the "
    "gateway") {
  auto payment = stripe_payment();
  payment.account.clear();
  payment.details.success_url.clear();
  payment.details.captures_at_once = true;
  const auto t = ask_stripe(stripe_call(operation::create, payment), {});
  CHECK(t.header(0, "Stripe-Account").empty());
  CHECK(t.body(0) ==
        "amount=4200&currency=eur&confirm=true&payment_method=pm_1&capture_method=automatic"
        "&automatic_payment_methods[enabled]=true&return_url=https%3A%2F%2Fgateway.example%2Fcheckout%2Freturned&" +
            std::string{marks});
}

TEST_CASE("a confirmation token is sent under its own name") {
  auto payment = stripe_payment();
  payment.details.payment_method = "ctoken_1";
  const auto t = ask_stripe(stripe_call(operation::create, payment), {});
  CHECK(t.body(0).find("&confirm=true&confirmation_token=ctoken_1&capture_method=") != std::string_view::npos);
  CHECK(t.body(0).find("payment_method=") == std::string_view::npos);
}

TEST_CASE("Stripe's amounts are converted back") {
  for (const auto& [unit, at_stripe, minor] : {std::tuple{"EUR", 4200, 4200},
                                               {"JPY", 500, 500},
                                               {"ISK", 500, 5},
                                               {"MGA", 5, 500},
                                               {"KWD", 5120, 5120},
                                               {"UGX", 500, 5}})
    CHECK(stripe::gateway_amount(at_stripe, *currency::parse(unit)).minor == minor);
}

TEST_CASE("a saved method is attached to its customer, who is made first if there is none") {
  auto payment = stripe_payment();
  payment.customer = a_customer(true, false, "");
  payment.details.customer_email = "a@b.example";
  auto call = stripe_call(operation::create, payment);
  call.customer_key = "ck_9";
  const auto t = ask_stripe(call, {says(200, R"({"id":"cus_5","object":"customer"})"),
                                   says(200, intent_json("requires_capture", R"(,"payment_method":"pm_1")"))});
  CHECK(t.url(0) == "https://api.stripe.com/v1/customers");
  CHECK(t.header(0, "Idempotency-Key") == "ck_9");
  // Nothing specific to the payment, because another payment of this customer would differ under the same key.
  CHECK(
      t.body(0) ==
      "metadata[gateway_merchant]=merch_a1&metadata[gateway_customer]=ck_9&metadata[gateway_customer_ref]=reader%2017");
  CHECK(t.body(1).find("&customer=cus_5&") != std::string_view::npos);
  CHECK(t.body(1).find("&setup_future_usage=off_session&") != std::string_view::npos);
  CHECK(t.result->status == provider_status::approved);
  CHECK(t.result->customer_id == "cus_5");
  CHECK(t.result->saved_method == "pm_1");
}

TEST_CASE("a method is saved for the use that the platform names") {
  for (const bool on_session : {false, true}) {
    const std::string usage = on_session ? "on_session&" : "off_session&";
    auto payment = stripe_payment();
    payment.customer = a_customer(true, false, "cus_5");
    payment.customer->saves_on_session = on_session;
    CHECK(ask_stripe(stripe_call(operation::create, payment), {}).body(0).find("&setup_future_usage=" + usage) !=
          std::string_view::npos);
    auto hosted = stripe_payment(flow::redirect);
    hosted.customer = payment.customer;
    CHECK(ask_stripe(stripe_call(operation::create, hosted), {})
              .body(0)
              .find("&payment_intent_data[setup_future_usage]=" + usage) != std::string_view::npos);
  }
  auto not_saved = stripe_payment();
  not_saved.customer = a_customer(false, false, "cus_5");
  CHECK(ask_stripe(stripe_call(operation::create, not_saved), {}).body(0).find("setup_future_usage") ==
        std::string_view::npos);
}

TEST_CASE("a saved method is charged off session, and not set up again") {
  auto payment = stripe_payment();
  payment.customer = a_customer(true, true, "cus_5");
  auto call = stripe_call(operation::create, payment);
  const auto on_page = ask_stripe(call, {});
  CHECK(on_page.body(0).find("&customer=cus_5&") != std::string_view::npos);
  CHECK(on_page.body(0).find("&off_session=true&") != std::string_view::npos);
  CHECK(on_page.body(0).find("setup_future_usage") == std::string_view::npos);
  call.by_sdk = true;
  const auto by_sdk = ask_stripe(call, {});
  CHECK(by_sdk.body(0).find("[allow_redirects]=never&off_session=true&") != std::string_view::npos);
  CHECK(by_sdk.body(0).find("return_url") == std::string_view::npos);
  CHECK(by_sdk.body(0).find("use_stripe_sdk") == std::string_view::npos);
}

TEST_CASE("if the issuer requires the customer, the same payment is confirmed once more on session") {
  auto payment = stripe_payment();
  payment.customer = a_customer(false, true, "cus_5");
  auto call = stripe_call(operation::create, payment);
  const auto wanted = says(402, error_json("card_error", "authentication_required",
                                           R"(,"payment_intent":{"id":"pi_1","object":"payment_intent"})"));
  call.by_sdk = true;
  const auto by_sdk =
      ask_stripe(call, {wanted, says(200, intent_json("requires_action", R"(,"client_secret":"pi_1_secret_x")"))});
  CHECK(by_sdk.url(1) == "https://api.stripe.com/v1/payment_intents/pi_1/confirm");
  CHECK(by_sdk.header(1, "Idempotency-Key") == "pk_0123_confirm");
  CHECK(by_sdk.body(1) == "payment_method=pm_1&off_session=false&use_stripe_sdk=true");
  CHECK(by_sdk.result->status == provider_status::pending);
  CHECK(by_sdk.result->action == customer_action{"pi_1_secret_x", "pk_test_51abc"});
  CHECK(by_sdk.result->hosted_url.empty());

  call.by_sdk = false;
  const auto on_page = ask_stripe(
      call,
      {wanted,
       says(
           200,
           intent_json(
               "requires_action",
               R"(,"client_secret":"s","next_action":{"type":"redirect_to_url","redirect_to_url":{"url":"https://hooks.stripe.com/3ds"}})"))});
  CHECK(on_page.body(1) ==
        "payment_method=pm_1&off_session=false&return_url=https%3A%2F%2Fshop.example%2Fdone%3Fo%3D1");
  CHECK(on_page.result->hosted_url == "https://hooks.stripe.com/3ds");
  CHECK_FALSE(on_page.result->action);

  CHECK(in_words(ask_stripe(call, {wanted, fails(http_fault::connect_failed, false)})) ==
        "declined authentication_required");
  CHECK(in_words(ask_stripe(call, {wanted, fails(http_fault::broken, true)})) == "unknown");
  CHECK(in_words(ask_stripe(call, {wanted, says(402, error_json("card_error", "card_declined"))})) ==
        "declined card_declined");
  call.asked_again = true;
  CHECK(in_words(ask_stripe(call, {wanted, fails(http_fault::connect_failed, false)})) == "unknown");
}

TEST_CASE("the caller's metadata is sent as far as it fits, and never replaces the gateway's") {
  auto payment = stripe_payment();
  auto& given = payment.details.metadata;
  given = {{"gateway_payment", "pay_other"}, {"", "x"},       {"empty", ""}, {"a[b]", "x"}, {std::string(41, 'k'), "x"},
           {"long", std::string(501, 'v')},  {"ordnung", "ü"}};
  auto t = ask_stripe(stripe_call(operation::create, payment), {});
  CHECK(t.body(0).ends_with(std::string{marks} + "&metadata[ordnung]=%C3%BC"));
  for (int i = 0; i < 60; ++i) given.emplace_back("k" + std::to_string(i), "v");
  t = ask_stripe(stripe_call(operation::create, payment), {});
  std::size_t count = 0;
  for (auto at = t.body(0).find("metadata["); at != std::string_view::npos; at = t.body(0).find("metadata[", at + 1))
    ++count;
  CHECK(count == 50);
}

TEST_CASE("a hosted payment is a checkout of one item that ends within a day") {
  auto payment = stripe_payment(flow::redirect);
  payment.details.customer_email = "a@b.example";
  const auto t = ask_stripe(
      stripe_call(operation::create, payment),
      {says(
          200,
          R"({"id":"cs_test_1","object":"checkout.session","status":"open","url":"https://checkout.stripe.com/c/1"})")});
  CHECK(t.url(0) == "https://api.stripe.com/v1/checkout/sessions");
  const std::string in_payment =
      "payment_intent_data[metadata][gateway_merchant]=merch_a1&payment_intent_data[metadata][gateway_payment]=pay_7"
      "&payment_intent_data[metadata][gateway_key]=pk_0123&";
  CHECK(t.body(0) ==
        "mode=payment&line_items[0][quantity]=1&line_items[0][price_data][currency]=eur"
        "&line_items[0][price_data][unit_amount]=4200&line_items[0][price_data][product_data][name]=Payment"
        "&success_url=https%3A%2F%2Fshop.example%2Fdone%3Fo%3D1&cancel_url=https%3A%2F%2Fshop.example%2Fcart"
        "&client_reference_id=pay_7&expires_at=1795261800&customer_email=a%40b.example"
        "&payment_intent_data[capture_method]=automatic&" +
            in_payment + std::string{marks});
  CHECK(t.result->status == provider_status::pending);
  CHECK(t.result->hosted_url == "https://checkout.stripe.com/c/1");
  CHECK(t.result->provider_ref == "cs_test_1");

  payment.how = flow::embedded;
  payment.customer = a_customer(true, false, "cus_5");
  const auto known = ask_stripe(stripe_call(operation::create, payment), {});
  CHECK(known.body(0).find("&customer=cus_5&") != std::string_view::npos);
  CHECK(known.body(0).find("customer_email") == std::string_view::npos);
  CHECK(known.body(0).find("&payment_intent_data[setup_future_usage]=off_session&") != std::string_view::npos);
}

TEST_CASE("a repeated checkout request has the same bytes") {
  auto call = stripe_call(operation::create, stripe_payment(flow::redirect));
  const auto first = ask_stripe(call, {});
  call.asked_again = true;
  const auto again = ask_stripe(call, {}, stripe_noon + 23h - 1ms);
  CHECK(first.body(0) == again.body(0));
  // Stripe accepts an expiry 30 minutes to 24 hours from now.
  CHECK(stripe::checkout_life - stripe::key_life >= 40min);
  CHECK(stripe::checkout_life < 24h);
}

TEST_CASE("captures, voids and refunds name the payment and their key") {
  const auto capture = ask_stripe(stripe_call(operation::capture, stripe_payment()), {});
  CHECK(capture.url(0) == "https://api.stripe.com/v1/payment_intents/pi_1/capture");
  CHECK(capture.body(0) == "amount_to_capture=4200");
  CHECK(capture.header(0, "Idempotency-Key") == "pk_0123");
  const auto undo = ask_stripe(stripe_call(operation::void_payment, stripe_payment()), {});
  CHECK(undo.url(0) == "https://api.stripe.com/v1/payment_intents/pi_1/cancel");
  CHECK(undo.body(0).empty());
  auto call = stripe_call(operation::refund, stripe_payment());
  call.amount = 100;
  const auto refund = ask_stripe(call, {});
  CHECK(refund.url(0) == "https://api.stripe.com/v1/refunds");
  CHECK(refund.body(0) == "payment_intent=pi_1&amount=100&" + std::string{marks});
}

TEST_CASE("a refund of a checkout first reads which payment it resulted in") {
  auto call = stripe_call(operation::refund, stripe_payment(flow::redirect));
  call.subject.provider_ref = "cs_test_1";
  const auto session = says(200, R"({"id":"cs_test_1","object":"checkout.session","payment_intent":"pi_8"})");
  const auto t = ask_stripe(call, {session});
  CHECK(t.url(0) == "https://api.stripe.com/v1/checkout/sessions/cs_test_1");
  CHECK(t.sent[0].method == http_method::get);
  CHECK(t.header(0, "Idempotency-Key").empty());
  CHECK(t.body(1).starts_with("payment_intent=pi_8&amount=4200&"));
  // No money can have moved before that.
  CHECK(in_words(ask_stripe(call, {fails(http_fault::broken, true)})) == "declined provider_unavailable");
  CHECK(in_words(ask_stripe(call, {says(500, "")})) == "declined provider_unavailable");
  call.asked_again = true;
  CHECK(in_words(ask_stripe(call, {fails(http_fault::broken, true)})) == "unknown");
}

TEST_CASE("an operation on a payment that Stripe cannot know is declined, and nothing is sent") {
  for (const auto what : {operation::capture, operation::void_payment, operation::refund}) {
    auto call = stripe_call(what, stripe_payment());
    for (const char* ref : {"", "ch_1", "pi_1/../../x", "pi_1?a"}) {
      call.subject.provider_ref = ref;
      const auto t = ask_stripe(call, {});
      CHECK(t.sent.empty());
      CHECK(in_words(t) == "declined provider_ref_missing");
    }
  }
}

TEST_CASE("settings must be valid, and belong to the environment for which they are set") {
  struct row {
    std::string_view name, value;
    environment env;
    bool dev;
    std::string_view fault;  ///< prefix of the message
  };
  const auto test = environment::test, live = environment::live;
  const row rows[] = {
      {"secret_key", "rk_test_1", test, false, ""},
      {"secret_key", "sk_live_1", test, false, "secret_key"},
      {"secret_key", "sk_test_", test, false, "secret_key"},
      {"secret_key", "pk_test_1", test, false, "secret_key"},
      {"publishable_key", "sk_test_1", test, false, "publishable_key"},
      {"publishable_key", "pk_live_1", test, false, "publishable_key"},
      {"publishable_key", "pk_test_1\n", test, false, "publishable_key: must not contain control"},
      {"webhook_secret", "whsec_a,whsec_b", test, false, ""},
      {"webhook_secret", "", test, false, ""},  // until register-notifications sets it
      {"webhook_secret", "whsec_a,", test, false, "webhook_secret"},
      {"webhook_endpoint", "we_1", test, false, ""},
      {"webhook_endpoint", "evt_1", test, false, "webhook_endpoint"},
      {"webhook_endpoint", "we_1/../x", test, false, "webhook_endpoint"},
      {"webhook_secret", "whsec_a,whsec_b,whsec_c", test, false, "webhook_secret"},
      {"webhook_secret", "secret", test, false, "webhook_secret"},
      {"api_base", "https://stripe.test:8443", test, false, ""},
      {"api_base", "https://stripe.test/v1", test, false, "api_base"},
      {"api_base", "http://127.0.0.1:9000", test, false, "api_base"},
      {"api_base", "http://127.0.0.1:9000", test, true, ""},
      {"api_base", "http://stripe.test", test, true, "api_base"},
      {"api_base", "http://127.0.0.1.evil.test", test, true, "api_base"},
      {"api_base", "https://user@stripe.test", test, true, "api_base"},
      {"secret_key", "sk_test_1", live, false, "secret_key"},
  };
  for (const auto& [name, value, env, dev, fault] : rows) {
    INFO(name << " " << value);
    auto values = stripe_values();
    values.values.emplace_back("api_base", "");
    values.values.emplace_back("webhook_endpoint", "");
    for (auto& [each, now] : values.values)
      if (each == name) now = value;
    const auto said = stripe_adapter_under_test().fault_of(values, env, dev);
    CHECK(said.has_value() == !fault.empty());
    if (said) CHECK(said->starts_with(fault));
  }
}
