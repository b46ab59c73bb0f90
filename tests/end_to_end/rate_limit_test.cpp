// Limits per caller, at a real gateway: the size of a burst, its refill, and the callers that a flood of forged
// requests does not affect.
#include <catch2/catch.hpp>

#include <chrono>
#include <cmath>

#include "platform.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

using steady = std::chrono::steady_clock;

gateway_options limited(std::vector<std::string> arguments) {
  gateway_options options;
  options.arguments = std::move(arguments);
  return options;
}

/// How many of `count` requests in a row were not limited, and how many of those may be refilled ones.
struct burst {
  int passed = 0;
  int came_back = 0;  ///< refilled, at one a second
  std::optional<reply> limited;  ///< the first 429

  template <class Send>
  burst(int count, Send send) {
    const auto begun = steady::now();
    for (int i = 0; i < count; ++i) {
      auto answer = send();
      if (answer.status != 429)
        ++passed;
      else if (!limited)
        limited = std::move(answer);
    }
    came_back = static_cast<int>(std::ceil(std::chrono::duration<double>(steady::now() - begun).count()));
  }
  bool is(int size) const { return passed >= size && passed <= size + came_back; }
};

double metric_of(const gateway_process& gateway, const std::string& name) {
  const auto metrics = "\n" + unix_http(gateway.operator_socket(), {"GET", "/metrics", {}, {}}).body;
  const auto at = metrics.find("\n" + name + " ");
  return at == metrics.npos ? 0 : std::stod(metrics.substr(at + name.size() + 2));
}

}  // namespace

TEST_CASE("a key gets its burst and then 429, without a trace; after a pause the same request is executed") {
  gateway_process gateway{limited({"--rate-limit-key=1", "--rate-limit-key-burst=8"})};
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test};
  const burst sent{40, [&] { return merchant.view("pay_nobodys"); }};
  CAPTURE(sent.passed, sent.came_back);
  CHECK(sent.is(8));
  REQUIRE(sent.limited);
  CHECK(summary_of(*sent.limited) == "429 rate_limited");
  CHECK(sent.limited->header("Retry-After") == "1");
  CHECK(sent.limited->header("RateLimit-Policy") == R"("key";q=8;w=8)");
  CHECK(sent.limited->header("RateLimit") == R"("key";r=0;t=1)");

  // A client that repeats a write with its key after Retry-After gets it executed, once.
  const auto id = new_payment_id();
  call how;
  auto answer = merchant.create(server_payment(id), how);
  for (int i = 0; i < 20 && answer.status == 429; ++i) {
    std::this_thread::sleep_for(300ms);
    answer = merchant.create(server_payment(id), how);
  }
  CHECK(summary_of(answer) == "200 authorized");
  CHECK_FALSE(answer.replayed());
  CHECK(answer.header("RateLimit-Policy") == R"("key";q=8;w=8)");
  const auto kept = gateway.sql("SELECT COUNT(*) FROM commands WHERE merchant_id = '" + account.id + "';");
  CHECK(std::stol(kept) == 1);

  api other{gateway, mint_key(gateway, account.id)};
  CHECK(summary_of(other.view(id)) == "200 authorized");
  CHECK(metric_of(gateway, "gateway_rate_limited_total{kind=\"key\"}") > 0);
}

TEST_CASE("a flood of forged requests is limited by its address, and uses up nothing of the key that it names") {
  // All clients of this test come from one address.
  gateway_process gateway{limited(
      {"--rate-limit-key=1", "--rate-limit-key-burst=5", "--rate-limit-address=20", "--rate-limit-address-burst=30"})};
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test};
  call forged;
  forged.headers = {{"X-Service-Signature", std::string(64, '0')}};
  int unauthorized = 0, limited = 0;
  for (int i = 0; i < 60; ++i) {
    const auto answer = merchant.create(server_payment(new_payment_id()), forged);
    unauthorized += answer.status == 401 ? 1 : 0;
    limited += answer.status == 429 ? 1 : 0;
    if (answer.status == 429) CHECK(answer.header("RateLimit-Policy") == R"("address";q=30;w=2)");
  }
  CHECK(unauthorized >= 30);
  CHECK(unauthorized + limited == 60);
  // A slow machine may not produce a flood.
  CHECK(metric_of(gateway, "gateway_rate_limited_total{kind=\"address\"}") == limited);
  CHECK(metric_of(gateway, "gateway_rate_limited_total{kind=\"key\"}") == 0);
  for (int i = 0; i < 10; ++i) CHECK(gateway.status_of("/healthz") == 200);

  std::this_thread::sleep_for(500ms);
  const auto honest = merchant.view("pay_nobodys");
  CHECK(summary_of(honest) == "404 payment_not_found");
  CHECK(honest.header("RateLimit-Policy") == R"("key";q=5;w=5, "address";q=30;w=2)");
  CHECK(honest.header("RateLimit")->starts_with(R"("key";r=4;t=4, "address";r=)"));
}

TEST_CASE("all keys of a platform share its limit, whichever merchants they act for") {
  gateway_process gateway{limited({"--rate-limit-platform=1", "--rate-limit-platform-burst=6"})};
  const auto who = new_platform(gateway, "limited");
  const auto second = mint_platform_key(gateway, who.id);
  api one{gateway, who.key}, other{gateway, second};
  int turn = 0;
  const burst sent{30, [&] { return (++turn % 2 == 0 ? one : other).view("pay_nobodys"); }};
  CAPTURE(sent.passed, sent.came_back);
  CHECK(sent.is(6));
  REQUIRE(sent.limited);
  CHECK(sent.limited->header("RateLimit") == R"("platform";r=0;t=1)");
  api merchant{gateway, new_merchant(gateway).test};
  CHECK(summary_of(merchant.view("pay_nobodys")) == "404 payment_not_found");
}

TEST_CASE("an exempt network is not limited, and without settings no caller is") {
  for (const auto& arguments : {std::vector<std::string>{"--rate-limit-address=1", "--rate-limit-exempt=127.0.0.0/8"},
                                std::vector<std::string>{}}) {
    gateway_process gateway{limited(arguments)};
    api merchant{gateway, new_merchant(gateway).test};
    for (int i = 0; i < 30; ++i) {
      const auto answer = merchant.view("pay_nobodys");
      CHECK(answer.status == 404);
      CHECK_FALSE(answer.header("RateLimit"));
    }
  }
}
