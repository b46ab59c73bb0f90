// SIGTERM: no new connections are accepted, requests in flight are finished and answered, and the gateway exits with 0.
#include <catch2/catch.hpp>

#include <csignal>
#include <thread>

#include "merchant.hpp"
#include "provider_process.hpp"

using namespace gateway::e2e;

namespace {

/// Whether the payment's intent is durable: its provider is being asked, or has been.
bool is_stored(const gateway_process& gateway, const std::string& id) {
  return gateway.sql("SELECT COUNT(*) FROM payments WHERE payment_id = '" + id + "';").starts_with("1");
}

/// A gateway whose provider answers only once it is released: until then a payment is under way, however slow or fast
/// the machine is.
struct held_gateway {
  provider_process provider;
  gateway_process gateway;

  explicit held_gateway(store_kind store, std::vector<std::string> arguments = {"--drain-timeout=10m"},
                        bool operator_listener = false)
      : gateway{options_for(provider, store, std::move(arguments), operator_listener)} {}

  static gateway_options options_for(const provider_process& provider, store_kind store,
                                     std::vector<std::string> arguments, bool operator_listener) {
    gateway_options options;
    options.store = store;
    options.operator_listener = operator_listener;
    options.provider = provider.socket();
    options.arguments = std::move(arguments);
    options.arguments.insert(options.arguments.end(), {"--provider-timeout=10m", "--http-answer-timeout=10m"});
    return options;
  }
  void hold() { provider.send_signal(SIGSTOP); }
  void resume() { provider.send_signal(SIGCONT); }
};

/// A create on a thread of its own, and its result.
struct call_under_way {
  reply answer;
  std::string lost;
  std::thread thread;

  call_under_way(const gateway_process& gateway, const merchant_account& account, const std::string& id,
                 const call& how = {new_uuid(), {}})
      : thread{[this, &gateway, &account, id, how] {
          try {
            answer = api{gateway, account.test}.create(server_payment(id), how);
          } catch (const std::exception& fault) {
            lost = fault.what();
          }
        }} {}
};

}  // namespace

TEST_CASE("SIGTERM drains: the request in flight is answered, new connections are refused, exit 0") {
  held_gateway held{GENERATE(from_range(stores()))};
  auto& gateway = held.gateway;
  const int signal = GENERATE(SIGTERM, SIGINT);
  const auto account = new_merchant(gateway);
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  api idle{gateway, account.test};
  REQUIRE(summary_of(idle.view(id)) == "404 payment_not_found");

  held.hold();
  call_under_way in_flight{gateway, account, id, same};
  const bool begun = eventually([&] { return is_stored(gateway, id); });
  gateway.send_signal(signal);
  const bool refused = eventually([&] { return !accepts_connections(gateway.address()); });
  const bool was_running = gateway.running();
  held.resume();
  in_flight.thread.join();

  REQUIRE(begun);
  CHECK(refused);
  CHECK(was_running);
  CHECK(in_flight.lost.empty());
  CHECK(summary_of(in_flight.answer) == "200 authorized");
  CHECK(gateway.wait() == exit_result{0, 0});
  CHECK_THROWS_AS(idle.client().send({"GET", "/healthz", {}, {}}), connection_failed);

  gateway.start();
  api after{gateway, account.test};
  const auto again = after.create(server_payment(id), same);
  CHECK(again.replayed());
  CHECK(again.body == in_flight.answer.body);
}

TEST_CASE("a draining gateway reports on the operators' listeners that it is not ready, until it ends") {
  held_gateway held{store_kind::sqlite, {"--drain-timeout=10m"}, true};
  auto& gateway = held.gateway;
  const auto account = new_merchant(gateway);
  const auto id = new_payment_id();
  held.hold();
  call_under_way in_flight{gateway, account, id};
  const bool begun = eventually([&] { return is_stored(gateway, id); });
  gateway.send_signal(SIGTERM);
  const bool refused = eventually([&] { return !accepts_connections(gateway.address()); });
  const auto reported = [](auto ask) {
    try {
      return ask().status;
    } catch (const std::exception&) {
      return 0;
    }
  };
  const auto at_listener = [&](const char* path) {
    return reported([&] { return plain_http(gateway.operator_address(), {"GET", path, {}, {}}); });
  };
  const auto ready = at_listener("/readyz"), healthy = at_listener("/healthz"), measured = at_listener("/metrics");
  const auto at_socket = reported([&] { return unix_http(gateway.operator_socket(), {"GET", "/readyz", {}, {}}); });
  const auto commanded = gateway.run_ctl({"provider", "list"});
  const bool was_running = gateway.running();
  held.resume();
  in_flight.thread.join();

  REQUIRE(begun);
  CHECK(refused);
  CHECK(ready == 503);
  CHECK(healthy == 200);
  CHECK(measured == 200);
  CHECK(at_socket == 503);
  CHECK(commanded.code == 0);
  CHECK(was_running);
  CHECK(in_flight.lost.empty());
  CHECK(summary_of(in_flight.answer) == "200 authorized");
  CHECK(gateway.wait() == exit_result{0, 0});
}

TEST_CASE("an idle gateway ends at once, whatever connections are open") {
  gateway_options options;
  options.arguments = {"--drain-timeout=10m"};
  gateway_process gateway{options};
  std::vector<https_client> open;
  for (int i = 0; i < 10; ++i) {
    open.push_back(gateway.connect());
    REQUIRE(open.back().send({"GET", "/healthz", {}, {}}).status == 200);
  }
  // That is sooner than its drain limit.
  CHECK(gateway.terminate() == exit_result{0, 0});
}

TEST_CASE("a drain has a time limit") {
  held_gateway held{store_kind::sqlite, {"--drain-timeout=500ms"}};
  auto& gateway = held.gateway;
  const auto account = new_merchant(gateway);
  const auto id = new_payment_id();
  held.hold();
  call_under_way in_flight{gateway, account, id};
  const bool begun = eventually([&] { return is_stored(gateway, id); });
  // The provider has not answered, and will not.
  const auto ended = gateway.terminate();
  held.resume();
  in_flight.thread.join();
  REQUIRE(begun);
  REQUIRE(ended);
  // The command stays open, and the next start settles it.
  CHECK(in_flight.answer.status != 200);
  gateway.start();
  CHECK(summary_of(api{gateway, account.test}.capture(id)) == "200 captured");
}
