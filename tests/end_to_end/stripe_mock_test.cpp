// Checks every request of Stripe's adapter against Stripe's own description of its API. Of the adapter's handling of
// answers this shows only that it reads Stripe's examples: see tests/actors/stripe_*_test.cpp, and stripe_test.cpp for
// a Stripe that executes requests.
#include <catch2/catch.hpp>

#include <iostream>
#include <memory>

#include <boost/url/parse.hpp>

#include "gateway/ports/provider_adapter.hpp"
#include "paths.hpp"
#include "providers/stripe/answers.hpp"
#include "providers/stripe/billing.hpp"
#include "providers/stripe/requests.hpp"
#include "providers/stripe/stripe.hpp"
#include "stripe_mock.hpp"
#include "stripe_mock_scenes.hpp"
#include "text.hpp"

namespace {

namespace stripe = gateway::actors::stripe;
using gateway::http_outcome;
using gateway::e2e::stripe_mock;
using gateway::e2e::stripe_scene;

const gateway::provider_settings keys{
    {{"secret_key", "sk_test_51abc"}, {"publishable_key", "pk_test_51abc"}, {"webhook_secret", "whsec_first"}}};

const gateway::provider_adapter& adapter() {
  static const auto made = gateway::actors::make_stripe_adapter({"https://gateway.example", "form key"});
  return *made;
}

/// Sends all requests of the dialogue; returns how many there were.
template <class Result>
std::size_t play(const gateway::dialogue_ptr<Result>& dialogue, const stripe_scene& of, stripe_mock& mock) {
  auto said = dialogue->next(nullptr);
  std::size_t asked = 0;
  while (const auto* request = std::get_if<gateway::http_request>(&said)) {
    CAPTURE(request->url, request->body);
    // The gateway's HTTP client accepts only URLs that this parser accepts.
    CHECK(boost::urls::parse_uri(request->url).has_value());
    http_outcome received = mock.answer_to(*request);
    const auto& answer = std::get<gateway::http_answer>(received);
    CAPTURE(answer.body);
    CHECK(answer.status == 200);
    if (asked < of.hears.size()) received = of.hears[asked];
    if (++asked > 12) break;
    said = dialogue->next(&received);
  }
  return asked;
}

std::size_t play(const stripe_scene& of, stripe_mock& mock) {
  const auto now = gateway::e2e::stripe_noon + of.later;
  return std::visit([&](const auto& asked) { return play(adapter().open(asked, keys, now), of, mock); }, of.what);
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

/// `dahlia`: nothing is removed between two versions of one release (docs.stripe.com/api/versioning).
std::string_view release_of(std::string_view version) { return version.substr(version.find('.') + 1); }

}  // namespace

TEST_CASE("Stripe's own mock accepts every request of the adapter, and the README lists them") {
  std::unique_ptr<stripe_mock> mock;
  try {
    mock = std::make_unique<stripe_mock>();
  } catch (const std::runtime_error& why) {
    WARN("NOT RUN: stripe-mock cannot be had: " << why.what());
    return;
  }
  INFO("stripe-mock knows " << mock->api_version());
  CHECK(release_of(mock->api_version()) == release_of(stripe::api_version));
  for (const auto& scenes : {gateway::e2e::payment_scenes(), gateway::e2e::subscription_scenes(),
                             gateway::e2e::account_scenes(), gateway::e2e::event_scenes()})
    for (const auto& each : scenes) {
      CAPTURE(each.name);
      CHECK(play(each, *mock) == each.requests);
    }
  for (const auto& [request, parameters] : mock->requests())
    std::cout << "| `" << request << "` | " << parameters << " |\n";
  CHECK(mock->requests() == documented());

  SECTION("it rejects a wrong request") {
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
    const auto disputes = stripe::read_disputes(example(stripe::disputes_path("pi_1")));
    REQUIRE(disputes);
    REQUIRE(disputes->all.size() == 1);
    CHECK_FALSE(disputes->all[0].id.empty());
    CHECK_FALSE(disputes->all[0].status.empty());
    CHECK(disputes->all[0].amount > 0);
    CHECK(stripe::read_invoices_of_payments(example(stripe::invoices_of_path("pi_1"))));
    const auto with_charge = stripe::read_intent(example(stripe::intent_with_charge_path("pi_1")));
    REQUIRE(with_charge);
    REQUIRE(with_charge->whole_charge);
    CHECK(with_charge->whole_charge->refunded);
    CHECK(with_charge->whole_charge->disputed);
    const auto payments = stripe::read_intents(example(stripe::search_path("payment_intents", "pk_0123")));
    REQUIRE(payments);
    CHECK(payments->all.size() == 1);
    const auto subscription = stripe::read_subscription(example("/v1/subscriptions/sub_1"));
    REQUIRE(subscription);
    CHECK(subscription->id == "sub_1");
    CHECK(stripe::read_subscriptions(example(stripe::search_path("subscriptions", "pk_0123"))));
    CHECK(stripe::read_customers(example(stripe::customer_search_path("ck_0123"))));
    CHECK(stripe::read_invoice_payments(example(stripe::invoice_payments_path("in_1", true))));
  }
}
