#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "command_line.hpp"
#include "report/progress.hpp"

using namespace gateway::load;

namespace {

command_line typed(std::vector<const char*> words) {
  words.insert(words.begin(), "gateway-load");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}

/// Parses a run with these arguments after the options that every run needs.
command_line run(std::vector<const char*> words) {
  words.insert(words.begin(), {"run", "--data-dir=data"});
  return typed(std::move(words));
}

constexpr std::uint64_t second = 1'000'000'000;

}  // namespace

TEST_CASE("A run at a rate: by default ten seconds against the gateway of this machine") {
  const auto made = run({"--rate=2000"});
  CAPTURE(made.text);
  REQUIRE(made.what == command::run);
  REQUIRE(made.open);
  CHECK(made.open->count() == 20'000);
  CHECK(made.where.url.empty());  // the gateway of --data-dir is asked for its address
  CHECK(made.connections == 64);
  CHECK(made.threads == 1);
  CHECK(made.timeout == std::chrono::seconds{30});
  CHECK(made.verify);
  CHECK(made.mix == "create");
}

TEST_CASE("Arguments after run are the mix") {
  const auto made = run({"create:3", "storm", "--closed"});
  REQUIRE(made.what == command::run);
  CHECK(made.mix == "create:3 storm");
  REQUIRE(made.load.mix.size() == 2);
  CHECK(made.load.mix[0].weight == 3);
  CHECK_FALSE(made.open);
}

TEST_CASE("The duration of a load, its warm-up and its count") {
  CHECK(run({"--rate=10", "--duration=1m", "--warm-up=2s"}).open->end() == 62 * second);
  CHECK(run({"--ramp=0..10", "--duration=2s"}).open->count() == 10);
  CHECK(run({"--steps=10,20", "--duration=2s"}).open->count() == 30);
  CHECK(run({"--closed", "--warm-up=1s"}).lasts_ns == 11 * second);
  // --count alone ends a run, but a ramp and steps need a duration as well.
  CHECK(run({"--closed", "--count=5"}).lasts_ns == schedule::no_end);
  CHECK(run({"--rate=10", "--count=5"}).open->end() > 3600 * second);
  CHECK(run({"--ramp=0..10", "--count=5"}).open->end() == 10 * second);
}

TEST_CASE("Exactly one of rate, ramp, steps and closed") {
  CHECK(run({}).what == command::usage_error);
  CHECK(run({"--rate=1", "--closed"}).what == command::usage_error);
  CHECK(run({"--rate=1", "--ramp=1..2"}).what == command::usage_error);
}

TEST_CASE("Requests are signed: a run needs a key") {
  CHECK(typed({"run", "--closed"}).text ==
        "gateway-load: --data-dir or --key-id is needed: requests are signed (try --help)");
  CHECK(typed({"run", "--closed", "--key-id=mk_test_1", "--target=https://127.0.0.1:8443"}).what == command::run);
}

TEST_CASE("The gateway is named, or the one of a data directory is asked for its address") {
  CHECK(typed({"run", "--closed", "--key-id=mk_test_1"}).text ==
        "gateway-load: --target or --data-dir is needed: where the gateway listens (try --help)");
  CHECK(typed({"run", "--closed", "--key-id=mk_test_1", "--data-dir=data"}).what == command::run);
}

TEST_CASE("Several nodes share the connections") {
  const auto two = typed({"run", "--closed", "--key-id=mk_test_1", "--target=https://a.example,https://b.example"});
  CHECK(two.targets == std::vector<std::string>{"https://a.example", "https://b.example"});
  CHECK(typed({"run", "--closed", "--key-id=mk_test_1", "--connections=1", "--target=https://a.example",
               "--target=https://b.example"})
            .text == "gateway-load: --target: each needs a connection (try --help)");
}

TEST_CASE("Webhooks need a gateway at which their destination can be made, and one thread") {
  CHECK(run({"webhooks", "--closed"}).receiver_listen == "127.0.0.1:0");
  CHECK(run({"create", "--closed"}).receiver_listen.empty());
  CHECK(run({"create", "--closed", "--receiver-listen=127.0.0.1:9000"}).receiver_listen == "127.0.0.1:9000");
  CHECK(typed({"run", "webhooks", "--closed", "--key-id=k"}).what == command::usage_error);
  CHECK(run({"webhooks", "--closed", "--threads=2"}).what == command::usage_error);
}

TEST_CASE("Payments' ids are sequential unless random ones are requested") {
  CHECK(run({"--closed"}).load.payment_ids == id_order::sequential);
  CHECK(run({"--closed", "--payment-ids=sequential"}).load.payment_ids == id_order::sequential);
  CHECK(run({"--closed", "--payment-ids=random"}).load.payment_ids == id_order::random);
  for (const auto* bad : {"--payment-ids=", "--payment-ids=uuid", "--payment-ids=2"})
    CHECK(run({"--closed", bad}).what == command::usage_error);
}

TEST_CASE("Merchants are made if a gateway's data directory is given, and there is one by default") {
  CHECK(run({"--closed"}).load.callers == 1);
  CHECK(run({"--closed", "--merchants=1000000"}).load.callers == 1'000'000);
  for (const auto* bad : {"--merchants=0", "--merchants=1000001", "--merchants=x"})
    CHECK(run({"--closed", bad}).what == command::usage_error);
  CHECK(typed({"run", "--closed", "--key-id=k", "--merchants=2"}).text.find("--data-dir") != std::string::npos);
  CHECK(run({"--closed", "--key-id=k", "--merchants=2"}).what == command::usage_error);
  CHECK(run({"webhooks", "--closed", "--merchants=2"}).text.find("not with --merchants") != std::string::npos);
  CHECK(run({"create", "--closed", "--receiver-listen=127.0.0.1:9000", "--merchants=2"}).what == command::usage_error);
}

TEST_CASE("A platform's key acts for a merchant, by default in live, and only it has customers") {
  const auto with = [](std::vector<const char*> words) {
    words.insert(words.begin(), {"--closed", "--key-id=mk_platform_1", "--on-behalf-of=merch_1"});
    return run(std::move(words));
  };
  CHECK(with({}).load.merchant == "merch_1");
  CHECK(with({}).environment == "live");
  CHECK(with({"--environment=test"}).environment == "test");
  CHECK(run({"--closed"}).environment.empty());
  CHECK(with({"saved"}).what == command::run);
  CHECK(with({"create:2", "saved", "--environment=live"}).what == command::run);
  CHECK(run({"--closed", "--on-behalf-of=merch_1"}).text.find("--key-id") != std::string::npos);
  CHECK(run({"--closed", "--environment=live"}).text.find("--on-behalf-of") != std::string::npos);
  CHECK(with({"--environment=staging"}).what == command::usage_error);
  CHECK(run({"saved", "--closed"}).text.find("platform's key") != std::string::npos);
  CHECK(run({"saved", "--closed", "--key-id=k"}).what == command::usage_error);
  CHECK(with({"saved", "--environment=test"}).text.find("live") != std::string::npos);
  CHECK(with({"saved", "--payment-method=ctoken_card_visa"}).text.find("pm_") != std::string::npos);
}

TEST_CASE("Labels are numbers with a name, of which a run may have several") {
  const auto made = run({"--closed", "--label=payments=10000000", "--label", "size of body=1.5"});
  CAPTURE(made.text);
  REQUIRE(made.what == command::run);
  CHECK(made.labels == std::map<std::string, double>{{"payments", 1e7}, {"size of body", 1.5}});
  for (const auto* bad : {"--label=payments", "--label=payments=", "--label==3", "--label=payments=many",
                          "--label=payments=-1", "--label=payments=inf", "--label=payments=3x", "--label=a<b=3",
                          "--label=merchants=3", "--label=connections=3"}) {
    CAPTURE(bad);
    CHECK(run({"--closed", bad}).what == command::usage_error);
  }
  CHECK(run({"--closed", "--label=a=1", "--label=a=2"}).text.find("stands there twice") != std::string::npos);
}

TEST_CASE("Payments are read back as fast as they are answered, or at a rate") {
  CHECK_FALSE(run({"--closed"}).reads);
  const auto made = run({"--closed", "--read-rate=200"});
  REQUIRE(made.reads);
  CHECK(made.reads->intended(200) == 1'000'000'000);
  CHECK(run({"--closed", "--read-rate=0"}).what == command::usage_error);
}

TEST_CASE("An error is one line that begins with the program's name") {
  for (const auto* bad : {"--rate=", "--connections=0", "--threads=65", "--duration=0s", "--timeout=5", "--count=0",
                          "--keyid=3", "bogus", "--currency=\"", "--mix=/nonexistent/mix"}) {
    CAPTURE(bad);
    const auto made = run({"--closed", bad});
    CHECK(made.what == command::usage_error);
    CHECK(made.text.starts_with("gateway-load: "));
    CHECK(made.text.find('\n') == std::string::npos);
  }
  for (const auto* bad : {"--rate=x", "--rate=0", "--rate=-1", "--ramp=5", "--steps=1,,2"})
    CHECK(run({bad}).what == command::usage_error);
  CHECK(typed({}).what == command::usage_error);
  CHECK(typed({"report"}).what == command::usage_error);
  CHECK(typed({"fly"}).what == command::usage_error);
}

TEST_CASE("Help is information") {
  CHECK(typed({"--help"}).what == command::information);
  CHECK(typed({"run", "--help"}).text.find("--rate") != std::string::npos);
}

TEST_CASE("A year of subscriptions needs a gateway of this machine, and has defaults for all else") {
  const auto made = typed({"subscriptions", "--data-dir=data"});
  CAPTURE(made.text);
  REQUIRE(made.what == command::subscriptions);
  CHECK(made.subscriptions == 10'000);
  CHECK(made.months == 12);
  CHECK(made.at_once == 32);
  CHECK(made.where.data_dir == "data");
  CHECK(made.receiver_listen == "127.0.0.1:0");
  const auto other = typed({"subscriptions", "--data-dir=data", "--subscriptions=5", "--months=2", "--at-once=1",
                            "--seed=3", "--currency=EUR", "--json=a.json", "--html=a.html", "--label=nodes=1"});
  REQUIRE(other.what == command::subscriptions);
  CHECK(other.subscriptions == 5);
  CHECK(other.months == 2);
  CHECK(other.at_once == 1);
  CHECK(other.load.seed == 3);
  CHECK(other.load.currency == "EUR");
  CHECK(other.labels.at("nodes") == 1);
  for (const auto& wrong : {typed({"subscriptions"}), typed({"subscriptions", "--data-dir=data", "--months=1"}),
                            typed({"subscriptions", "--data-dir=data", "--at-once=33"}),
                            typed({"subscriptions", "--data-dir=data", "--subscriptions=0"})})
    CHECK(wrong.what == command::usage_error);
}

TEST_CASE("A report takes files") {
  const auto made = typed({"report", "a.json", "b.json", "--html=c.html", "--title=All of them"});
  REQUIRE(made.what == command::report);
  CHECK(made.files == std::vector<std::filesystem::path>{"a.json", "b.json"});
  CHECK(made.html == "c.html");
  CHECK(made.title == "All of them");
}

TEST_CASE("The progress line has time, rate, latencies, requests under way, and errors by code") {
  load_moment moment;
  moment.second = 11;
  for (int i = 0; i < 100; ++i) moment.latency.add(1'000'000);
  moment.in_flight = 3;
  moment.waiting = 2;
  CHECK(progress_line(moment, 1) == "12 s  100/s  p50 1.00 ms  p99 1.00 ms  3 in flight, 2 waiting  no errors");
  moment.warm_up = true;
  moment.errors = {{"503 overloaded", 9}, {"timed_out", 3}, {"409 x", 1}, {"402 y", 1}};
  CHECK(progress_line(moment, 5) ==
        "12 s (warm-up)  20/s  p50 1.00 ms  p99 1.00 ms  3 in flight, 2 waiting  "
        "14 errors: 9 × 503 overloaded, 3 × timed_out, 1 × 409 x, …");
}
