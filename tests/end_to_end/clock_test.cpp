// What expires by the wall clock: soon after an operator has moved the clock, and not at once where the clock may have
// jumped.
#include <catch2/catch.hpp>

#include "hosted_page.hpp"
#include "merchant.hpp"
#include "paths.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// A data directory on which one gateway runs after another.
struct kept_data {
  store_kind store;
  std::filesystem::path folder = new_folder("clock");
  std::optional<mysql_address> database;

  explicit kept_data(store_kind kind) : store{kind} {
    if (store == store_kind::mysql) database = new_shared_database();
  }
  ~kept_data() {
    if (keeps_data()) return;
    std::error_code ignored;
    if (database) drop_database(*database);
    std::filesystem::remove_all(folder, ignored);
  }
  gateway_options with(std::vector<std::string> arguments) const {
    gateway_options options;
    options.store = store;
    options.folder = folder;
    options.database = database;
    options.arguments = std::move(arguments);
    options.arguments.emplace_back("--reconcile-interval=100ms");
    return options;
  }
};

std::string value_of(const gateway_process& gateway, const std::string& query) {
  const auto lines = lines_of(gateway.sql(query));
  return lines.empty() ? "" : lines.front();
}
std::string stored_state(const gateway_process& gateway, const std::string& payment) {
  return value_of(gateway, "SELECT state FROM payments WHERE payment_id = '" + payment + "'");
}
std::string keys(const gateway_process& gateway) { return value_of(gateway, "SELECT COUNT(*) FROM commands"); }

bool is_suspect(const gateway_process& gateway) {
  const auto metrics = unix_http(gateway.operator_socket(), {"GET", "/metrics", {}, {}}).body;
  return metrics.find("\ngateway_clock_suspect 1\n") != std::string::npos;
}

/// The latest time that the database has recorded.
constexpr const char* last_seen = "SELECT value FROM meta WHERE name = 'clock_last_seen'";

}  // namespace

TEST_CASE("with the clock moved by 25 hours an open checkout expires, and by 31 days idempotency keys are purged") {
  const kept_data data{GENERATE(from_range(stores()))};
  const auto id = new_payment_id();
  {
    gateway_process gateway{data.with({})};
    api merchant{gateway, new_merchant(gateway).test};
    REQUIRE(summary_of(merchant.create(redirect_payment(id))) == "200 processing");
    gateway.terminate();
  }
  {
    gateway_process gateway{data.with({"--clock-offset=25h"})};
    CHECK(eventually([&] { return stored_state(gateway, id) == "failed"; }));
    CHECK(keys(gateway) == "1");
    gateway.terminate();
  }
  {
    gateway_process gateway{data.with({"--clock-offset=31d"})};
    CHECK(eventually([&] { return keys(gateway) == "0"; }));
    CHECK_FALSE(is_suspect(gateway));
    gateway.terminate();
  }
  for (const std::string back : {"--clock-offset=-2h", "--clock-offset=0ms"}) {
    gateway_process gateway{data.with({back})};
    CHECK_FALSE(is_suspect(gateway));
    CHECK(gateway.log().find("clock_jumped") == std::string::npos);
    gateway.terminate();
  }
}

TEST_CASE("a gateway that starts a month after its database's last recorded time expires nothing, and logs that") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  options.arguments = {"--hosted-expiry=2s", "--reconcile-interval=100ms"};
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  api before{gateway, account.test};
  CHECK_FALSE(is_suspect(gateway));
  const auto id = new_payment_id();
  const auto url = json::parse(before.create(redirect_payment(id)).body)["provider.hosted_url"].text();
  gateway.kill();
  REQUIRE(stored_state(gateway, id) == "processing");
  const auto seen = std::stoll(value_of(gateway, last_seen));
  gateway.sql("UPDATE meta SET value = '" + std::to_string(seen - 30 * 86'400'000LL) +
              "' WHERE name = 'clock_last_seen'");

  gateway.start();
  CHECK(eventually([&] { return is_suspect(gateway); }));
  CHECK(eventually([&] { return gateway.log().find("\"clock_jumped\"") != std::string::npos; }));
  CHECK_FALSE(eventually([&] { return stored_state(gateway, id) != "processing"; }, 4s));
  // An untrusted clock's time is not recorded.
  CHECK(std::stoll(value_of(gateway, last_seen)) < seen);
  hosted_page page{gateway, url};
  CHECK(page.act("pay").status == 303);
  CHECK(api{gateway, account.test}.state_of(id) == "captured");
}

TEST_CASE("the clock can be moved with --dev only") {
  const auto result = run_command({program("gatewayd").string(), "--clock-offset=1h"});
  CHECK(result.code == 2);
  CHECK(result.err.find("clock-offset") != std::string::npos);
}
