// Attacks by many connections and by slow ones. During each attack quiet merchants send requests, and all of these get
// correct answers; `tools/bench promptness` judges that their p99 does not double. The gateway's memory must not grow,
// however often the attacks are repeated.
#include <catch2/catch.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "attack.hpp"
#include "open_loop.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;
using protocol = hostile_connection::protocol;

namespace {

const std::string next = "GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n";
const std::string head = "POST /v1/payment_intents HTTP/1.1\r\nHost: gateway\r\n";

/// What the machine's other work, such as the attackers' own processor time, can add to a call.
constexpr double noise_ms = 15;
/// One slow measurement may be the machine's fault; three in a row count as the gateway's.
constexpr int attempts = 3;

/// What an attack may leave behind in addition to the buffers of open connections (a body of 1 MiB at most).
constexpr std::size_t slack_kb = 48 * 1024;

gateway_options tight() {
  gateway_options options;
  options.arguments = {"--http-request-timeout=1500ms", "--http-connections-per-address=10000", "--log-level=warn",
                       "--live-payments=2000"};
  return options;
}

struct fixture {
  gateway_process gateway;
  merchant_account account = new_merchant(gateway);
  quiet_clients quiet{gateway, account.test, 4};

  explicit fixture(const gateway_options& options = tight()) : gateway{options} {
    quiet.work(judges_speed() ? 1000ms : 100ms);
  }
};

/// One gateway for many attacks, so that what one attack leaves behind shows in later measurements.
fixture& shared_fixture() {
  raise_descriptor_limit();
  static fixture one;
  return one;
}

double p99(const std::vector<double>& sorted) { return percentile(sorted, 0.99); }

/// Measures the quiet clients before and during the attack, until one measurement shows no effect.
void check_unnoticed_during(fixture& on, const std::string& name, unsigned threads,
                            const std::function<void(unsigned)>& once) {
  INFO(name);
  double before = 0, during = 0;
  std::size_t rounds = 0;
  bool unnoticed = false;
  const auto processor = processor_time(on.gateway.pid());
  for (int attempt = 0; attempt < attempts && !unnoticed; ++attempt) {
    before = p99(on.quiet.work(judges_speed() ? 700ms : 100ms));
    attackers crowd{threads, once};
    std::this_thread::sleep_for(100ms);
    during = p99(on.quiet.work(judges_speed() ? 1000ms : 300ms));
    rounds += crowd.stop();
    unnoticed = !judges_speed() || during <= 2 * before + noise_ms;
  }
  std::cout << std::left << std::setw(48) << name << std::right << " p99 " << std::fixed << std::setprecision(1)
            << std::setw(6) << before << " -> " << std::setw(6) << during << " ms, " << rounds << " rounds, "
            << (processor_time(on.gateway.pid()) - processor).count() << " ms of processor, "
            << resident_kb(on.gateway.pid()) / 1024 << " MiB\n";
  CHECK(unnoticed);
  for (const auto& answer : on.quiet.unexpected_answers()) FAIL_CHECK(answer);
  CHECK(rounds > 0);
}

/// Limits each thread to some hundred attacks a second, so that they do not use up the machine.
void pause_briefly() { std::this_thread::sleep_for(2ms); }

}  // namespace

TEST_CASE("quiet clients do not notice attacks on the gateway", "[speed]") {
  auto& on = shared_fixture();
  const auto server = on.gateway.address();
  const auto open = [&server](protocol how = protocol::tls) {
    hostile_connection made{server, how};
    if (!made.open()) throw connection_failed{"refused"};
    return made;
  };
  const auto resident = [&on] { return resident_kb(on.gateway.pid()); };
  const auto at_start = resident();

  check_unnoticed_during(on, "garbage instead of TLS", 2, [&](unsigned) {
    hostile_connection one{server, protocol::nothing};
    one.send(std::string(2'000, '\xff'));
    CHECK(one.ended_by_server());
    pause_briefly();
  });
  check_unnoticed_during(on, "handshakes, one after the other", 2, [&](unsigned) {
    open();
    pause_briefly();
  });
  check_unnoticed_during(on, "connections that are reset in mid-request", 2, [&](unsigned) {
    auto one = open();
    one.send(head + "Content-Length: 1000\r\n\r\nhalf");
    one.reset();
    pause_briefly();
  });
  check_unnoticed_during(on, "header floods", 2, [&](unsigned) {
    auto one = open();
    std::string flood = "GET /healthz HTTP/1.1\r\n";
    for (int i = 0; i < 3'000; ++i) flood += "X-" + std::to_string(i) + ": y\r\n";
    one.send(flood);
    CHECK(one.listen(1).answers() == std::vector<std::string>{"431 headers_too_large"});
  });
  check_unnoticed_during(on, "headers of a byte each packet", 2, [&](unsigned) {
    auto one = open();
    one.send_in_pieces(next, 1);
    CHECK(one.listen(1).answers() == std::vector<std::string>{"200"});
  });
  check_unnoticed_during(on, "a body of a million chunks", 2, [&](unsigned) {
    auto one = open();
    one.send(head + "Transfer-Encoding: chunked\r\n\r\n");
    std::string chunks;
    for (int i = 0; i < 10'000; ++i) chunks += "1\r\nx\r\n";
    for (int i = 0; i < 110; ++i)
      if (!one.send(chunks)) break;
    // The answer is a 400, unless the attacker was still writing when the gateway stopped reading.
    const auto said = one.listen(1);
    CHECK((said.closed || said.answers() == std::vector<std::string>{"400 bad_request"}));
  });
  check_unnoticed_during(on, "requests that could be read in two ways", 2, [&](unsigned) {
    auto one = open();
    one.send(head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + next);
    CHECK(one.listen(2).answers() == std::vector<std::string>{"400 bad_request"});
    pause_briefly();
  });
  check_unnoticed_during(on, "pipelines whose answers nobody reads", 2, [&](unsigned) {
    auto one = open();
    std::string pipeline;
    for (int i = 0; i < 1'000; ++i) pipeline += next;
    for (int i = 0; i < 20; ++i)
      if (!one.send(pipeline)) break;
  });
  check_unnoticed_during(on, "a TLS 1.2 client that asks for new handshakes", 2, [&](unsigned) {
    auto one = open(protocol::tls_1_2);
    CHECK_FALSE(one.renegotiate());
    pause_briefly();
  });
  check_unnoticed_during(on, "a TLS 1.3 client that asks for new keys", 2, [&](unsigned) {
    auto one = open();
    int updates = 0;
    while (updates < 10'000 && one.update_keys()) ++updates;
    CHECK(one.ended_by_server());
  });

  CHECK(resident() < at_start + slack_kb);
}

TEST_CASE("hundreds of clients that send a byte now and then get their 408 in time, and other clients do not notice",
          "[speed]") {
  auto& on = shared_fixture();
  const auto resident = resident_kb(on.gateway.pid());
  const std::string beginnings[] = {
      "GET /health", next.substr(0, next.size() - 2) + "X-Slow: ", head + "Content-Length: 100000\r\n\r\n",
      head + "Transfer-Encoding: chunked\r\n\r\nfff\r\n"};
  std::atomic<int> answered{0}, late{0}, other{0};
  const auto drip = [&](unsigned number) {
    std::vector<hostile_connection> slow;
    for (int i = 0; i < 50; ++i) slow.emplace_back(on.gateway.address());
    for (auto& one : slow) one.send(beginnings[number % 4]);
    const auto begun = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begun < 1200ms) {
      for (auto& one : slow) one.send("x");
      std::this_thread::sleep_for(100ms);
    }
    for (auto& one : slow) {
      const auto said = one.listen(1).answers();
      if (said == std::vector<std::string>{"408 request_timeout"})
        ++answered;
      else
        ++other;
    }
    if (std::chrono::steady_clock::now() - begun > 1500ms + 4s) ++late;
  };
  check_unnoticed_during(on, "four hundred who drip", 8, drip);
  CHECK(answered >= 400);
  CHECK(other == 0);
  if (judges_speed()) CHECK(late == 0);
  CHECK(resident_kb(on.gateway.pid()) < resident + slack_kb);
}

TEST_CASE("three hundred clients that keep back the last bytes of a large body fill no more memory than the limit",
          "[speed]") {
  gateway_options options;
  options.arguments = {"--http-threads=1", "--log-level=warn"};
  fixture on{options};
  const auto before = resident_kb(on.gateway.pid());
  const std::string body(1'000'000, 'x');
  std::vector<hostile_connection> holding;
  std::size_t peak = 0;
  for (int i = 0; i < 300; ++i) {
    holding.emplace_back(on.gateway.address());
    holding.back().send(head + "Content-Length: 1048576\r\n\r\n");
    holding.back().send(body);
    peak = std::max(peak, resident_kb(on.gateway.pid()));
  }
  check_unnoticed_during(on, "three hundred large bodies without an end", 1, [&](unsigned) {
    peak = std::max(peak, resident_kb(on.gateway.pid()));
    std::this_thread::sleep_for(20ms);
  });
  CHECK(peak < before + 136 * 1024 + slack_kb);
  CHECK(holding.back().ended_by_server());
  holding.clear();
  const auto large = server_payment(new_payment_id()).text() + std::string(1'000'000, ' ');
  CHECK(eventually([&] { return api{on.gateway, on.account.test}.post("/v1/payment_intents", large).status == 200; }));
}

TEST_CASE("thousands of stalled handshakes are closed, and other clients do not notice", "[speed]") {
  auto& on = shared_fixture();
  const auto resident = resident_kb(on.gateway.pid());
  const auto hello = client_hello();
  std::vector<hostile_connection> half_open;
  std::size_t peak = 0;
  for (int i = 0; i < 2'000; ++i) {
    half_open.emplace_back(on.gateway.address(), protocol::nothing);
    // A part of the first message: 3 bytes, which are less than its header, then half of it, then all of it.
    half_open.back().send(hello.substr(0, i % 3 == 0 ? 3 : i % 3 == 1 ? hello.size() / 2 : hello.size()));
  }
  check_unnoticed_during(on, "two thousand handshakes that stopped", 1, [&](unsigned) {
    peak = std::max(peak, resident_kb(on.gateway.pid()));
    std::this_thread::sleep_for(20ms);
  });
  const auto each = (peak - std::min(peak, resident)) / half_open.size();
  INFO("KiB for each: " << each);
  CHECK(each < 64);
  // A handshake may take ten seconds.
  CHECK(std::ranges::all_of(half_open, [](auto& one) { return one.ended_by_server(); }));
}

TEST_CASE("five thousand idle connections cost 32 KiB each, and other clients do not notice", "[speed]") {
  if (raise_descriptor_limit() < 6'000) return;
  auto options = tight();
  options.arguments.emplace_back("--http-idle-timeout=10m");
  fixture on{options};  // a new gateway, because memory that earlier attacks have freed would hide the cost
  constexpr std::size_t count = 5'000;
  std::size_t first = 0;
  for (int round = 0; round < 2; ++round) {
    const auto before = resident_kb(on.gateway.pid());
    if (round == 0) first = before;
    std::vector<std::vector<hostile_connection>> idle(2);
    std::vector<std::thread> connecting;
    for (auto& some : idle)
      connecting.emplace_back([&some, &on] {
        for (std::size_t i = 0; i < count / 2; ++i) some.emplace_back(on.gateway.address());
      });
    for (auto& one : connecting) one.join();
    for (auto& some : idle)
      for (auto& one : some) REQUIRE(one.open());
    if (round == 0) {
      check_unnoticed_during(on, "five thousand idle connections", 1,
                             [](unsigned) { std::this_thread::sleep_for(20ms); });
      const auto each = (resident_kb(on.gateway.pid()) - before) / count;
      std::cout << "an idle connection costs " << each << " KiB\n";
      CHECK(each < 32);
    }
    auto& one = idle[0].front();
    one.send(next);
    CHECK(one.listen(1).answers() == std::vector<std::string>{"200"});
    // The second round reuses the memory of the first.
    if (round == 1) CHECK(resident_kb(on.gateway.pid()) < first + count * 32 + slack_kb);
  }
}

TEST_CASE("a gateway started with a low descriptor limit raises it to the maximum") {
  raise_descriptor_limit();
  rlimit all{};
  ::getrlimit(RLIMIT_NOFILE, &all);
  const rlimit few{128, all.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &few);
  gateway_process gateway{gateway_options{}};
  ::setrlimit(RLIMIT_NOFILE, &all);
  std::vector<hostile_connection> many;
  for (int i = 0; i < 300; ++i) many.emplace_back(gateway.address());
  CHECK(std::ranges::all_of(many, [](const auto& one) { return one.open(); }));
  CHECK(gateway.status_of("/readyz") == 200);
}

TEST_CASE(
    "past the connection limit newcomers are closed at once while all connections are busy, and operators get in") {
  gateway_options options;
  options.arguments = {"--http-connections=200", "--http-connections-per-address=150", "--http-request-timeout=1h"};
  gateway_process gateway{options};
  std::vector<hostile_connection> in;
  const auto half = next.substr(0, next.size() / 2);
  for (int i = 0; i < 150; ++i) {
    in.emplace_back(gateway.address());
    in.back().send(next + half);
    CHECK(in.back().listen(1).answers() == std::vector<std::string>{"200"});
  }
  {
    const attackers crowd{4, [&](unsigned) { CHECK_FALSE(hostile_connection{gateway.address()}.open()); }};
    for (auto& one : in) {
      one.send(next.substr(half.size()) + half);
      CHECK(one.listen(1).answers() == std::vector<std::string>{"200"});
    }
    CHECK(unix_http(gateway.operator_socket(), {"GET", "/readyz", {}, {}}).status == 200);
  }
  in.clear();
  CHECK(eventually([&] { return hostile_connection{gateway.address()}.open(); }));
}

TEST_CASE("silent connections and stalled handshakes keep no client out") {
  gateway_options options;
  options.arguments = {"--http-connections=200", "--http-connections-per-address=150"};
  gateway_process gateway{options};
  std::vector<hostile_connection> crowd;
  for (int i = 0; i < 300; ++i) {
    crowd.emplace_back(gateway.address(), i % 3 == 0 ? protocol::nothing : protocol::tls);
    if (i % 30 != 0) continue;
    hostile_connection newcomer{gateway.address()};
    newcomer.send(next);
    CHECK(newcomer.listen(1).answers() == std::vector<std::string>{"200"});
  }
}
