// What operators see: metrics under their names, and log lines without secrets.
#include <catch2/catch.hpp>

#include <sched.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "hosted_page.hpp"
#include "merchant.hpp"
#include "paths.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// The value of one sample, by its full name with labels; -1 if it is not there.
double sample(const std::string& exposition, const std::string& name) {
  for (const auto& line : lines_of(exposition))
    if (line.starts_with(name + ' ')) return std::stod(line.substr(name.size() + 1));
  return -1;
}

std::string metrics_of(const gateway_process& gateway) {
  return plain_http(gateway.operator_address(), {"GET", "/metrics", {}, {}}).body;
}

std::filesystem::path tasks_of(pid_t process) { return "/proc/" + std::to_string(process) + "/task"; }

/// The names of a process's threads that have this policy.
std::set<std::string> threads_under(int policy, pid_t process) {
  std::set<std::string> names;
  for (const auto& thread : std::filesystem::directory_iterator(tasks_of(process))) {
    std::string name;
    std::getline(std::ifstream{thread.path() / "comm"}, name);
    if (::sched_getscheduler(std::stoi(thread.path().filename())) == policy) names.insert(name);
  }
  return names;
}

/// Whether the tests run under the normal policy and may change it.
bool may_choose_policies() {
  bool allowed = false;
  std::thread{[&] {
    const sched_param none{};
    allowed = ::sched_getscheduler(0) == SCHED_OTHER && ::sched_setscheduler(0, SCHED_BATCH, &none) == 0;
  }}.join();
  if (!allowed) WARN("the policy of threads is chosen or forbidden here: the programs leave it as it is");
  return allowed;
}

}  // namespace

TEST_CASE("metrics are served on the operator listener and over the operator socket, in Prometheus' format") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  options.operator_listener = true;
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test};
  const call same{new_uuid(), {}};
  const auto payment = server_payment(new_payment_id());
  REQUIRE(summary_of(merchant.create(payment, same)) == "200 authorized");
  REQUIRE(merchant.create(payment, same).replayed());
  REQUIRE(summary_of(merchant.create(server_payment(new_payment_id(), "pm_card_riskBlocked"))) == "200 failed");
  REQUIRE(summary_of(merchant.view("pay_nobody")) == "404 payment_not_found");

  for (const auto& answer : {plain_http(gateway.operator_address(), {"GET", "/metrics", {}, {}}),
                             unix_http(gateway.operator_socket(), {"GET", "/metrics", {}, {}})}) {
    CHECK(answer.status == 200);
    CHECK(answer.header("Content-Type").value_or("").starts_with("text/plain"));
    for (const auto* name :
         {"gateway_http_requests_total", "gateway_http_request_seconds", "gateway_http_requests_in_flight",
          "gateway_http_connections", "gateway_store_commits_total", "gateway_store_commit_failures_total",
          "gateway_store_units_total", "gateway_store_batch_units", "gateway_store_commit_seconds", "gateway_store_up",
          "gateway_payment_actors", "gateway_payment_activations_total", "gateway_idempotent_replays_total",
          "gateway_payments_settled_total", "gateway_provider_calls_total", "gateway_http_connections_refused_total"}) {
      CAPTURE(name);
      CHECK(answer.body.find("# TYPE " + std::string{name} + ' ') != std::string::npos);
    }
  }

  const auto reported_metrics = metrics_of(gateway);
  CHECK(sample(reported_metrics, "gateway_store_up") == 1);
  CHECK(sample(reported_metrics, "gateway_idempotent_replays_total") == 1);
  CHECK(sample(reported_metrics, "gateway_payment_actors") >= 2);
  CHECK(sample(reported_metrics, "gateway_http_connections") >= 1);
  CHECK(sample(reported_metrics, "gateway_store_commits_total") >= 4);
  CHECK(reported_metrics.find("route=\"/v1/payment_intents\"") != std::string::npos);
  CHECK(reported_metrics.find("status=\"404\"") != std::string::npos);
  // Label values are patterns: an id in one would make the series grow without bounds.
  CHECK(reported_metrics.find("pay_") == std::string::npos);
  CHECK(reported_metrics.find("merch_") == std::string::npos);
}

TEST_CASE(
    "the operator listener answers health and readiness, and serves neither the operators' nor the merchants' "
    "interface") {
  const auto& gateway = shared_gateway(store_kind::sqlite);
  const auto status = [&](const std::string& method, const std::string& target) {
    return plain_http(gateway.operator_address(), {method, target, {}, {}}).status;
  };
  CHECK(status("GET", "/healthz") == 200);
  CHECK(status("GET", "/readyz") == 200);
  CHECK(status("POST", "/operator/merchants") == 404);
  CHECK(status("POST", "/v1/payment_intents") == 404);
  CHECK(unix_http(gateway.operator_socket(), {"GET", "/readyz", {}, {}}).status == 200);
  CHECK(unix_http(gateway.operator_socket(), {"GET", "/healthz", {}, {}}).status == 200);
}

TEST_CASE("log lines are JSON, and each request's carries its Request-Id, method, route and status") {
  gateway_process gateway{gateway_options{}};
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test};
  const auto id = new_payment_id();
  const std::vector<reply> answers{merchant.create(server_payment(id)), merchant.capture(id),
                                   merchant.view("pay_nobody"), merchant.post("/v1/payment_intents", "{")};
  REQUIRE(gateway.terminate() == exit_result{0, 0});

  std::set<std::string> delivered_ids;
  for (const auto& line : lines_of(gateway.log())) {
    CAPTURE(line);
    const auto entry = json::parse(line);
    CHECK(entry["level"].is_string());
    CHECK(entry["event"].is_string());
    CHECK(is_timestamp_in_millis(entry["at"].text()));
    if (entry["event"] == "request" && entry["request_id"].present()) delivered_ids.insert(entry["request_id"].text());
  }
  for (const auto& answer : answers) CHECK(delivered_ids.count(answer.header("Request-Id").value_or("none")) == 1);
}

TEST_CASE("logs, metrics and answers contain no secret, signature, token or customer's data") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  options.operator_listener = true;
  options.arguments = {"--log-level=debug"};
  gateway_process gateway{options};
  const auto account = new_merchant(gateway, {"Lantern Books", "standard", "owner@lantern.example", false});
  gateway.ctl(
      {"merchant", "user", "add", "--merchant", account.id, "--email", "ada@lantern.example", "--password-stdin"},
      "correct horse battery\n");
  api merchant{gateway, account.test};

  auto payment = redirect_payment(new_payment_id());
  payment.set("customer_email", "reader@private.example")
      .set("customer_name", "Quentin Quire")
      .set("customer_mobile", "+85298765432");
  payment.set("description", "a very private purchase").raw("metadata", R"({"note":"metadata nobody reads"})");
  const auto created = merchant.create(payment);
  REQUIRE(summary_of(created) == "200 processing");
  const auto hosted_url = json::parse(created.body)["provider.hosted_url"].text();
  hosted_page page{gateway, hosted_url};
  const auto csrf = page.csrf();
  page.act("pay");
  const auto card = server_payment(new_payment_id(), "pm_card_tellNobody");
  const auto headers = merchant.signed_headers("POST", "/v1/payment_intents", card.text(), {});
  CHECK(summary_of(merchant.client().send({"POST", "/v1/payment_intents", headers, card.text()})) == "200 failed");
  merchant.post("/v1/payment_intents", R"({"payment_id":"pay_1","payment_method":"4242424242424242"})");
  set_connection(gateway, account.id, "sandbox", "in_progress");
  const auto refusal = json::parse(merchant.create(server_payment(new_payment_id())).body)["error.setup_url"].text();
  const auto token = refusal.substr(refusal.find("token=") + 6);
  const auto exchanged = merchant.client().send({"POST",
                                                 "/v1/public/onboarding/exchange-setup-token",
                                                 {{"Content-Type", "application/json"}},
                                                 object{}.set("token", token).text()});
  REQUIRE(exchanged.status == 200);

  std::vector<std::string> secrets{account.test.secret,
                                   "reader@private.example",
                                   "Quentin Quire",
                                   "85298765432",
                                   "a very private purchase",
                                   "metadata nobody reads",
                                   "pm_card_tellNobody",
                                   "4242424242424242",
                                   "correct horse battery",
                                   "ada@lantern.example",
                                   "owner@lantern.example",
                                   token,
                                   json::parse(exchanged.body)["session_token"].text(),
                                   hosted_url.substr(hosted_url.rfind('/') + 1)};
  if (!csrf.empty()) secrets.push_back(csrf);
  for (const auto& [name, value] : headers)
    if (name == "X-Service-Signature") secrets.push_back(value);
  if (gateway.database()) secrets.push_back(":" + gateway.database()->password + "@");

  const auto exposition = metrics_of(gateway);
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  const auto log = gateway.log();
  CHECK_FALSE(log.empty());
  for (const auto& secret : secrets) {
    CAPTURE(secret);
    REQUIRE_FALSE(secret.empty());
    CHECK(log.find(secret) == std::string::npos);
    CHECK(exposition.find(secret) == std::string::npos);
  }
}

TEST_CASE("settled outcomes and provider calls are counted") {
  gateway_options options;
  options.operator_listener = true;
  options.arguments = {"--provider-timeout=1s", "--reconcile-first=200ms", "--reconcile-interval=100ms"};
  gateway_process gateway{options};
  api merchant{gateway, new_merchant(gateway).test};
  const auto id = new_payment_id();
  REQUIRE(merchant.create(server_payment(id, "pm_card_timeout")).status == 502);
  REQUIRE(eventually([&] { return merchant.state_of(id) == "authorized"; }));
  const auto reported_metrics = metrics_of(gateway);
  CHECK(sample(reported_metrics, "gateway_payments_settled_total") == 1);
  const auto lines = lines_of(reported_metrics);
  const auto calls = [&](const std::string& result) {
    return std::ranges::count_if(lines, [&](const auto& line) {
      return line.starts_with("gateway_provider_calls_total{") &&
             line.find("provider=\"sandbox\"") != std::string::npos &&
             line.find("result=\"" + result + '"') != std::string::npos;
    });
  };
  CHECK(calls("approved") == 1);
  CHECK(calls("unknown") == 1);
}

TEST_CASE(
    "threads that serve requests run under the batch policy, and the thread that commits under the normal policy") {
  if (!may_choose_policies()) return;
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  new_merchant(gateway);  // the writer has started
  const auto normal = threads_under(SCHED_OTHER, gateway.pid());
  const auto batch = threads_under(SCHED_BATCH, gateway.pid());
  CHECK(normal.contains("store-writer"));
  CHECK_FALSE(batch.contains("store-writer"));
  CHECK(batch.contains("http-0"));
  CHECK(batch.contains("caf.multiplexer"));
}

TEST_CASE("the load tester runs under the batch policy") {
  if (!may_choose_policies()) return;
  gateway_process gateway{{store_kind::sqlite}};
  new_merchant(gateway);
  const std::vector<std::string> command{program("gateway-load").string(),
                                         "run",
                                         "replay",
                                         "--rate=20",
                                         "--duration=30s",
                                         "--threads=2",
                                         "--target=" + gateway.base_url(),
                                         "--data-dir=" + gateway.data_dir().string()};
  child_process load{command, {gateway.folder() / "load.log", {}, {}}};
  const auto threads = [&] { return std::ranges::distance(std::filesystem::directory_iterator(tasks_of(load.pid()))); };
  REQUIRE(eventually([&] { return threads() >= 2; }));
  CHECK(threads_under(SCHED_OTHER, load.pid()).empty());
  load.send_signal(SIGINT);
  CHECK(load.wait());
}
