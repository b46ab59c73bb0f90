// Scenes of payments for the Stripe adapter.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "stripe_mock_scenes.hpp"

namespace gateway::e2e {

namespace {

using namespace std::chrono_literals;

payment payment_of(flow how, std::string ref = {}) {
  payment p;
  p.key = payment_key(merchant_id{"merch_a1"}, environment::test, payment_id{"pay_7"});
  p.amount = {4200, *currency::parse("EUR")};
  p.how = how;
  p.provider = provider_kind::stripe;
  p.account = "acct_1";
  p.provider_ref = std::move(ref);
  p.version = 3;
  if (how == flow::server) p.details.payment_method = "pm_1";
  p.details.success_url = "https://shop.example/done?o=1&x[y]=ü";
  p.details.cancel_url = "https://shop.example/cart";
  p.details.description = "Tea & „cake“ [2]";
  p.details.customer_email = "a+b@shop.example";
  p.details.metadata = {{"order", "№ 1001"}, {"a&b=c", "d=e&f"}};
  return p;
}

payment of_customer(payment p, std::string id, bool saves, bool charges_saved) {
  auto& who = p.customer.emplace();
  who.platform = platform_id{"plat_1"};
  who.ref = "reader 17";
  who.provider_id = std::move(id);
  who.saves_method = saves;
  who.charges_saved = charges_saved;
  return p;
}

provider_call call_for(operation what, payment subject) {
  provider_call call;
  call.provider_key = "pk_0123";
  call.what = what;
  call.amount = subject.amount.minor;
  call.subject = std::move(subject);
  call.begun_at = stripe_noon;
  return call;
}

provider_call by_sdk(provider_call call) {
  call.by_sdk = true;
  return call;
}

provider_call making_customer(provider_call call) {
  call.customer_key = "ck_0123";
  return call;
}

provider_call again(provider_call call) {
  call.asked_again = true;
  return call;
}

http_outcome intent(std::string_view status) {
  return says(200, std::string{R"({"id":"pi_1","object":"payment_intent","metadata":{"gateway_key":"pk_0123"},)"}
                       .append(R"("status":")")
                       .append(status)
                       .append("\"}"));
}

const auto fails = says(500, "");
const auto repeated = actors::says_again(500, "");
const auto says_no = says(400, R"({"error":{"type":"invalid_request_error","message":"No."}})");
const auto wants_customer = says(
    402,
    R"({"error":{"type":"card_error","code":"authentication_required","payment_intent":{"id":"pi_1"},"message":""}})");
const auto found =
    says(200, R"({"object":"search_result","data":[{"id":"pi_1","metadata":{"gateway_key":"pk_0123"}}]})");
const auto session = says(
    200,
    R"({"id":"cs_test_1","object":"checkout.session","status":"complete","payment_status":"paid","payment_intent":"pi_1"})");
const auto open_session =
    says(200, R"({"id":"cs_test_1","object":"checkout.session","status":"open","payment_status":"unpaid"})");
const auto more_refunds = says(200, R"({"object":"list","has_more":true,"data":[{"id":"re_1","object":"refund"}]})");

const auto captured_payment =
    says(200, R"({"id":"pi_1","object":"payment_intent","status":"succeeded","amount_received":4200,)"
              R"("latest_charge":{"id":"ch_1","amount_refunded":1200,"disputed":true}})");
const auto captured_session =
    says(200, R"({"id":"cs_test_1","object":"checkout.session","status":"complete","payment_status":"paid",)"
              R"("payment_intent":{"id":"pi_1","status":"succeeded","amount_received":4200,)"
              R"("latest_charge":{"id":"ch_1","amount_refunded":0,"disputed":true}}})");
const auto paid_invoice =
    says(200, R"({"object":"list","data":[{"object":"invoice_payment","status":"paid","amount_paid":4200,)"
              R"("payment":{"type":"payment_intent","payment_intent":"pi_1"}}]})");

std::vector<stripe_scene> creations() {
  const auto card = payment_of(flow::server), page = payment_of(flow::redirect);
  auto at_once = card;
  at_once.details.captures_at_once = true;
  at_once.details.success_url.clear();
  at_once.account.clear();
  auto by_token = card;
  by_token.details.payment_method = "ctoken_1";
  const auto create = operation::create;
  const auto new_customer = of_customer(card, "", true, false), known = of_customer(card, "cus_5", true, false);
  const auto saved = of_customer(card, "cus_5", false, true);
  const auto charge = call_for(operation::charge, saved);
  return {
      {"an authorization", call_for(create, card)},
      {"a charge at once on the platform's own account", call_for(create, at_once)},
      {"an authorization by a confirmation token", call_for(create, by_token)},
      {"a payment that is approved by the SDK", by_sdk(call_for(create, card))},
      {"a customer is made first", making_customer(call_for(create, new_customer)), {}, 2},
      {"a customer under whose key a failure is stored",
       making_customer(call_for(create, new_customer)),
       {repeated},
       2},
      {"of a known customer", call_for(create, known)},
      {"a saved method is charged", charge},
      {"and its customer is needed after all", charge, {wants_customer}, 2},
      {"and is asked by the SDK", by_sdk(charge), {wants_customer}, 2},
      {"a checkout", call_for(create, page)},
      {"a checkout of a new customer", making_customer(call_for(create, of_customer(page, "", true, false))), {}, 2},
      {"a checkout of a known customer", call_for(create, of_customer(page, "cus_5", true, false))},
      {"a payment whose key stands for something else", again(call_for(create, card)), {fails, found}, 3},
      {"a payment that is asked for again a day later", again(call_for(create, card)), {found}, 2, 24h},
      {"a checkout that is asked for again a day later", again(call_for(create, page)), {found}, 2, 24h},
  };
}

std::vector<stripe_scene> follow_ups() {
  const auto card = payment_of(flow::server, "pi_1"), page = payment_of(flow::redirect, "cs_test_1");
  const auto capture = call_for(operation::capture, card), undo = call_for(operation::void_payment, card);
  const auto refund = call_for(operation::refund, card);
  return {
      {"a capture", capture, {intent("requires_capture")}, 2},
      {"a capture that is asked for again a day later", again(capture), {}, 1, 24h},
      {"a void", undo, {intent("processing")}, 2},
      {"a void that is rejected", undo, {says_no}, 2},
      {"a refund", refund},
      {"a refund of a checkout", call_for(operation::refund, page), {session}, 2},
      {"a refund that is asked for again", again(refund), {fails, more_refunds}, 3},
      {"a refund that is asked for again a day later", again(refund), {}, 1, 24h},
      {"what has become of a payment", provider_inquiry{card, false}, {intent("succeeded")}},
      {"a payment's end", provider_inquiry{card, true}, {intent("requires_action")}, 2},
      {"a payment's end that is rejected", provider_inquiry{card, true}, {intent("requires_action"), says_no}, 3},
      {"what has become of a checkout", provider_inquiry{page, false}},
      {"a checkout's end", provider_inquiry{page, true}, {open_session}, 2},
      {"a checkout's end that is rejected", provider_inquiry{page, true}, {open_session, says_no}, 3},
  };
}

std::vector<stripe_scene> comparisons() {
  const auto card = payment_of(flow::server, "pi_1"), page = payment_of(flow::redirect, "cs_test_1"),
             cycle = payment_of(flow::redirect, "in_1");
  const auto compare = [](const payment& p) { return provider_inquiry{p, false, true}; };
  auto lost = payment_of(flow::server);
  lost.state = payment_state::authorized;
  const auto ours = says(200, R"({"object":"search_result","data":[{"id":"pi_1","object":"payment_intent",)"
                              R"("metadata":{"gateway_merchant":"merch_a1","gateway_payment":"pay_7"}}]})");
  return {
      {"an authorized payment is compared", compare(card), {intent("requires_capture")}},
      {"a payment without a reference is searched for", compare(lost), {ours}, 2},
      {"a captured payment is compared", compare(card), {captured_payment, more_refunds}, 4},
      {"a checkout is compared", compare(page), {captured_session}, 2},
      {"a subscription's cycle is compared", compare(cycle), {paid_invoice}, 3},
  };
}

}  // namespace

std::vector<stripe_scene> payment_scenes() {
  auto all = creations();
  std::ranges::move(comparisons(), std::back_inserter(all));
  std::ranges::move(follow_ups(), std::back_inserter(all));
  return all;
}

}  // namespace gateway::e2e
