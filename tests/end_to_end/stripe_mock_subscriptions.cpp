// Scenes of subscriptions, their invoices, and merchants' accounts for the Stripe adapter.
#include <string_view>

#include "stripe_mock_scenes.hpp"

namespace gateway::e2e {

namespace {

using namespace std::chrono_literals;

subscription_call subscription_call_for(subscription_operation what, std::string customer) {
  subscription_call call;
  call.provider_key = "pk_0123";
  auto& s = call.subject;
  s.key = subscription_key(merchant_id{"merch_a1"}, environment::test, "enroll-7");
  s.version = 3;
  s.provider = provider_kind::stripe;
  s.account = "acct_1";
  s.details = {"reader 17", 14, "https://shop.example/done?o=1&x[y]=ü", "https://shop.example/cart", "Tea „monthly“"};
  s.state.amount = {1900, *currency::parse("EUR")};
  s.state.every = {billing_interval::month, 3};
  s.state.provider_customer_id = std::move(customer);
  s.state.metadata = {{"schedule", "№ 7"}, {"a&b=c", "d=e&f"}};
  s.open = open_subscription_operation{{}, what, false, 0, 3, stripe_noon};
  return call;
}

subscription_call ending(subscription_operation what, std::string subscription = {}) {
  auto call = subscription_call_for(what, "cus_5");
  call.subject.checkout_session_id = "cs_test_1";
  call.subject.provider_subscription_id = std::move(subscription);
  return call;
}

subscription_call reading() {
  auto call = ending(subscription_operation::cancel, "sub_1");
  call.reads = true;
  call.subject.open.reset();
  return call;
}

subscription_call asked_again(subscription_call call) {
  call.asked_again = true;
  return call;
}

notification_question reported(std::string_view type, std::string_view object, std::string_view previous = "{}") {
  notification_question question;
  question.what.key = notification_key(provider_kind::stripe, environment::test, "evt_1");
  question.what.provider = provider_kind::stripe;
  question.what.account = "acct_1";
  question.what.body = std::string{R"({"id":"evt_1","object":"event","livemode":false,"created":1795176000,"type":")"}
                           .append(type)
                           .append(R"(","account":"acct_1","data":{"object":)")
                           .append(object)
                           .append(R"(,"previous_attributes":)")
                           .append(previous)
                           .append("}}");
  return question;
}

/// The refund of the payment of an invoice.
provider_call refund_of_cycle() {
  provider_call call;
  call.provider_key = "pk_0123";
  call.what = operation::refund;
  call.amount = 1900;
  call.subject.key = payment_key(merchant_id{"merch_a1"}, environment::test, payment_id{"in_1"});
  call.subject.amount = {1900, *currency::parse("EUR")};
  call.subject.provider = provider_kind::stripe;
  call.subject.account = "acct_1";
  call.subject.provider_ref = "in_1";
  call.begun_at = stripe_noon;
  return call;
}

constexpr std::string_view invoice =
    R"({"id":"in_1","object":"invoice","currency":"eur","amount_due":1900,"amount_paid":1900,"attempt_count":1,)"
    R"("parent":{"subscription_details":{"subscription":"sub_1","metadata":{"gateway_merchant":"merch_a1"}}}})";

constexpr std::string_view dispute = R"({"id":"dp_1","object":"dispute","charge":"ch_1","payment_intent":"pi_1"})";

const auto other_payment = says(200, R"({"id":"pi_1","object":"payment_intent","status":"succeeded","metadata":{}})");
const auto rejected = says(400, R"({"error":{"type":"invalid_request_error","message":"No."}})");
const auto our_subscription =
    says(200, R"({"id":"sub_1","object":"subscription","status":"past_due","customer":"cus_5","currency":"eur",)"
              R"("metadata":{"gateway_merchant":"merch_a1","gateway_subscription":"enroll-7"}})");
const auto paid_session =
    says(200, R"({"id":"cs_test_1","object":"checkout.session","status":"complete","subscription":"sub_1"})");
const auto invoice_payments =
    says(200, R"({"object":"list","data":[{"object":"invoice_payment","status":"paid","amount_paid":1900,)"
              R"("payment":{"type":"payment_intent","payment_intent":"pi_1"}}]})");
const auto unfinished_account =
    says(200, R"({"id":"acct_1","object":"account","charges_enabled":false,"details_submitted":false,)"
              R"("requirements":{"disabled_reason":"requirements.past_due"}})");

account_question question_of(bool onboards, std::string account) {
  account_question question;
  question.merchant = merchant_id{"merch_a1"};
  question.provider = provider_kind::stripe;
  question.account = std::move(account);
  question.onboards = onboards;
  question.provider_key = "pk_0123";
  question.merchant_name = "Lantern „Books“ & Co";
  question.back_url = "https://gateway.example/v1/public/accounts/token";
  question.again_url = "https://gateway.example/v1/public/accounts/token/again";
  return question;
}

}  // namespace

std::vector<stripe_scene> subscription_scenes() {
  using enum subscription_operation;
  auto of_new_customer = subscription_call_for(open_checkout, "");
  of_new_customer.customer_key = "ck_0123";
  return {
      {"a checkout of a known customer", subscription_call_for(open_checkout, "cus_5")},
      {"a checkout of a new customer", of_new_customer, {}, 2},
      {"a checkout that is asked for again a day later",
       asked_again(subscription_call_for(open_checkout, "cus_5")),
       {},
       1,
       24h},
      {"a cancel", ending(cancel, "sub_1"), {our_subscription}},
      {"a cancel of what has ended", ending(cancel, "sub_1"), {rejected}, 2},
      {"a cancel before anybody has paid", ending(cancel), {paid_session, our_subscription}, 2},
      {"a checkout's end after it was paid", ending(expire), {rejected, paid_session}, 3},
      {"what a subscription is", reading(), {our_subscription}, 2},
      {"an invoice is paid", reported("invoice.paid", invoice), {our_subscription}},
      {"an invoice fails", reported("invoice.payment_failed", invoice), {our_subscription}, 2},
      {"an invoice is voided", reported("invoice.voided", invoice), {our_subscription}},
      {"a dispute whose payment has no marks", reported("charge.dispute.created", dispute), {other_payment}, 2},
      {"a refund of a cycle", refund_of_cycle(), {invoice_payments}, 2},
      {"a customer is deleted", reported("customer.deleted", R"({"id":"cus_5","object":"customer"})")},
      {"a method is detached",
       reported("payment_method.detached", R"({"id":"pm_5","object":"payment_method","customer":null})",
                R"({"customer":"cus_5"})")},
  };
}

std::vector<stripe_scene> account_scenes() {
  return {
      {"a new account", question_of(true, ""), {unfinished_account}, 2},
      {"an account whose owner goes on", question_of(true, "acct_1"), {unfinished_account}, 2},
      {"how an account stands", question_of(false, "acct_1")},
  };
}

std::vector<stripe_scene> event_scenes() {
  event_list_question events;
  events.provider = provider_kind::stripe;
  events.account = "acct_1";
  events.from = stripe_noon - 1h;
  events.until = stripe_noon;
  auto next = events;
  next.after = "evt_1";
  endpoint_question endpoint;
  endpoint.provider = provider_kind::stripe;
  endpoint.url = "https://gateway.example/v1/public/providers/stripe/test/notifications";
  endpoint.registers = true;
  const auto none = says(200, R"({"object":"list","data":[],"has_more":false})");
  const auto another = says(200, R"({"object":"list","has_more":true,"data":[)"
                                 R"({"id":"we_2","object":"webhook_endpoint","url":"https://b.example"}]})");
  const auto made = R"({"id":"we_1","object":"webhook_endpoint","secret":"whsec_1","enabled_events":["payout.paid"],)"
                    R"("application":"ca_1","status":"disabled","url":")" +
                    endpoint.url + "\"}";
  return {
      {"a page of events", events},
      {"the next page of events", next},
      {"a new endpoint", endpoint, {another, none, says(200, made)}, 3},
      {"a new endpoint, whose answer is repeated", endpoint, {none, actors::says_again(200, made)}, 3},
      {"an endpoint that lacks types", endpoint, {says(200, R"({"object":"list","data":[)" + made + "]}")}, 2},
  };
}

}  // namespace gateway::e2e
