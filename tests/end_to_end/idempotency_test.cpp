// Idempotency (docs/served/idempotency.md): one execution for each key, and the same bytes for every repetition.
#include <catch2/catch.hpp>

#include <algorithm>
#include <barrier>
#include <map>
#include <thread>

#include "hosted_page.hpp"
#include "merchant.hpp"

using namespace gateway::e2e;

namespace {

struct shop {
  gateway_process& gateway;
  merchant_account account;
  api merchant;
  explicit shop(store_kind store)
      : gateway{shared_gateway(store)}, account{new_merchant(gateway)}, merchant{gateway, account.test} {}
};

void is_replay(const reply& again, const reply& original) {
  CHECK(again.status == original.status);
  CHECK(again.body == original.body);
  CHECK(again.header("Content-Type") == original.header("Content-Type"));
  CHECK(again.replayed());
  CHECK_FALSE(original.header("Idempotent-Replayed").has_value());
  CHECK(again.header("Request-Id") != original.header("Request-Id"));
}

constexpr const char* in_progress = "409 request already processing";
constexpr const char* reused = "409 IDEMPOTENCY_KEY_REUSED";

}  // namespace

TEST_CASE("a write sent again under its key gets the original result, byte for byte") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  const call creating{new_uuid(), {}}, capturing{new_uuid(), {}}, refunding{new_uuid(), {}};
  const auto created = s.merchant.create(server_payment(id), creating);
  const auto captured = s.merchant.capture(id, capturing);
  const auto refunded = s.merchant.refund(id, 1000, refunding);
  REQUIRE(summary_of(refunded) == "200 partially_refunded");
  for (int i = 0; i < 2; ++i) {
    is_replay(s.merchant.create(server_payment(id), creating), created);
    is_replay(s.merchant.capture(id, capturing), captured);
    is_replay(s.merchant.refund(id, 1000, refunding), refunded);
  }
  CHECK(summary_of(created) == "200 authorized");
  CHECK(s.merchant.payment(id)["refunded_total"] == 1000);
  CHECK(s.merchant.timeline(id).header("Idempotent-Replayed") == std::nullopt);

  const auto other = new_payment_id();
  const call voiding{new_uuid(), {}};
  REQUIRE(summary_of(s.merchant.create(server_payment(other))) == "200 authorized");
  const auto voided = s.merchant.void_payment(other, R"({"reason":"x"})", voiding);
  is_replay(s.merchant.void_payment(other, R"({"reason":"x"})", voiding), voided);
}

TEST_CASE("a declined payment is a result: its key replays it") {
  shop s{GENERATE(from_range(stores()))};
  const call same{new_uuid(), {}};
  const auto payment = server_payment(new_payment_id(), "pm_card_chargeDeclinedInsufficientFunds");
  const auto first = s.merchant.create(payment, same);
  REQUIRE(summary_of(first) == "200 failed");
  is_replay(s.merchant.create(payment, same), first);
}

TEST_CASE("rejections by the state rules are stored, and replayed when the state has changed since") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  const auto created = s.merchant.create(server_payment(id, "pm_card_authenticationRequired"));
  const call capturing{new_uuid(), {}}, voiding{new_uuid(), {}}, refunding{new_uuid(), {}};
  const auto capture = s.merchant.capture(id, capturing), voided = s.merchant.void_payment(id, "", voiding),
             refund = s.merchant.refund(id, "", refunding);
  REQUIRE(summary_of(capture) == "409 payment not authorized for capture");
  REQUIRE(summary_of(voided) == "409 payment not voidable in current state");
  REQUIRE(summary_of(refund) == "409 payment not refundable in current state");

  hosted_page{s.gateway, json::parse(created.body)["provider.hosted_url"].text()}.act("pay");
  REQUIRE(s.merchant.state_of(id) == "authorized");
  is_replay(s.merchant.capture(id, capturing), capture);
  is_replay(s.merchant.void_payment(id, "", voiding), voided);
  is_replay(s.merchant.refund(id, "", refunding), refund);
  CHECK(summary_of(s.merchant.capture(id)) == "200 captured");
}

TEST_CASE("refunds too large, unsupported operations and provider rejections are stored") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id(), failing = new_payment_id();
  REQUIRE(summary_of(s.merchant.create(server_payment(id))) == "200 authorized");
  REQUIRE(summary_of(s.merchant.capture(id)) == "200 captured");
  const call same{new_uuid(), {}};
  const auto too_large = s.merchant.refund(id, 5000, same);
  REQUIRE(too_large.status == 422);
  is_replay(s.merchant.refund(id, 5000, same), too_large);

  REQUIRE(summary_of(s.merchant.create(server_payment(failing, "pm_card_refundFail"))) == "200 authorized");
  REQUIRE(summary_of(s.merchant.capture(failing)) == "200 captured");
  const call rejecting{new_uuid(), {}};
  const auto rejected = s.merchant.refund(failing, 1000, rejecting);
  REQUIRE(summary_of(rejected) == "502 refund rejected by provider");
  is_replay(s.merchant.refund(failing, 1000, rejecting), rejected);
  const auto body = history(s.merchant.timeline(failing));
  CHECK(std::ranges::count_if(body, [](const auto& line) { return line.starts_with("attempt refund"); }) == 1);

  set_connection(s.gateway, s.account.id, "sandbox", "not_connected");
  set_connection(s.gateway, s.account.id, "sandbox_hosted", "connected");
  set_route(s.gateway, s.account.id, "sandbox_hosted", "HKD", "card");
  const auto hosted = new_payment_id();
  REQUIRE(summary_of(s.merchant.create(redirect_payment(hosted))) == "200 processing");
  const call capturing{new_uuid(), {}};
  const auto unsupported = s.merchant.capture(hosted, capturing);
  REQUIRE(summary_of(unsupported) == "422 {provider_operation_unsupported}");
  is_replay(s.merchant.capture(hosted, capturing), unsupported);
}

TEST_CASE("an error that is not stored leaves the key free: the request works once the cause is gone") {
  shop s{GENERATE(from_range(stores()))};

  SECTION("400: the body is corrected") {
    const call same{new_uuid(), {}};
    const auto id = new_payment_id();
    CHECK(summary_of(s.merchant.create(server_payment(id).set("amount", 0), same)) == "400 invalid_request");
    const auto answer = s.merchant.create(server_payment(id), same);
    CHECK(summary_of(answer) == "200 authorized");
    CHECK_FALSE(answer.replayed());
  }
  SECTION("401 and 403: another key of the merchant signs") {
    api reader{s.gateway, mint_key(s.gateway, s.account.id, "test", "payments:read")};
    api stranger{s.gateway, {s.account.test.key_id, random_hex(32)}};
    const call same{new_uuid(), {}};
    const auto payment = server_payment(new_payment_id());
    CHECK(summary_of(stranger.create(payment, same)) == "401 unauthorized");
    CHECK(summary_of(reader.create(payment, same)) == "403 forbidden");
    CHECK(summary_of(s.merchant.create(payment, same)) == "200 authorized");
  }
  SECTION("404: the payment is created") {
    const call same{new_uuid(), {}};
    const auto id = new_payment_id();
    CHECK(summary_of(s.merchant.capture(id, same)) == "404 payment_not_found");
    REQUIRE(summary_of(s.merchant.create(server_payment(id))) == "200 authorized");
    CHECK(summary_of(s.merchant.capture(id, same)) == "200 captured");
  }
  SECTION("409 payment already exists: another payment takes the key") {
    const call same{new_uuid(), {}};
    const auto id = new_payment_id();
    REQUIRE(summary_of(s.merchant.create(server_payment(id))) == "200 authorized");
    CHECK(summary_of(s.merchant.create(server_payment(id), same)) == "409 payment already exists");
    const auto again = s.merchant.create(server_payment(id), same);
    CHECK(summary_of(again) == "409 payment already exists");
    CHECK_FALSE(again.replayed());
    CHECK(summary_of(s.merchant.create(server_payment(new_payment_id()), same)) == "200 authorized");
  }
  SECTION("422 ROUTING_NO_ELIGIBLE_PROVIDER: a route is set") {
    set_route(s.gateway, s.account.id, "sandbox", "USD", "card");
    const call same{new_uuid(), {}};
    const auto payment = server_payment(new_payment_id());
    CHECK(summary_of(s.merchant.create(payment, same)) == "422 {ROUTING_NO_ELIGIBLE_PROVIDER}");
    set_route(s.gateway, s.account.id, "sandbox", "USD,HKD", "card");
    CHECK(summary_of(s.merchant.create(payment, same)) == "200 authorized");
  }
  SECTION("422 platform_key_required: the field is left out") {
    const call same{new_uuid(), {}};
    const auto id = new_payment_id();
    CHECK(summary_of(s.merchant.create(server_payment(id).set("customer_ref", "c"), same)) ==
          "422 {platform_key_required}");
    CHECK(summary_of(s.merchant.create(server_payment(id), same)) == "200 authorized");
  }
  SECTION("409 IDEMPOTENCY_KEY_REUSED has no effect on the first request with the key") {
    const call same{new_uuid(), {}};
    const auto payment = server_payment(new_payment_id());
    const auto first = s.merchant.create(payment, same);
    CHECK(summary_of(s.merchant.create(server_payment(new_payment_id()), same)) == reused);
    is_replay(s.merchant.create(payment, same), first);
  }
}

TEST_CASE("a key belongs to one request: another body, path or operation is refused") {
  shop s{GENERATE(from_range(stores()))};
  const auto first = new_payment_id(), second = new_payment_id();
  const call same{new_uuid(), {}};
  REQUIRE(summary_of(s.merchant.create(server_payment(first), same)) == "200 authorized");
  REQUIRE(summary_of(s.merchant.create(server_payment(second))) == "200 authorized");
  CHECK(summary_of(s.merchant.create(server_payment(first).set("amount", 4201), same)) == reused);
  CHECK(summary_of(s.merchant.post("/v1/payment_intents", server_payment(first).text() + " ", same)) == reused);
  CHECK(summary_of(s.merchant.create(server_payment(new_payment_id()), same)) == reused);
  CHECK(summary_of(s.merchant.capture(first, same)) == reused);
  CHECK(summary_of(s.merchant.capture(second, same)) == reused);

  const call capturing{new_uuid(), {}};
  REQUIRE(summary_of(s.merchant.capture(first, capturing)) == "200 captured");
  CHECK(summary_of(s.merchant.capture(second, capturing)) == reused);
  CHECK(summary_of(s.merchant.void_payment(first, "", capturing)) == reused);
  CHECK(summary_of(s.merchant.refund(first, "", capturing)) == reused);
  CHECK(s.merchant.state_of(second) == "authorized");
  CHECK(s.merchant.state_of(first) == "captured");
}

TEST_CASE("the keys of one merchant share one space, whichever of its credentials signs") {
  shop s{GENERATE(from_range(stores()))};
  api other{s.gateway, mint_key(s.gateway, s.account.id)};
  const call same{new_uuid(), {}};
  const auto payment = server_payment(new_payment_id());
  const auto first = s.merchant.create(payment, same);
  REQUIRE(summary_of(first) == "200 authorized");
  is_replay(other.create(payment, same), first);
  CHECK(summary_of(other.create(server_payment(new_payment_id()), same)) == reused);
}

TEST_CASE("results are replayed after a restart, and after a crash") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  const auto id = new_payment_id();
  const call creating{new_uuid(), {}}, capturing{new_uuid(), {}}, refusing{new_uuid(), {}};
  api before{gateway, account.test};
  const auto created = before.create(server_payment(id), creating), captured = before.capture(id, capturing),
             refused = before.refund(id, 9999, refusing);
  REQUIRE(refused.status == 422);

  const auto holds = [&] {
    api after{gateway, account.test};
    is_replay(after.create(server_payment(id), creating), created);
    is_replay(after.capture(id, capturing), captured);
    is_replay(after.refund(id, 9999, refusing), refused);
    CHECK(summary_of(after.create(server_payment(new_payment_id()), creating)) == reused);
    CHECK(summary_of(after.create(server_payment(id))) == "409 payment already exists");
  };
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  gateway.start();
  holds();
  gateway.kill();
  gateway.start();
  holds();
  CHECK(read_ledger(gateway.ledger_file()).size() == 2);
}

TEST_CASE("a client that disconnects changes nothing: the operation ends and the retry gets its result") {
  shop s{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  const auto body = server_payment(id, "pm_card_slow_300").text();
  {
    api leaving{s.gateway, s.account.test};
    std::string bytes =
        "POST /v1/payment_intents HTTP/1.1\r\nHost: gateway\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    for (const auto& [name, value] : leaving.signed_headers("POST", "/v1/payment_intents", body, same))
      bytes += name + ": " + value + "\r\n";
    leaving.client().push_raw(bytes + "\r\n" + body);
  }
  reply answer;
  CHECK(eventually([&] {
    answer = s.merchant.post("/v1/payment_intents", body, same);
    return summary_of(answer) != in_progress;
  }));
  CHECK(summary_of(answer) == "200 authorized");
  CHECK(history(s.merchant.timeline(id)) == std::vector<std::string>{"attempt authorize approved"});
}

TEST_CASE("200 concurrent requests with one key: one execution, and every other answer is the 409 or the replay") {
  const auto store = GENERATE(from_range(stores()));
  const std::string token = GENERATE(as<std::string>{}, "pm_card_visa", "pm_card_slow_250");
  CAPTURE(to_string(store), token);
  shop s{store};
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  const auto payment = server_payment(id, token);

  constexpr std::size_t count = 200;
  std::vector<reply> answers(count);
  std::barrier together{count};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      api own{s.gateway, s.account.test};
      own.client().connect();
      together.arrive_and_wait();
      try {
        answers[i] = own.create(payment, same);
      } catch (const std::exception& fault) {
        answers[i].body = fault.what();
      }
    });
  for (auto& thread : threads) thread.join();

  std::map<std::string, int> kinds;
  std::string original;
  for (const auto& answer : answers)
    if (answer.status == 200 && !answer.replayed()) original = answer.body;
  for (const auto& answer : answers) {
    if (answer.status == 200) {
      CHECK(answer.body == original);
      kinds[answer.replayed() ? "replay" : "original"]++;
    } else {
      kinds[answer.status == 0 ? answer.body : summary_of(answer)]++;
    }
  }
  for (const auto& [kind, times] : kinds) {
    CAPTURE(kind, times);
    CHECK((kind == "original" || kind == "replay" || kind == in_progress));
  }
  CHECK(kinds["original"] == 1);
  if (token != "pm_card_visa") CHECK(kinds[in_progress] > 0);
  CHECK(history(s.merchant.timeline(id)) == std::vector<std::string>{"attempt authorize approved"});
  const auto ledger = read_ledger(s.gateway.ledger_file());
  CHECK(std::ranges::count(ledger, id, &ledger_entry::payment_id) == 1);
  const auto again = s.merchant.create(payment, same);
  CHECK(again.replayed());
  CHECK(again.body == original);
}

TEST_CASE("concurrent captures with one key of a payment that has left memory: one execution") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  options.arguments = {"--live-payments=16", "--payment-idle=50ms"};
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test};
  for (int round = 0; round < 5; ++round) {
    const auto id = new_payment_id();
    REQUIRE(summary_of(merchant.create(server_payment(id))) == "200 authorized");
    std::this_thread::sleep_for(std::chrono::milliseconds{120});
    const call same{new_uuid(), {}};
    std::vector<std::string> words(20);
    std::vector<std::thread> threads;
    for (auto& word : words)
      threads.emplace_back([&] {
        const auto answer = api{gateway, account.test}.capture(id, same);
        word = answer.replayed() ? "replay" : summary_of(answer);
      });
    for (auto& thread : threads) thread.join();
    CHECK(std::ranges::count(words, "200 captured") == 1);
    CHECK(std::ranges::count(words, "200 captured") + std::ranges::count(words, "replay") +
              std::ranges::count(words, in_progress) ==
          20);
    const auto lines = history(merchant.timeline(id));
    CHECK(std::ranges::count(lines, "attempt capture approved") == 1);
  }
}
