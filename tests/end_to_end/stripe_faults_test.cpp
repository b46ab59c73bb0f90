// Faults between the gateway and Stripe. After each, nothing is done twice, an unknown outcome is reported as unknown,
// and the payment settles by itself to the ledger's state.
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <thread>

#include "stripe_fixture.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

constexpr const char* unknown = "502 provider outcome unknown";

struct fault_row {
  const char* name;
  int wait_ms;
  bool must_be_unknown;  ///< at first
};

const std::vector<fault_row> faults{
    {"error_500_before", 0, true}, {"error_500_after", 0, true}, {"cut_before", 0, false},   {"cut_after", 0, false},
    {"slow", 3'500, true},         {"garbage", 0, true},         {"rate_limited", 0, false},
};

struct operation_row {
  const char* name;
  const char* path;  ///< path at Stripe
  const char* from;  ///< the payment's state before; empty: it is created
  const char* done;  ///< its state afterwards, if Stripe has executed the call
  const char* move;
};

const std::vector<operation_row> operations{
    {"create", "/v1/payment_intents", "", "authorized", "authorize 4200 usd"},
    {"capture", "/v1/payment_intents/*/capture", "authorized", "captured", "capture 4200 usd"},
    {"refund", "/v1/refunds", "captured", "partially_refunded", "refund 1000 usd"},
    {"void", "/v1/payment_intents/*/cancel", "authorized", "voided", "cancel 4200 usd"},
};

reply perform(stripe_shop& s, const operation_row& what, const std::string& id, const call& how) {
  const std::string name = what.name;
  if (name == "create") return s.merchant.create(stripe_payment(id), how);
  if (name == "capture") return s.merchant.capture(id, how);
  if (name == "refund") return s.merchant.refund(id, 1000, how);
  return s.merchant.void_payment(id, {}, how);
}

/// Waits until the payment's last attempt has an outcome.
bool settles(stripe_shop& s, const std::string& id) {
  return eventually([&] {
    const auto all = history(s.merchant.timeline(id));
    const auto last =
        std::ranges::find_if(all.rbegin(), all.rend(), [](const auto& l) { return l.starts_with("attempt "); });
    return last != all.rend() && last->find(" unknown") == std::string::npos;
  });
}

}  // namespace

TEST_CASE(
    "stripe: each fault at each operation leaves the payment and the ledger in agreement, and nothing done twice") {
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  for (const auto& what : operations)
    for (const auto& fault : faults) {
      CAPTURE(what.name, fault.name);
      stripe_shop s{on};
      const auto id = *what.from ? s.paid(what.from) : new_payment_id();
      const auto before = s.moves();
      on.stripe.breaks(fault.name, "POST", what.path, 1, fault.wait_ms);
      const call same{new_uuid(), {}};
      const auto answer = perform(s, what, id, same);
      on.stripe.mends();
      CAPTURE(answer.body);
      if (fault.must_be_unknown) {
        CHECK(summary_of(answer) == unknown);
        CHECK(json::parse(answer.body)["provider.error.outcome"] == "unknown");
      }
      CHECK(settles(s, id));
      const auto state = s.merchant.state_of(id);
      auto after = s.moves();
      REQUIRE(after.size() <= before.size() + 1);
      if (after.size() == before.size()) {
        CHECK(state == (*what.from ? what.from : "failed"));
      } else {
        CHECK(after.back() == what.move);
        CHECK(state == what.done);
      }
      // The answer stays the same, and repeating the request does nothing.
      CHECK(perform(s, what, id, same).body == answer.body);
      CHECK(s.moves() == after);
      // Each call was executed once; only a rejected call was not executed at all.
      if (std::string{fault.name} != "rate_limited") CHECK(after.size() == before.size() + 1);
    }
}

TEST_CASE("stripe: while the outcome is unknown nothing else is started") {
  stripe_stage on{store_kind::sqlite, {"--reconcile-first=5s", "--reconcile-longest=10s"}};
  // Loses the notification, which would settle the payment at once.
  on.stripe.notifies(on.gateway, object{}.set("lose", 1));
  stripe_shop s{on};
  const auto id = s.paid();
  on.stripe.breaks("error_500_after", "POST", "/v1/payment_intents/*/capture");
  CHECK(summary_of(s.merchant.capture(id)) == unknown);
  CHECK(summary_of(s.merchant.void_payment(id)) == "409 payment outcome pending");
  CHECK(summary_of(s.merchant.refund(id)) == "409 payment outcome pending");
  CHECK(s.comes_to(id, "captured"));
  CHECK(summary_of(s.merchant.refund(id)) == "200 refunded");
  CHECK(s.moves() == lines{"authorize 4200 usd", "capture 4200 usd", "refund 4200 usd"});
}

TEST_CASE("stripe: a checkout whose answer is lost is found again, and exists once") {
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  stripe_shop s{on};
  const auto id = new_payment_id();
  on.stripe.breaks("garbage", "POST", "/v1/checkout/sessions");
  CHECK(summary_of(s.merchant.create(redirect_payment(id, "USD"))) == unknown);
  on.stripe.mends();
  CHECK(eventually([&] { return !s.merchant.payment(id)["provider.hosted_url"].text().empty(); }));
  const auto page = s.merchant.payment(id)["provider.hosted_url"].text();
  CHECK(on.stripe.click(page, "pay").status == 303);
  CHECK(s.comes_to(id, "captured"));
  std::size_t sessions = 0;
  for (const auto& each : on.stripe.effects(s.connected)) sessions += each.kind == "session";
  CHECK(sessions == 1);
}

TEST_CASE("stripe: a 500 that Stripe stores under the key is never treated as an outcome") {
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  stripe_shop s{on};
  const auto id = new_payment_id();
  on.stripe.breaks("error_500_stored", "POST", "/v1/payment_intents");
  CHECK(summary_of(s.merchant.create(stripe_payment(id))) == unknown);
  on.stripe.mends();
  // The call was not executed, and only time shows that: Stripe's search is delayed, and the call may still be under
  // way.
  std::this_thread::sleep_for(4s);
  CHECK(s.merchant.state_of(id) == "processing");
  CHECK(summary_of(s.merchant.capture(id)) == "409 payment outcome pending");
  CHECK(s.moves().empty());
}

TEST_CASE(
    "stripe: a call that was executed behind a stored 500 is found by a search, however late the search shows it") {
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  stripe_shop s{on};
  const auto id = new_payment_id();
  on.stripe.set("search_delay_ms", "86400000");
  on.stripe.breaks("error_500_after", "POST", "/v1/payment_intents");
  CHECK(summary_of(s.merchant.create(stripe_payment(id))) == unknown);
  on.stripe.mends();
  std::this_thread::sleep_for(3s);
  CHECK(s.merchant.state_of(id) == "processing");
  on.stripe.set("search_delay_ms", "0");
  CHECK(s.comes_to(id, "authorized"));
  CHECK(s.moves() == lines{"authorize 4200 usd"});
}

TEST_CASE("stripe: a gateway killed during a call settles it after its restart") {
  stripe_stage on{GENERATE(from_range(stores()))};
  stripe_shop s{on};
  const auto id = new_payment_id();
  on.stripe.breaks("slow", "POST", "/v1/payment_intents", 1, 1'000);
  std::thread doomed{[&] {
    try {
      api{on.gateway, s.account.test}.create(stripe_payment(id));
    } catch (const connection_failed&) {
      // The gateway was killed, as intended.
    }
  }};
  const bool asked = eventually([&] { return on.stripe.reported("requests")["faults.slow"] == 1; });
  on.gateway.kill();
  doomed.join();
  REQUIRE(asked);
  on.gateway.start();
  api merchant{on.gateway, s.account.test};
  // While the first call is still under way, Stripe answers a repetition with that fact only.
  REQUIRE(eventually([&] { return merchant.state_of(id) == "authorized"; }));
  CHECK(summary_of(merchant.capture(id)) == "200 captured");
  CHECK(s.moves() == lines{"authorize 4200 usd", "capture 4200 usd"});
}

// ---- the breaker ----------------------------------------------------------------------------------

namespace {

/// Makes payments until an answer says that the provider is away, or another provider takes one. Returns all but that
/// one.
std::vector<std::string> make_until(api& merchant, const std::function<bool(const reply&)>& is_over, reply& last) {
  std::vector<std::string> made;
  const auto deadline = std::chrono::steady_clock::now() + hang_timeout;
  while (std::chrono::steady_clock::now() < deadline) {
    const auto id = new_payment_id();
    last = merchant.create(stripe_payment(id));
    if (is_over(last)) return made;
    made.push_back(id);
    std::this_thread::sleep_for(300ms);
  }
  FAIL("the breaker does not open");
  return made;
}

}  // namespace

TEST_CASE(
    "stripe: after failures in a row the breaker opens: 503 with Retry-After and nothing started, until Stripe is "
    "back") {
  stripe_stage on{GENERATE(from_range(stores()))};
  stripe_shop s{on};
  const std::string metric = R"(gateway_provider_breaker{environment="test",provider="stripe"})";
  s.paid();
  CHECK(sample_of(on.gateway, metric) <= 0);
  on.stripe.set("faults", R"([{"fault":"cut_before"}])");
  reply refused;
  const auto made = make_until(s.merchant, [](const reply& reported) { return reported.status == 503; }, refused);
  CHECK(summary_of(refused) == "503 provider_unavailable");
  CHECK(refused.header("Retry-After").has_value());
  CHECK(sample_of(on.gateway, metric) == 1);
  const call same{new_uuid(), {}};
  const auto id = new_payment_id();
  if (s.merchant.create(stripe_payment(id), same).status == 503) CHECK(s.merchant.view(id).status == 404);

  on.stripe.mends();
  CHECK(eventually([&] { return s.merchant.create(stripe_payment(id), same).status != 503; }));
  CHECK(eventually([&] { return sample_of(on.gateway, metric) == 0; }));
  for (const auto& each : made) CHECK(settles(s, each));
  // Each payment with an unknown outcome was executed once in the end, or has failed.
  std::size_t authorized = 0;
  for (const auto& each : made) authorized += s.merchant.state_of(each) == "authorized";
  authorized += s.merchant.state_of(id) == "authorized";
  CHECK(s.moves().size() == authorized + 1);
}

TEST_CASE("stripe: while its breaker is open, payments take another route if there is one") {
  stripe_stage on{store_kind::sqlite};
  const auto account = new_merchant(on.gateway);
  const auto connected = on.stripe.new_account();
  // In live a merchant has no initial route: Stripe's is the first, the sandbox's the second.
  route_to_stripe(on.gateway, account.id, connected, "live");
  set_connection(on.gateway, account.id, "sandbox", "connected", "live");
  set_route(on.gateway, account.id, "sandbox", "USD", "card", "live");
  api merchant{on.gateway, mint_key(on.gateway, account.id, "live")};
  const auto provider_of = [](const reply& reported) { return json::parse(reported.body)["provider.provider"].text(); };
  CHECK(provider_of(merchant.create(stripe_payment(new_payment_id()))) == "stripe");
  on.stripe.set("faults", R"([{"fault":"cut_before"}])");
  reply passed;
  make_until(
      merchant, [&](const reply& reported) { return reported.status == 200 && provider_of(reported) == "sandbox"; },
      passed);
  CHECK(summary_of(passed) == "200 authorized");
  on.stripe.mends();
  CHECK(eventually([&] {
    std::this_thread::sleep_for(200ms);
    return provider_of(merchant.create(stripe_payment(new_payment_id()))) == "stripe";
  }));
}
