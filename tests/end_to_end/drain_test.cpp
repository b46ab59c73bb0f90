// SIGTERM: no new connections, what is in flight is finished and answered, exit 0.
#include <catch2/catch.hpp>

#include <csignal>
#include <thread>

#include "merchant.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// Whether the payment's begin is durable: its provider is being asked, or has been.
bool is_stored(const gateway_process& gateway, const std::string& id) {
  return gateway.sql("SELECT COUNT(*) FROM payments WHERE payment_id = '" + id + "';").starts_with("1");
}

}  // namespace

TEST_CASE("SIGTERM drains: the request in flight is answered, new connections are refused, exit 0") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  const int signal = GENERATE(SIGTERM, SIGINT);
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  api idle{gateway, account.test};
  REQUIRE(summary_of(idle.view(id)) == "404 payment_not_found");

  reply answer;
  std::string lost;
  std::thread in_flight{[&] {
    try {
      answer = api{gateway, account.test}.create(server_payment(id, "pm_card_slow_1500"), same);
    } catch (const std::exception& fault) {
      lost = fault.what();
    }
  }};
  const bool begun = eventually([&] { return is_stored(gateway, id); });
  gateway.send_signal(signal);
  const bool refused = eventually([&] { return !accepts_connections(gateway.address()); }, 1s);
  const bool was_running = gateway.running();
  in_flight.join();

  REQUIRE(begun);
  CHECK(refused);
  CHECK(was_running);
  CHECK(lost.empty());
  CHECK(summary_of(answer) == "200 authorized");
  CHECK(gateway.wait(10s) == exit_result{0, 0});
  CHECK_THROWS_AS(idle.client().send({"GET", "/healthz", {}, {}}), connection_failed);

  gateway.start();
  api after{gateway, account.test};
  const auto again = after.create(server_payment(id, "pm_card_slow_1500"), same);
  CHECK(again.replayed());
  CHECK(again.body == answer.body);
}

TEST_CASE("a gateway that drains says on the operators' entrances that it is not ready, until it ends") {
  gateway_options options;
  options.operator_listener = true;
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  const auto id = new_payment_id();
  reply answer;
  std::string lost;
  std::thread in_flight{[&] {
    try {
      answer = api{gateway, account.test}.create(server_payment(id, "pm_card_slow_3000"));
    } catch (const std::exception& fault) {
      lost = fault.what();
    }
  }};
  const bool begun = eventually([&] { return is_stored(gateway, id); });
  gateway.send_signal(SIGTERM);
  const bool refused = eventually([&] { return !accepts_connections(gateway.address()); }, 1s);
  const auto told = [](auto ask) {
    try {
      return ask().status;
    } catch (const std::exception&) {
      return 0;
    }
  };
  const auto at_listener = [&](const char* path) {
    return told([&] { return plain_http(gateway.operator_address(), {"GET", path, {}, {}}); });
  };
  const auto ready = at_listener("/readyz"), healthy = at_listener("/healthz"), measured = at_listener("/metrics");
  const auto at_socket = told([&] { return unix_http(gateway.operator_socket(), {"GET", "/readyz", {}, {}}); });
  const auto commanded = gateway.run_ctl({"provider", "list"});
  const bool was_running = gateway.running();
  in_flight.join();

  REQUIRE(begun);
  CHECK(refused);
  CHECK(ready == 503);
  CHECK(healthy == 200);
  CHECK(measured == 200);
  CHECK(at_socket == 503);
  CHECK(commanded.code == 0);
  CHECK(was_running);
  CHECK(lost.empty());
  CHECK(summary_of(answer) == "200 authorized");
  CHECK(gateway.wait(10s) == exit_result{0, 0});
}

TEST_CASE("an idle gateway ends at once, whatever connections stand open") {
  gateway_process gateway{gateway_options{}};
  std::vector<https_client> open;
  for (int i = 0; i < 10; ++i) {
    open.push_back(gateway.connect());
    REQUIRE(open.back().send({"GET", "/healthz", {}, {}}).status == 200);
  }
  const auto begun = std::chrono::steady_clock::now();
  CHECK(gateway.terminate() == exit_result{0, 0});
  CHECK(std::chrono::steady_clock::now() - begun < 5s);
}

TEST_CASE("a drain does not wait for ever") {
  gateway_options options;
  options.arguments = {"--drain-timeout=500ms"};
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  const auto id = new_payment_id();
  std::thread in_flight{[&] {
    try {
      api{gateway, account.test}.create(server_payment(id, "pm_card_slow_9000"));
    } catch (const connection_failed&) {
      // Cut off: the command stays open, and is settled by the next start.
    }
  }};
  const bool begun = eventually([&] { return is_stored(gateway, id); });
  const auto since = std::chrono::steady_clock::now();
  const auto ended = gateway.terminate(8s);
  in_flight.join();
  REQUIRE(begun);
  REQUIRE(ended);
  CHECK(std::chrono::steady_clock::now() - since < 8s);
  gateway.start();
  CHECK(summary_of(api{gateway, account.test}.capture(id)) == "200 captured");
}
