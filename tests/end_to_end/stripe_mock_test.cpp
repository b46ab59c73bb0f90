// Every request of Stripe's adapter against Stripe's own description of its API. Of what the adapter makes of answers
// this shows nothing but that it reads Stripe's examples: see tests/actors/stripe_*_test.cpp, and stripe_test.cpp for
// a Stripe that carries things out.
#include <catch2/catch.hpp>

#include <iostream>
#include <memory>

#include <boost/url/parse.hpp>

#include "gateway/provider_adapter.hpp"
#include "paths.hpp"
#include "providers/stripe/stripe.hpp"
#include "providers/stripe/stripe_answers.hpp"
#include "providers/stripe/stripe_requests.hpp"
#include "stripe_mock.hpp"
#include "text.hpp"

using namespace std::chrono_literals;
using gateway::environment;
using gateway::flow;
using gateway::operation;

namespace {

namespace stripe = gateway::actors::stripe;
using gateway::http_outcome;
using gateway::provider_call;
using gateway::provider_result;

const auto noon = gateway::from_unix_ms(1'795'176'000'000);  // 2026-11-20T12:00:00Z

const gateway::provider_settings keys{
    {{"secret_key", "sk_test_51abc"}, {"publishable_key", "pk_test_51abc"}, {"webhook_secret", "whsec_first"}}};

const gateway::provider_adapter& adapter() {
  static const auto made = gateway::actors::make_stripe_adapter({"https://gateway.example", "form key"});
  return *made;
}

gateway::payment payment_of(flow how, std::string ref = {}) {
  gateway::payment p;
  p.key = gateway::payment_key(gateway::merchant_id{"merch_a1"}, environment::test, gateway::payment_id{"pay_7"});
  p.amount = {4200, *gateway::currency::parse("EUR")};
  p.how = how;
  p.provider = gateway::provider_kind::stripe;
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

gateway::payment of_customer(gateway::payment p, std::string id, bool saves, bool charges_saved) {
  auto& who = p.customer.emplace();
  who.platform = gateway::platform_id{"plat_1"};
  who.ref = "reader 17";
  who.provider_id = std::move(id);
  who.saves_method = saves;
  who.charges_saved = charges_saved;
  return p;
}

provider_call call_for(operation what, gateway::payment subject) {
  provider_call call;
  call.provider_key = "pk_0123";
  call.what = what;
  call.amount = subject.amount.minor;
  call.subject = std::move(subject);
  call.begun_at = noon;
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

http_outcome says(std::uint16_t status, std::string body) {
  gateway::http_answer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

http_outcome intent(std::string_view status) {
  return says(200, std::string{R"({"id":"pi_1","object":"payment_intent","metadata":{"gateway_key":"pk_0123"},)"}
                       .append(R"("status":")")
                       .append(status)
                       .append("\"}"));
}

const auto fails = says(500, "");
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

/// What is asked, when, and what the dialogue hears instead of stripe-mock's examples, request by request.
struct scene {
  const char* name;
  std::variant<provider_call, gateway::provider_inquiry> what;
  std::vector<http_outcome> hears{};
  std::size_t requests = 1;
  std::chrono::hours later{0};

  gateway::dialogue_ptr<provider_result> open() const {
    return std::visit([&](const auto& asked) { return adapter().open(asked, keys, noon + later); }, what);
  }
};

std::vector<scene> creations() {
  const auto card = payment_of(flow::server), page = payment_of(flow::redirect);
  auto at_once = card;
  at_once.details.captures_at_once = true;
  at_once.details.success_url.clear();
  at_once.account.clear();
  const auto create = operation::create;
  const auto new_customer = of_customer(card, "", true, false), known = of_customer(card, "cus_5", true, false);
  const auto saved = of_customer(card, "cus_5", false, true);
  const auto charge = call_for(operation::charge, saved);
  return {
      {"an authorization", call_for(create, card)},
      {"a charge at once on the platform's own account", call_for(create, at_once)},
      {"a payment that is approved by the SDK", by_sdk(call_for(create, card))},
      {"a customer is made first", making_customer(call_for(create, new_customer)), {}, 2},
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

std::vector<scene> follow_ups() {
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
      {"what has become of a payment", gateway::provider_inquiry{card, false}, {intent("succeeded")}},
      {"a payment's end", gateway::provider_inquiry{card, true}, {intent("requires_action")}, 2},
      {"a payment's end that is rejected",
       gateway::provider_inquiry{card, true},
       {intent("requires_action"), says_no},
       3},
      {"what has become of a checkout", gateway::provider_inquiry{page, false}},
      {"a checkout's end", gateway::provider_inquiry{page, true}, {open_session}, 2},
      {"a checkout's end that is rejected", gateway::provider_inquiry{page, true}, {open_session, says_no}, 3},
  };
}

/// Sends all that the dialogue wants to send; returns how many requests that were.
std::size_t play(const scene& of, gateway::e2e::stripe_mock& mock) {
  const auto dialogue = of.open();
  auto said = dialogue->next(nullptr);
  std::size_t asked = 0;
  while (const auto* request = std::get_if<gateway::http_request>(&said)) {
    CAPTURE(request->url, request->body);
    // The gateway's client sends to no other.
    CHECK(boost::urls::parse_uri(request->url).has_value());
    http_outcome heard = mock.answer_to(*request);
    const auto& answer = std::get<gateway::http_answer>(heard);
    CAPTURE(answer.body);
    CHECK(answer.status == 200);
    if (asked < of.hears.size()) heard = of.hears[asked];
    if (++asked > 12) break;
    said = dialogue->next(&heard);
  }
  return asked;
}

/// The rows of the README's table of requests, as stripe_mock::requests().
std::vector<std::pair<std::string, std::string>> documented() {
  std::vector<std::pair<std::string, std::string>> rows;
  const auto file = gateway::e2e::project_root() / "actors" / "providers" / "stripe" / "README.md";
  for (const auto& line : gateway::e2e::lines_of(gateway::e2e::read_file(file))) {
    const auto end = line.find("` | ");
    if (!line.starts_with("| `") || end == line.npos || line.find("/v1/") == line.npos) continue;
    std::string names = line.substr(end + 4, line.rfind(" |") - end - 4);
    std::erase(names, '`');
    rows.emplace_back(line.substr(3, end - 3), names);
  }
  return rows;
}

/// `dahlia`: between two versions of one release nothing is taken away (docs.stripe.com/api/versioning).
std::string_view release_of(std::string_view version) { return version.substr(version.find('.') + 1); }

}  // namespace

TEST_CASE("Stripe's own mock takes every request of the adapter, and the README lists them") {
  std::unique_ptr<gateway::e2e::stripe_mock> mock;
  try {
    mock = std::make_unique<gateway::e2e::stripe_mock>();
  } catch (const std::runtime_error& why) {
    WARN("NOT RUN: stripe-mock cannot be had: " << why.what());
    return;
  }
  INFO("stripe-mock knows " << mock->api_version());
  CHECK(release_of(mock->api_version()) == release_of(stripe::api_version));
  for (const auto& scenes : {creations(), follow_ups()})
    for (const auto& each : scenes) {
      CAPTURE(each.name);
      CHECK(play(each, *mock) == each.requests);
    }
  for (const auto& [request, parameters] : mock->requests())
    std::cout << "| `" << request << "` | " << parameters << " |\n";
  CHECK(mock->requests() == documented());

  SECTION("it would notice a wrong one") {
    const auto refused = [&](std::string_view path, std::string body) {
      const stripe::access as{"https://api.stripe.com", "sk_test_51abc", "", ""};
      return mock->answer_to(stripe::write_request(as, path, std::move(body), "k")).status;
    };
    const std::string good = "amount=1&currency=eur";
    CHECK(refused("/v1/payment_intents", good) == 200);
    CHECK(refused("/v1/payment_intentions", good) == 404);
    CHECK(refused("/v1/payment_intents", good + "&nonsense=1") == 400);
    CHECK(refused("/v1/payment_intents", good + "&automatic_payment_methods[nonsense]=1") == 400);
    CHECK(refused("/v1/payment_intents", good + "&capture_method=sometimes") == 400);
    CHECK(refused("/v1/payment_intents", "amount=one&currency=eur") == 400);
    CHECK(refused("/v1/payment_intents", "amount=1") == 400);
  }

  SECTION("its examples are read") {
    const stripe::access as{"https://api.stripe.com", "sk_test_51abc", "", "acct_1"};
    const auto example = [&](std::string_view path) { return mock->answer_to(stripe::read_request(as, path)).body; };
    const auto payment = stripe::read_intent(example("/v1/payment_intents/pi_1"));
    REQUIRE(payment);
    CHECK(payment->id == "pi_1");
    CHECK(payment->status == "requires_payment_method");
    CHECK_FALSE(payment->client_secret.empty());
    const auto checkout = stripe::read_checkout(example("/v1/checkout/sessions/cs_test_1?expand%5B%5D=payment_intent"));
    REQUIRE(checkout);
    CHECK(checkout->id == "cs_test_1");
    CHECK_FALSE(checkout->status.empty());
    CHECK_FALSE(checkout->payment_status.empty());
    const auto refunds = stripe::read_refunds(example(stripe::refunds_path("pi_1", {})));
    REQUIRE(refunds);
    CHECK(refunds->all.size() == 1);
    const auto payments = stripe::read_intents(example(stripe::search_path("payment_intents", "pk_0123")));
    REQUIRE(payments);
    CHECK(payments->all.size() == 1);
  }
}
