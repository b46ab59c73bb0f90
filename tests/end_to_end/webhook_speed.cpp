// Measures webhooks with nginx as the receiver, over TLS, on this machine. `tools/bench webhooks` runs it, and so does
// `tools/bench` for its table. GATEWAY_WEBHOOK_SPEED sets the sizes: `whole`, or the seconds of each measurement, which
// then has no payments beside the backlog and no limit on the rate. All deliveries must arrive at any size. If the file
// GATEWAY_WEBHOOK_FIGURES is set, it gets a line for each measurement: its name, the rate, and p50 and p99 in
// microseconds where it has latencies.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include "attack.hpp"
#include "open_loop.hpp"
#include "paths.hpp"
#include "text.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// The sizes of the measurements. The defaults only show that they work.
struct sizes {
  std::size_t events_per_second = 100;
  std::chrono::seconds lasts{2};
  std::size_t due_at_once = 5'000;
  double payments_per_second = 50;  ///< while the backlog is delivered
  int slices = 2;  ///< slices of a second, with payments, before and after the outage
  bool whole = false;
  bool limited = true;  ///< by the gateway's own webhook-rate

  static sizes of_environment() {
    const auto wanted = environment_or("GATEWAY_WEBHOOK_SPEED", "");
    if (wanted.empty()) return {};
    if (wanted == "whole") return {500, 10s, 100'000, 200, 9, true, true};
    const auto seconds = std::stoul(wanted);
    return {500, std::chrono::seconds{seconds}, 10'000 * seconds, 0, 0, false, false};
  }
};

void write_figures(const std::string& name, double rate, const std::vector<double>& sorted_ms) {
  const auto file = environment_or("GATEWAY_WEBHOOK_FIGURES", "");
  if (file.empty()) return;
  std::ofstream to{file, std::ios::app};
  to << std::fixed << std::setprecision(0) << name << ' ' << rate;
  if (!sorted_ms.empty()) to << ' ' << percentile(sorted_ms, 0.5) * 1000 << ' ' << percentile(sorted_ms, 0.99) * 1000;
  to << '\n';
}

constexpr int destinations = 10;
constexpr std::int64_t epoch_ms = 1'767'225'600'000;  ///< epoch of delivery numbers: 2026, see docs/served/webhooks.md

/// nginx as a merchant's endpoint: it answers 200 to every post and logs each delivery with its time (tools/nginx).
class nginx {
 public:
  static std::string program() { return environment_or("GATEWAY_NGINX", "/usr/sbin/nginx"); }

  explicit nginx(std::filesystem::path folder) : folder_{std::move(folder)} {
    process_ = child_process{{(project_root() / "tools" / "nginx").string(), "receive", folder_.string()},
                             {folder_ / "stderr.log", {{"GATEWAY_NGINX", program()}}, {}}};
    const auto said = process_.read_line();
    REQUIRE(said);
    url_ = said->substr(said->find("https:"));
    REQUIRE(eventually([&] { return std::filesystem::exists(folder_ / "pid"); }));
  }

  std::string url(int path) const { return url_ + "/hook/" + std::to_string(path); }
  std::filesystem::path certificate() const { return folder_ / "certificate.pem"; }

  struct arrival {
    std::int64_t at_ms;
    std::int64_t number;
  };
  std::vector<arrival> arrivals() const {
    std::vector<arrival> all;
    std::ifstream log{log_file()};
    double seconds = 0;
    std::string uri;
    for (arrival each{}; log >> seconds >> each.number >> uri;) {
      each.at_ms = static_cast<std::int64_t>(seconds * 1000 + 0.5);
      all.push_back(each);
    }
    return all;
  }
  /// Counts the lines of the log without parsing them.
  std::size_t arrived() const {
    std::ifstream log{log_file()};
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>{log}, {}, '\n'));
  }
  void forget() const { std::ofstream{log_file(), std::ios::trunc}; }

 private:
  std::filesystem::path log_file() const { return folder_ / "came.log"; }

  std::filesystem::path folder_;
  std::string url_;
  child_process process_;
};

gateway_options options_for(store_kind store, const nginx& receiver) {
  gateway_options options;
  options.store = store;
  options.operator_listener = true;
  options.arguments = {"--webhook-ca-file=" + receiver.certificate().string(), "--log-level=warn",
                       "--http-connections-per-address=5000"};
  return options;
}

double per_second(std::size_t count, std::int64_t ms) {
  return static_cast<double>(count) * 1000.0 / static_cast<double>(std::max<std::int64_t>(1, ms));
}

/// Records the largest resident set of a process while it exists.
class memory_watch {
 public:
  explicit memory_watch(pid_t of)
      : thread_{[this, of] {
          while (!stop_) {
            peak_ = std::max(peak_.load(), resident_kb(of));
            std::this_thread::sleep_for(50ms);
          }
        }} {}
  ~memory_watch() {
    stop_ = true;
    thread_.join();
  }
  std::size_t peak_mib() const { return peak_ / 1024; }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> peak_{0};
  std::thread thread_;
};

/// The medians over slices of a second of load, so that a short pause of the disk affects one slice only.
struct steady_load {
  std::vector<double> p50, p99;
  bool all_served = true;

  void add(const load_report& report) {
    p50.push_back(percentile(report.accepted_ms, 0.5));
    p99.push_back(percentile(report.accepted_ms, 0.99));
    all_served = all_served && report.count(200) == report.offered;
  }
  static double median(std::vector<double> of) {
    if (of.empty()) return 0;
    std::ranges::sort(of);
    return of[of.size() / 2];
  }
};

bool measurable() {
  if (std::filesystem::exists(nginx::program())) return true;
  WARN("NOT RUN: there is no nginx; `tools/bench webhooks` brings one");
  return false;
}

/// Inserts `count` events, each with a due delivery, spread evenly over the destinations.
void insert_due_deliveries(const gateway_process& gateway, store_kind store, const std::string& merchant,
                           const std::vector<std::string>& destination_ids, std::size_t count) {
  const auto numbers = std::to_string(count);
  const bool mysql = store == store_kind::mysql;
  const std::string rows = mysql ? "seq_1_to_" + numbers
                                 : "(WITH RECURSIVE s(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM s WHERE seq < " +
                                       numbers + ") SELECT seq FROM s)";
  const auto joined = [&](const std::string& a, const std::string& b) {
    return mysql ? "CONCAT(" + a + ", " + b + ")" : "(" + a + " || " + b + ")";
  };
  const std::string now_ms = std::to_string(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
  std::string destination_of = "CASE seq % 10 ";
  for (int i = 0; i < destinations; ++i)
    destination_of += "WHEN " + std::to_string(i) + " THEN '" + destination_ids[static_cast<std::size_t>(i)] + "' ";
  destination_of += "END";
  gateway.sql(
      "INSERT INTO events (merchant_id, environment, subject_kind, subject_id, seq, type, status, occurred_at, "
      "event_id, data) "
      "SELECT '" +
      merchant + "', 'test', 'payment', " + joined("'pay_outage_'", "seq") + ", 1, 'payment.captured', 'published', " +
      now_ms + ", " + joined("'evt_outage_'", "seq") + ", " +
      joined(joined("'{\"payment_id\":\"pay_outage_'", "seq"),
             "'\",\"state\":\"captured\",\"amount\":4200,\"currency\":\"HKD\"}'") +
      " FROM " + rows + (mysql ? ";" : " t;"));
  gateway.sql(
      "INSERT INTO deliveries (merchant_id, delivery_id, environment, subject_kind, subject_id, event_seq, "
      "destination_id, "
      "created_at, status, attempts, "
      "round_from, next_attempt_at, version) SELECT '" +
      merchant + "', " + std::to_string((std::stoll(now_ms) - epoch_ms) * 4096) + " + seq, 'test', 'payment', " +
      joined("'pay_outage_'", "seq") + ", 1, " + destination_of + ", " + now_ms + ", 'pending', 0, 0, " + now_ms +
      ", 1 FROM " + rows + (mysql ? ";" : " t;"));
}

}  // namespace

TEST_CASE("an event arrives at a healthy receiver within milliseconds of its commit") {
  if (!measurable()) return;
  const auto wanted = sizes::of_environment();
  const auto store = GENERATE(from_range(stores()));
  const nginx receiver{new_folder("nginx-latency-")};
  gateway_process gateway{options_for(store, receiver)};
  const auto account = new_merchant(gateway);
  gateway.ctl({"destination", "set", "--merchant", account.id, "--mode", "test", "--url", receiver.url(0)});

  // A declined payment is one request and one event.
  const auto count = wanted.events_per_second * static_cast<std::size_t>(wanted.lasts.count());
  const auto decline = [&](std::size_t how_many) {
    return signed_creates(gateway, account.test, how_many, "pm_card_chargeDeclined");
  };
  run_load(gateway, decline(200), {static_cast<double>(wanted.events_per_second), 1000ms, 32});
  REQUIRE(eventually([&] { return receiver.arrived() >= 50; }));
  std::this_thread::sleep_for(1s);
  receiver.forget();

  const auto report =
      run_load(gateway, decline(count), {static_cast<double>(wanted.events_per_second), wanted.lasts, 32});
  REQUIRE(report.count(200) == report.offered);
  REQUIRE(eventually([&] { return receiver.arrived() >= report.offered; }));
  std::vector<double> late;
  for (const auto& each : receiver.arrivals())
    late.push_back(static_cast<double>(each.at_ms - (each.number / 4096 + epoch_ms)));
  std::ranges::sort(late);
  std::cout << std::fixed << std::setprecision(1) << "latency-" << to_string(store) << " " << report.per_second(200)
            << " events/s, " << late.size() << " arrived; from before the commit to the arrival: p50 "
            << percentile(late, 0.5) << " ms, p99 " << percentile(late, 0.99) << " ms, most " << late.back() << " ms\n";
  write_figures("arrival-" + std::string{to_string(store)}, report.per_second(200), late);
  CHECK(late.size() == report.offered);
  if (wanted.whole) {
    CHECK(percentile(late, 0.5) < 5);
    CHECK(percentile(late, 0.99) < 50);
  }
}

TEST_CASE("the backlog of an outage drains fast while payments continue") {
  if (!measurable()) return;
  const auto wanted = sizes::of_environment();
  const auto store = GENERATE(from_range(stores()));
  const nginx receiver{new_folder("nginx-drain-")};
  auto options = options_for(store, receiver);
  if (!wanted.limited) options.arguments.push_back("--webhook-rate=0");
  gateway_process gateway{std::move(options)};
  const auto account = new_merchant(gateway);
  std::vector<std::string> ids;
  for (int i = 0; i < destinations; ++i)
    ids.push_back(gateway
                      .ctl({"destination", "set", "--merchant", account.id, "--mode", "test", "--url",
                            receiver.url(i)})["destination_id"]
                      .text());

  // Approved payments have no event before they are captured: this load adds nothing to what is delivered.
  const load_plan payments{wanted.payments_per_second, 1000ms, 32};
  const auto some_seconds = [&] {
    steady_load seen;
    for (int second = 0; second < wanted.slices; ++second)
      seen.add(run_load(gateway, signed_creates(gateway, account.test, static_cast<std::size_t>(payments.per_second)),
                        payments));
    return seen;
  };
  const auto quiet = some_seconds();
  const auto resident_before = resident_kb(gateway.pid()) / 1024;
  REQUIRE(gateway.terminate());

  insert_due_deliveries(gateway, store, account.id, ids, static_cast<std::size_t>(wanted.due_at_once));
  // Gives the database time to write the pages of these statements to its files, as it would have during an outage.
  if (wanted.whole) std::this_thread::sleep_for(10s);
  gateway.start();
  const memory_watch memory{gateway.pid()};
  const auto busy = some_seconds();
  REQUIRE(eventually([&] { return receiver.arrived() >= wanted.due_at_once; }));
  const auto came = receiver.arrivals();
  const auto [first, last] = std::ranges::minmax(came, {}, &nginx::arrival::at_ms);
  std::map<std::int64_t, int> by_number;
  for (const auto& each : came) ++by_number[each.number];
  const auto rate = per_second(by_number.size(), last.at_ms - first.at_ms);
  const auto q99 = steady_load::median(quiet.p99), b99 = steady_load::median(busy.p99);
  std::cout << std::fixed << std::setprecision(1) << "drain-" << to_string(store) << " " << by_number.size()
            << " deliveries in " << static_cast<double>(last.at_ms - first.at_ms) / 1000 << " s: " << rate << "/s, "
            << came.size() - by_number.size() << " repeats; payments at " << payments.per_second << "/s: p50 "
            << steady_load::median(quiet.p50) << " -> " << steady_load::median(busy.p50) << " ms, p99 " << q99 << " -> "
            << b99 << " ms; resident " << resident_before << " -> at most " << memory.peak_mib() << " MiB\n";
  write_figures("deliveries-" + std::string{to_string(store)}, rate, {});
  CHECK(by_number.size() == wanted.due_at_once);
  CHECK(busy.all_served);
  CHECK(memory.peak_mib() < 512);
  if (wanted.whole && store == store_kind::mysql) {
    CHECK(rate >= 5'000);
    CHECK(b99 <= 2 * q99 + 10);
  }
  CHECK(eventually(
      [&] { return gateway.sql("SELECT COUNT(*) FROM deliveries WHERE status <> 'delivered';").starts_with("0"); },
      20s));
}
