// A provider that does not answer in time makes the outcome unknown, which is a state and not a failure.
#include <catch2/catch.hpp>

#include <algorithm>

#include "merchant.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

gateway_options impatient(store_kind store, std::string first_question, std::string provider_timeout = "500ms") {
  gateway_options options;
  options.store = store;
  options.arguments = {"--provider-timeout=" + std::move(provider_timeout),
                       "--reconcile-first=" + std::move(first_question), "--reconcile-longest=5m",
                       "--reconcile-interval=100ms"};
  return options;
}

constexpr const char* unknown = "502 provider outcome unknown";
constexpr const char* pending = "409 payment outcome pending";

}  // namespace

TEST_CASE(
    "a provider that does not answer in time: 502 with the envelope, then reconciled to what it says when asked") {
  gateway_process gateway{impatient(GENERATE(from_range(stores())), "3s")};
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test};
  const auto approved = new_payment_id(), declined = new_payment_id();
  const call same{new_uuid(), {}};

  const auto answer = merchant.create(server_payment(approved, "pm_card_timeout"), same);
  CHECK(summary_of(answer) == unknown);
  const auto body = json::parse(answer.body);
  CHECK(body["payment_id"] == approved);
  CHECK(body["state"] == "processing");
  CHECK(body["provider.status"] == "pending");
  CHECK((body["provider.error.category"] == "timeout" || body["provider.error.category"] == "provider"));
  CHECK(body["provider.error.outcome"] == "unknown");
  CHECK_FALSE(body["provider.error.message"].text().empty());
  CHECK(summary_of(merchant.create(server_payment(declined, "pm_card_timeoutDeclined"))) == unknown);

  // Until the outcome is known no other operation on the payment is allowed; reads are, and so is a retry of the same
  // request.
  CHECK(summary_of(merchant.capture(approved)) == pending);
  CHECK(summary_of(merchant.void_payment(approved)) == pending);
  CHECK(summary_of(merchant.refund(approved)) == pending);
  CHECK(merchant.state_of(approved) == "processing");
  const auto replay = merchant.create(server_payment(approved, "pm_card_timeout"), same);
  CHECK(replay.replayed());
  CHECK(replay.body == answer.body);

  CHECK(eventually([&] { return merchant.state_of(approved) == "authorized"; }));
  CHECK(eventually([&] { return merchant.state_of(declined) == "failed"; }));
  CHECK_FALSE(merchant.payment(approved)["provider.error"].present());
  CHECK(merchant.payment(declined)["provider.error"].present());

  CHECK(summary_of(merchant.capture(approved)) == "200 captured");
  CHECK(summary_of(merchant.refund(approved)) == "200 refunded");
  const auto lines = history(merchant.timeline(approved));
  REQUIRE(lines.size() >= 2);
  CHECK(lines[0].starts_with("attempt authorize unknown"));
  CHECK(lines[1] == "attempt authorize approved");
  CHECK(std::ranges::count(lines, "attempt authorize approved") == 1);
  CHECK(history(merchant.timeline(declined)).back() == "event payment.failed published");

  // The stored answer is unchanged, and the provider executed the payment once.
  CHECK(merchant.create(server_payment(approved, "pm_card_timeout"), same).body == answer.body);
  const auto ledger = read_ledger(gateway.ledger_file());
  CHECK(std::ranges::count_if(ledger, [&](const auto& entry) {
          return entry.payment_id == approved && entry.operation == "create";
        }) == 1);
}

TEST_CASE("an outcome that was unknown when the gateway crashed is settled after the restart") {
  gateway_process gateway{impatient(GENERATE(from_range(stores())), "1s")};
  const auto account = new_merchant(gateway);
  const auto id = new_payment_id();
  {
    api merchant{gateway, account.test};
    REQUIRE(summary_of(merchant.create(server_payment(id, "pm_card_timeout"))) == unknown);
  }
  gateway.kill();
  gateway.start();
  api merchant{gateway, account.test};
  CHECK(eventually([&] { return merchant.state_of(id) == "authorized"; }));
  CHECK(summary_of(merchant.capture(id)) == "200 captured");
}

TEST_CASE("a command that a crash left open is settled before its payment takes a new one") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  // The crash comes before the slow provider has answered.
  const auto payment = server_payment(id, "pm_card_slow_2000");
  std::thread doomed{[&] {
    try {
      api{gateway, account.test}.create(payment, same);
    } catch (const connection_failed&) {
      // The gateway was killed, as intended.
    }
  }};
  const bool begun = eventually(
      [&] { return gateway.sql("SELECT COUNT(*) FROM payments WHERE payment_id = '" + id + "';").starts_with("1"); });
  gateway.kill();
  doomed.join();
  REQUIRE(begun);

  gateway.start();
  api merchant{gateway, account.test};
  // The payment is settled by the next request for it, without waiting for the reconciler.
  const auto capture = merchant.capture(id);
  CHECK(summary_of(capture) == "200 captured");
  const auto answer = merchant.create(payment, same);
  CHECK(summary_of(answer) == "200 authorized");
  CHECK(answer.replayed());
  CHECK(history(merchant.timeline(id)) == std::vector<std::string>{"attempt authorize approved",
                                                                   "attempt capture approved",
                                                                   "event payment.captured published"});
  const auto ledger = read_ledger(gateway.ledger_file());
  CHECK(std::ranges::count_if(
            ledger, [&](const auto& entry) { return entry.payment_id == id && entry.operation == "create"; }) == 1);
}

TEST_CASE("a provider that keeps timing out does not stop other payments") {
  auto options = impatient(store_kind::sqlite, "30s", "10m");
  options.arguments.emplace_back("--http-answer-timeout=10m");
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  constexpr int many = 4;
  std::vector<std::thread> threads;
  std::atomic<int> answered{0};
  for (int i = 0; i < many; ++i)
    threads.emplace_back([&] {
      try {
        api{gateway, account.test}.create(server_payment(new_payment_id(), "pm_card_timeout"));
        ++answered;
      } catch (const connection_failed&) {
        // The client waits until the gateway is killed.
      }
    });
  const bool all_wait =
      eventually([&] { return gateway.sql("SELECT COUNT(*) FROM payments;") == std::to_string(many) + '\n'; });
  const auto served = summary_of(api{gateway, account.test}.create(server_payment(new_payment_id())));
  CHECK(answered == 0);
  gateway.kill();
  for (auto& thread : threads) thread.join();
  CHECK(all_wait);
  CHECK(served == "200 authorized");
}
