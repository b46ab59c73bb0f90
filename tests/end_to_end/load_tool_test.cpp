// gateway-load as its users run it: against real gateways, in which it must find no violation, and against one that
// crashes.
#include <catch2/catch.hpp>

#include "browser.hpp"
#include "gateway_process.hpp"
#include "paths.hpp"
#include "text.hpp"

using namespace gateway::e2e;

namespace {

std::vector<std::string> load_command(const gateway_process& gateway, std::vector<std::string> options) {
  options.insert(options.begin(), {program("gateway-load").string(), "run"});
  options.push_back("--data-dir=" + gateway.data_dir().string());
  return options;
}

command_output run_load(const gateway_process& gateway, std::vector<std::string> options) {
  auto ran = run_command(load_command(gateway, std::move(options)));
  INFO(ran.out << ran.err);
  return ran;
}

json read_run(const std::filesystem::path& file) { return json::parse(read_file(file)); }

}  // namespace

TEST_CASE("gateway-load finds no broken promise in any scenario, over either store") {
  const auto store = GENERATE(from_range(stores()));
  INFO("over " << to_string(store));
  gateway_process gateway{{store}};
  for (const std::string scenario : {"create", "lifecycle", "storm", "reuse", "hot", "replay", "hosted", "webhooks"}) {
    INFO(scenario);
    const auto file = gateway.folder() / (scenario + ".json");
    const auto ran = run_load(
        gateway, {scenario, "--rate=300", "--duration=2s", "--keys=20", "--duplicates=50", "--json=" + file.string()});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
    CHECK(ran.out.find("no violation") != std::string::npos);
    const auto run = read_run(file);
    CHECK(run["verification"]["payments"].number() > 0);
    if (scenario == "webhooks") CHECK(run["verification"]["events"].number() > 0);
  }
}

TEST_CASE("gateway-load spreads every scenario over merchants of its own, and verifies each with its merchant's key") {
  const auto store = GENERATE(from_range(stores()));
  INFO("over " << to_string(store));
  gateway_process gateway{{store}};
  const auto file = gateway.folder() / "merchants.json";
  const auto ran = run_load(gateway, {"create", "lifecycle", "storm", "reuse", "hot", "replay", "hosted", "--closed",
                                      "--duration=2s", "--merchants=40", "--payment-ids=random", "--threads=2",
                                      "--keys=20", "--duplicates=50", "--hot-payments=10", "--json=" + file.string()});
  INFO(ran.out << ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out.find("2 threads, 40 merchants, random ids") != std::string::npos);
  CHECK(ran.out.find("no violation") != std::string::npos);
  const auto run = read_run(file);
  CHECK(run["merchants"].number() == 40);
  CHECK(read_file(file).find("\"random_ids\":true") != std::string::npos);
  CHECK(run["verification"]["payments"].number() > 40);
  // An outcome begins with its status. A 404 would mean that a request was signed with another merchant's key.
  CHECK(read_file(file).find("\"409 ") != std::string::npos);
  CHECK(read_file(file).find("\"404") == std::string::npos);

  const auto webhooks = run_load(gateway, {"webhooks", "--closed", "--duration=1s", "--merchants=2"});
  CHECK(webhooks.code == 2);
  CHECK(webhooks.err.find("not with --merchants") != std::string::npos);
}

TEST_CASE(
    "gateway-load runs a year of subscriptions and finds every cycle, payment, event and cent, over either store") {
  const auto store = GENERATE(from_range(stores()));
  INFO("over " << to_string(store));
  gateway_process gateway{{store}};
  const auto file = gateway.folder() / "year.json";
  const auto ran = run_command({program("gateway-load").string(), "subscriptions", "--subscriptions=150",
                                "--data-dir=" + gateway.data_dir().string(), "--json=" + file.string()},
                               {}, {}, 5 * hang_timeout);
  INFO(ran.out << ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out.find("no violation") != std::string::npos);
  const auto run = read_run(file);
  CHECK(run["verification"]["subscriptions"].number() == 150);
  CHECK(run["verification"]["payments"].number() > 150 * 8);
  CHECK(run["months"].items().size() == 12);
}

TEST_CASE("gateway-load finds every promise kept by a gateway that is killed under load and comes back") {
  const auto store = GENERATE(from_range(stores()));
  INFO("over " << to_string(store));
  gateway_process gateway{{store}};
  const auto file = gateway.folder() / "crash.json";
  auto command = load_command(gateway, {"create:3", "lifecycle:3", "storm:1", "replay:1", "--rate=500", "--duration=6s",
                                        "--json=" + file.string()});
  const auto said = gateway.folder() / "load.log";
  child_process load{command, {said, {}, {}}};
  const auto payments = [&] { return std::stol(gateway.sql("SELECT COUNT(*) FROM payments;")); };
  for (int i = 0; i < 2; ++i) {
    // Kills it during the load, which may have ended before the second kill on a slow machine.
    const auto before = payments();
    REQUIRE(eventually([&] { return payments() >= before + 200 || !load.running(); }));
    gateway.kill();
    gateway.start();
  }
  const auto ended = load.wait();
  INFO(read_file(said));
  REQUIRE(ended);
  const auto run = read_run(file);
  INFO(run["verification"].dump());
  CHECK(ended->code == 0);
  CHECK(run["verification"]["violations"].number() == 0);
  CHECK(run["verification"]["settled"].number() > 0);
}

TEST_CASE("the report of two runs opens in a browser and shows both") {
  gateway_process gateway{{store_kind::sqlite}};
  const auto at = [&](const std::string& name) { return (gateway.folder() / name).string(); };
  for (const std::string name : {"before", "after"})
    REQUIRE(
        run_load(gateway, {"create", "--rate=200", "--duration=2s", "--name=" + name, "--json=" + at(name + ".json")})
            .code == 0);
  const auto made = run_command(
      {program("gateway-load").string(), "report", at("before.json"), at("after.json"), "--html=" + at("report.html")});
  INFO(made.err);
  REQUIRE(made.code == 0);
  browser reader;
  reader.open("file://" + at("report.html"));
  reader.screenshot(work_folder() / "load-report.png");
  const auto seen = reader.text_of("body");
  for (const auto* words : {"before", "after", "p99", "No violation"}) CHECK(seen.find(words) != std::string::npos);
}

TEST_CASE("runs with different numbers of merchants are drawn as a curve that a browser shows") {
  gateway_process gateway{{store_kind::sqlite}};
  const auto at = [&](const std::string& name) { return (gateway.folder() / name).string(); };
  std::vector<std::string> report{program("gateway-load").string(), "report", "--title=Creates",
                                  "--html=" + at("curves.html")};
  for (const std::string merchants : {"1", "10", "100"}) {
    const auto ran =
        run_load(gateway, {"create", "--closed", "--duration=1s", "--connections=16", "--merchants=" + merchants,
                           "--label=payments=0", "--json=" + at(merchants + ".json")});
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    report.push_back(at(merchants + ".json"));
  }
  const auto made = run_command(report);
  INFO(made.err);
  REQUIRE(made.code == 0);
  CHECK(made.out.find("\nby merchants\n") != std::string::npos);
  browser reader;
  reader.open("file://" + at("curves.html"));
  reader.screenshot(work_folder() / "load-curves.png");
  const auto seen = reader.text_of("body");
  for (const auto* words : {"Creates", "By merchants", "answered each second, by merchants", "100", "p99"})
    CHECK(seen.find(words) != std::string::npos);
}

TEST_CASE("gateway-load refuses a target on another machine, and a key without its secret, in one line") {
  const auto refused = [](std::vector<std::string> options) {
    options.insert(options.begin(), {program("gateway-load").string(), "run", "create", "--closed", "--duration=1s"});
    return run_command(options);
  };
  const auto remote = refused({"--target=https://192.0.2.1:8443", "--key-id=mk_test_1"});
  CHECK(remote.code == 2);
  CHECK(remote.err.find("--allow-remote") != std::string::npos);
  const auto nowhere = refused({"--key-id=mk_test_1"});
  CHECK(nowhere.code == 2);
  CHECK(nowhere.err.find("--target") != std::string::npos);
  const auto without = refused({"--target=https://127.0.0.1:8443", "--key-id=mk_test_1"});
  CHECK(without.code == 2);
  CHECK(without.err.find("GATEWAY_LOAD_SECRET") != std::string::npos);
}
