#include "stripe_fixture.hpp"

using namespace gateway;
using namespace gateway::actors;

namespace {

using understood = talk_about<notification_subject>;

constexpr std::string_view subscription_marks =
    R"({"schedule":"s-7","gateway_merchant":"merch_a1","gateway_subscription":"enroll-7","gateway_key":"pk_1"})";

std::string subscription_object(std::string_view status, std::string_view metadata = subscription_marks) {
  return std::string{R"({"id":"sub_1","object":"subscription","customer":"cus_1","currency":"eur","status":")"}
      .append(status)
      .append(R"(","cancel_at":null,"canceled_at":null,"items":{"object":"list","data":[{"quantity":2,)")
      .append(R"("current_period_start":1795176000,"current_period_end":1797768000,)")
      .append(R"("price":{"unit_amount":950,"recurring":{"interval":"week","interval_count":2}}}]},"metadata":)")
      .append(metadata)
      .append("}");
}

std::string invoice_object(std::string_view more = {}, std::string_view metadata = subscription_marks) {
  return std::string{R"({"id":"in_1","object":"invoice","currency":"eur","amount_due":1900,"amount_paid":1900,)"}
      .append(R"("attempt_count":2,"lines":{"data":[{"period":{"start":1795176001,"end":1797768001}}]},)")
      .append(R"("parent":{"type":"subscription_details","subscription_details":{"subscription":"sub_1","metadata":)")
      .append(metadata)
      .append("}}")
      .append(more)
      .append("}");
}

std::string stripe_event_of(std::string_view type, std::string_view object, std::string_view previous = {}) {
  std::string text{
      R"({"id":"evt_1","object":"event","account":"acct_1","livemode":false,"created":1795176100,"type":")"};
  text.append(type).append(R"(","data":{"object":)").append(object);
  if (!previous.empty()) text.append(R"(,"previous_attributes":)").append(previous);
  return text.append("}}");
}

understood understand(std::string body, std::initializer_list<http_outcome> answers = {}) {
  notification_question question;
  question.what.key = notification_key(provider_kind::stripe, environment::test, "evt_1");
  question.what.account = "acct_1";
  question.what.body = std::move(body);
  return run_dialogue(stripe_adapter_under_test().open(question, stripe_values(), stripe_noon), answers);
}

const subscription_notification& notification_of(const understood& t) {
  REQUIRE(t.result);
  REQUIRE(std::holds_alternative<about_subscription>(*t.result));
  const auto& about = std::get<about_subscription>(*t.result);
  CHECK(about.key == subscription_key(merchant_id{"merch_a1"}, environment::test, "enroll-7"));
  CHECK_FALSE(fault_of(about.what));
  return about.what;
}

template <class Subject>
bool understands(const understood& t) {
  return t.result && std::holds_alternative<Subject>(*t.result);
}

std::string payments_of(std::string_view intent) {
  return std::string{R"({"object":"list","has_more":false,"data":[{"status":"open","payment":{"payment_intent":)"}
      .append(intent)
      .append("}}]}");
}

}  // namespace

TEST_CASE("an event of a subscription carries all relevant fields") {
  struct row {
    std::string_view type;
    notification_kind kind;
  };
  const row rows[] = {{"customer.subscription.created", notification_kind::created},
                      {"customer.subscription.updated", notification_kind::updated},
                      {"customer.subscription.paused", notification_kind::updated},
                      {"customer.subscription.resumed", notification_kind::updated},
                      {"customer.subscription.trial_will_end", notification_kind::updated},
                      {"customer.subscription.deleted", notification_kind::deleted}};
  for (const auto& [type, kind] : rows) {
    INFO(type);
    const auto t = understand(stripe_event_of(type, subscription_object("past_due")));
    CHECK(t.sent.empty());
    const auto& n = notification_of(t);
    CHECK(n.event_id == "evt_1");
    CHECK(n.kind == kind);
    CHECK(n.at == from_unix_ms(1'795'176'100'000));
    CHECK(n.sequence == 0);
    CHECK(n.provider_subscription_id == "sub_1");
    CHECK(n.state.status == subscription_status::past_due);
    CHECK(n.state.provider_customer_id == "cus_1");
    CHECK(n.state.amount == money{1900, *currency::parse("EUR")});
    CHECK(n.state.every == billing_period{billing_interval::week, 2});
    CHECK(n.state.period_start == from_unix_ms(1'795'176'000'000));
    CHECK(n.state.period_end == from_unix_ms(1'797'768'000'000));
    CHECK(n.state.metadata == metadata_map{{"schedule", "s-7"}});
    CHECK_FALSE(n.status_changed);
    CHECK_FALSE(n.invoice);
  }
}

TEST_CASE("an update shows whether it changed the status") {
  const auto updated = [](std::string_view previous) {
    return notification_of(
               understand(stripe_event_of("customer.subscription.updated", subscription_object("active"), previous)))
        .status_changed;
  };
  CHECK(updated(R"({"status":"past_due"})"));
  CHECK_FALSE(updated(R"({"metadata":{}})"));
  CHECK_FALSE(updated("{}"));
}

TEST_CASE("all of Stripe's states are known, and a future one waits") {
  for (const auto status :
       {"incomplete", "incomplete_expired", "trialing", "active", "past_due", "canceled", "unpaid", "paused"})
    CHECK(to_string(
              notification_of(understand(stripe_event_of("customer.subscription.updated", subscription_object(status))))
                  .state.status) == status);
  for (const auto status : {"pending", "failed", "dormant", ""})
    CHECK(understands<not_understood>(
        understand(stripe_event_of("customer.subscription.updated", subscription_object(status)))));
}

TEST_CASE("events of an older version are read as well") {
  const auto t = understand(stripe_event_of(
      "customer.subscription.updated",
      R"({"id":"sub_1","object":"subscription","status":"active","currency":"jpy","current_period_start":1795176000,)"
      R"("current_period_end":1797768000,"items":{"data":[{"price":{"unit_amount":500,"recurring":{"interval":"year"}}}]},)"
      R"("metadata":{"gateway_merchant":"merch_a1","gateway_subscription":"enroll-7"}})"));
  const auto& state = notification_of(t).state;
  CHECK(state.period_end == from_unix_ms(1'797'768'000'000));
  CHECK(state.amount == money{500, *currency::parse("JPY")});
  CHECK(state.every == billing_period{billing_interval::year, 1});
  const auto invoice = understand(
      stripe_event_of("invoice.paid", R"({"id":"in_1","object":"invoice","currency":"eur","subscription":"sub_1"})"));
  REQUIRE(invoice.sent.size() == 1);
  CHECK(invoice.url(0) == "https://api.stripe.com/v1/subscriptions/sub_1");
}

TEST_CASE("for a paid invoice the subscription is read at its account") {
  const auto t =
      understand(stripe_event_of("invoice.paid", invoice_object()), {says(200, subscription_object("active"))});
  REQUIRE(t.sent.size() == 1);
  CHECK(t.header(0, "Stripe-Account") == "acct_1");
  const auto& n = notification_of(t);
  CHECK(n.kind == notification_kind::invoice_paid);
  CHECK(n.state.status == subscription_status::active);
  REQUIRE(n.invoice);
  CHECK(*n.invoice == subscription_invoice{"in_1",
                                           {1900, *currency::parse("EUR")},
                                           from_unix_ms(1'795'176'001'000),
                                           from_unix_ms(1'797'768'001'000),
                                           2,
                                           false,
                                           {},
                                           {}});
  // A payment outside Stripe is no payment of this gateway's.
  const auto past = understand(stripe_event_of("invoice.paid", invoice_object(R"(,"amount_paid_off_stripe":1900)")),
                               {says(200, subscription_object("active"))});
  CHECK(notification_of(past).invoice->amount.minor == 0);
}

TEST_CASE("the period of a prorated invoice is the cycle's, not that of the adjustment before it") {
  const std::string_view prorations[] = {
      R"("proration":true)", R"("parent":{"type":"invoice_item_details","invoice_item_details":{"proration":true}})",
      R"("parent":{"subscription_item_details":{"proration":true}})"};
  for (const auto proration : prorations) {
    auto text = invoice_object();
    const std::string_view first = R"("lines":{"data":[)";
    text.insert(text.find(first) + first.size(),
                std::string{R"({"period":{"start":1795100000,"end":1795176001},)"}.append(proration).append("},"));
    const auto t = understand(stripe_event_of("invoice.paid", text), {says(200, subscription_object("active"))});
    CHECK(notification_of(t).invoice->period_start == from_unix_ms(1'795'176'001'000));
  }
}

TEST_CASE("for a failed attempt the payment gives the reason, and the invoice whether it was the last") {
  struct row {
    http_outcome payments;
    std::string_view code;
  };
  const row rows[] = {
      {says(200,
            payments_of(R"({"id":"pi_1","status":"requires_payment_method","last_payment_error":{"type":"card_error",)"
                        R"("code":"card_declined","decline_code":"insufficient_funds","message":"No funds."}})")),
       "insufficient_funds"},
      {says(200, payments_of(R"({"id":"pi_1","status":"requires_action"})")), "authentication_required"},
      {says(200, payments_of(R"({"id":"pi_1","status":"succeeded"})")), "card_declined"},
      {says(200, R"({"object":"list","data":[]})"), "card_declined"},
      {says(404, error_json("invalid_request_error", "resource_missing")), "card_declined"},
      {says(403, error_json("invalid_request_error", "")), "card_declined"},
  };
  const auto subscription = says(200, subscription_object("past_due"));
  for (const auto& [payments, code] : rows) {
    const auto t =
        understand(stripe_event_of("invoice.payment_failed", invoice_object(R"(,"next_payment_attempt":null)")),
                   {subscription, payments});
    CHECK(t.url(1) ==
          "https://api.stripe.com/v1/invoice_payments?limit=100&invoice=in_1&expand%5B%5D=data.payment.payment_intent");
    const auto& n = notification_of(t);
    CHECK(n.kind == notification_kind::invoice_failed);
    CHECK(n.invoice->failure_code == code);
    CHECK_FALSE(n.invoice->failure_message.empty());
    CHECK(n.invoice->final_attempt);
    CHECK(n.invoice->amount.minor == 1900);
  }
  const auto more =
      understand(stripe_event_of("invoice.payment_failed", invoice_object(R"(,"next_payment_attempt":1795276100)")),
                 {subscription, says(200, R"({"object":"list","data":[]})")});
  CHECK_FALSE(notification_of(more).invoice->final_attempt);
}

TEST_CASE("an invoice that needs its customer has the address of its page until it is closed") {
  const std::string_view page = R"(,"hosted_invoice_url":"https://invoice.stripe.com/i/acct_1/live_x")";
  const auto subscription = says(200, subscription_object("past_due"));
  const auto needs = says(200, payments_of(R"({"id":"pi_1","status":"requires_action"})"));
  const auto declined = says(200, payments_of(R"({"id":"pi_1","status":"requires_payment_method"})"));
  const auto failed = [&](const std::string& invoice, const http_outcome& payments) {
    return notification_of(understand(stripe_event_of("invoice.payment_failed", invoice), {subscription, payments}))
        .invoice->hosted_url;
  };
  CHECK(failed(invoice_object(page), needs) == "https://invoice.stripe.com/i/acct_1/live_x");
  CHECK(failed(invoice_object(page), declined).empty());
  CHECK(failed(invoice_object(), needs).empty());
  CHECK(failed(invoice_object(R"x(,"hosted_invoice_url":"javascript:alert(1)")x"), needs).empty());
  CHECK(failed(invoice_object(R"(,"hosted_invoice_url":"https://x.example/)" + std::string(3000, 'a') + "\""), needs)
            .empty());

  const auto about = [&](std::string_view type, const std::string& invoice) {
    return notification_of(understand(stripe_event_of(type, invoice), {subscription})).action;
  };
  CHECK(about("invoice.payment_action_required", invoice_object(page)) ==
        invoice_action{"in_1", "https://invoice.stripe.com/i/acct_1/live_x"});
  CHECK_FALSE(about("invoice.payment_action_required", invoice_object()));
  for (const auto* type : {"invoice.voided", "invoice.marked_uncollectible"})
    CHECK(about(type, invoice_object(page)) == invoice_action{"in_1", ""});
  CHECK_FALSE(about("invoice.finalization_failed", invoice_object(page)));
}

TEST_CASE("an invoice that changes without an attempt to collect it is an update of its subscription") {
  for (const auto type : {"invoice.payment_action_required", "invoice.voided", "invoice.marked_uncollectible",
                          "invoice.finalization_failed"}) {
    INFO(type);
    const auto t = understand(stripe_event_of(type, invoice_object()), {says(200, subscription_object("unpaid"))});
    CHECK(t.sent.size() == 1);
    const auto& n = notification_of(t);
    CHECK(n.kind == notification_kind::updated);
    CHECK(n.state.status == subscription_status::unpaid);
    CHECK_FALSE(n.status_changed);
    CHECK_FALSE(n.invoice);
    CHECK(understands<about_unmarked_subscription>(understand(stripe_event_of(type, invoice_object({}, "{}")))));
    CHECK(understands<not_understood>(understand(stripe_event_of(type, invoice_object()), {says(500, "")})));
  }
}

TEST_CASE("a notification whose objects cannot be read now waits") {
  const http_outcome unclear[] = {fails(http_fault::connect_failed, false),
                                  fails(http_fault::answer_timeout, true),
                                  says(500, ""),
                                  says(429, ""),
                                  says(200, "<html>"),
                                  says(404, error_json("invalid_request_error", "resource_missing")),
                                  says(403, error_json("invalid_request_error", "account_invalid"))};
  for (const auto& received : unclear)
    CHECK(understands<not_understood>(understand(stripe_event_of("invoice.paid", invoice_object()), {received})));
  const auto subscription = says(200, subscription_object("past_due"));
  for (const auto& received : {fails(http_fault::connect_failed, false), says(500, ""), says(200, "")})
    CHECK(understands<not_understood>(
        understand(stripe_event_of("invoice.payment_failed", invoice_object()), {subscription, received})));
}

TEST_CASE("a subscription without the gateway's marks is named by its id, without a request if the event shows that") {
  const std::string_view foreign[] = {R"({})", R"({"gateway_merchant":"merch_a1"})",
                                      R"({"gateway_merchant":"merch/a1","gateway_subscription":"enroll-7"})",
                                      R"({"gateway_merchant":"merch_a1","gateway_subscription":"a b"})",
                                      R"({"gateway_merchant":7,"gateway_subscription":"enroll-7"})"};
  for (const auto metadata : foreign) {
    INFO(metadata);
    CHECK(understands<about_unmarked_subscription>(
        understand(stripe_event_of("customer.subscription.created", subscription_object("active", metadata)))));
    CHECK(
        understands<about_unmarked_subscription>(understand(stripe_event_of("invoice.payment_failed", invoice_object()),
                                                            {says(200, subscription_object("active", metadata))})));
  }
  const auto unmarked = understand(stripe_event_of("invoice.paid", invoice_object({}, "{}")));
  CHECK(unmarked.sent.empty());
  CHECK(understands<about_unmarked_subscription>(unmarked));
}

TEST_CASE("a subscription whose marks were cleared is read as the one that has its id") {
  notification_question question;
  question.what.key = notification_key(provider_kind::stripe, environment::test, "evt_1");
  question.what.account = "acct_1";
  question.what.body = stripe_event_of("invoice.paid", invoice_object({}, "{}"));
  question.subscription = subscription_key(merchant_id{"merch_a1"}, environment::test, "enroll-7");
  const auto t = run_dialogue(stripe_adapter_under_test().open(question, stripe_values(), stripe_noon),
                              {says(200, subscription_object("active", "{}"))});
  CHECK(notification_of(t).kind == notification_kind::invoice_paid);
}

TEST_CASE("an object that does not concern the gateway is irrelevant") {
  CHECK(understands<no_subject>(understand(
      stripe_event_of("invoice.paid", R"({"id":"in_1","object":"invoice","currency":"eur","parent":null})"))));
  CHECK(understands<no_subject>(understand(stripe_event_of("invoice.payment_succeeded", invoice_object()))));
  CHECK(understands<no_subject>(
      understand(stripe_event_of("customer.subscription.pending_update_applied", subscription_object("active")))));
  CHECK(understands<no_subject>(
      understand(stripe_event_of("checkout.session.completed",
                                 std::string{R"({"id":"cs_1","metadata":)"}.append(subscription_marks).append("}")))));
  const auto long_id = std::string{"in_"} + std::string(80, 'x');
  auto text = stripe_event_of("invoice.paid", invoice_object());
  text.replace(text.find("in_1"), 4, long_id);
  CHECK(understands<no_subject>(understand(text, {says(200, subscription_object("active"))})));
}

TEST_CASE("an event of an account is about the merchant that the gateway has marked it with") {
  const auto account = [](std::string_view metadata, std::string_view id = "acct_1") {
    return std::string{R"({"object":"account","id":")"}
        .append(id)
        .append(R"(","metadata":)")
        .append(metadata)
        .append("}");
  };
  const auto t = understand(stripe_event_of("account.updated", account(R"({"gateway_merchant":"merch_a1"})")));
  REQUIRE(understands<about_account>(t));
  CHECK(std::get<about_account>(*t.result).merchant == merchant_id{"merch_a1"});
  CHECK(std::get<about_account>(*t.result).account == "acct_1");
  CHECK(understands<no_subject>(understand(stripe_event_of("account.updated", account("{}")))));
  CHECK(
      understands<no_subject>(understand(stripe_event_of("account.updated", account(R"({"gateway_merchant":"x"})")))));
  CHECK(understands<no_subject>(
      understand(stripe_event_of("account.updated", account(R"({"gateway_merchant":"merch_a1"})", "acct_2")))));
  const auto able = understand(
      stripe_event_of("capability.updated", R"({"id":"card_payments","object":"capability","account":"acct_1"})"));
  REQUIRE(understands<about_account>(able));
  CHECK(std::get<about_account>(*able.result).merchant.value.empty());
  CHECK(std::get<about_account>(*able.result).account == "acct_1");
  // Nothing of the account can be read any more: only its id is known.
  const auto gone =
      understand(stripe_event_of("account.application.deauthorized", R"({"id":"ca_1","object":"application"})"));
  REQUIRE(understands<about_account>(gone));
  CHECK(std::get<about_account>(*gone.result).merchant.value.empty());
  CHECK(std::get<about_account>(*gone.result).account == "acct_1");
}

TEST_CASE("a deleted customer and a detached method are read before they are believed") {
  const auto deleted_event = stripe_event_of("customer.deleted", R"({"id":"cus_1","object":"customer"})");
  const auto detached_event =
      stripe_event_of("payment_method.detached", R"({"id":"pm_1","object":"payment_method","customer":null})",
                      R"({"customer":"cus_1"})");
  auto t = understand(deleted_event, {says(200, R"({"id":"cus_1","object":"customer","deleted":true})")});
  CHECK(t.url(0) == "https://api.stripe.com/v1/customers/cus_1");
  CHECK(t.header(0, "Stripe-Account") == "acct_1");
  REQUIRE(understands<about_customer>(t));
  CHECK(std::get<about_customer>(*t.result).provider_id == "cus_1");
  CHECK(std::get<about_customer>(*t.result).method.empty());
  t = understand(detached_event, {says(200, R"({"id":"pm_1","object":"payment_method","customer":null})")});
  CHECK(t.url(0) == "https://api.stripe.com/v1/payment_methods/pm_1");
  REQUIRE(understands<about_customer>(t));
  CHECK(std::get<about_customer>(*t.result).provider_id == "cus_1");
  CHECK(std::get<about_customer>(*t.result).method == "pm_1");

  // The provider says otherwise, or knows none of that id in this account.
  const auto missing = says(404, error_json("invalid_request_error", "resource_missing"));
  CHECK(understands<no_subject>(understand(deleted_event, {says(200, R"({"id":"cus_1","object":"customer"})")})));
  CHECK(understands<no_subject>(
      understand(detached_event, {says(200, R"({"id":"pm_1","object":"payment_method","customer":"cus_1"})")})));
  for (const auto& posted : {deleted_event, detached_event}) {
    CHECK(understands<no_subject>(understand(posted, {missing})));
    for (const auto& received : {says(500, ""), says(200, "{}"), fails(http_fault::answer_timeout, true)})
      CHECK(understands<not_understood>(understand(posted, {received})));
  }
  CHECK(understands<no_subject>(understand(stripe_event_of("customer.deleted", R"({"id":"x/../1"})"))));
  CHECK(understands<no_subject>(understand(
      stripe_event_of("payment_method.detached", R"({"id":"pm_1","object":"payment_method","customer":null})"))));
}
