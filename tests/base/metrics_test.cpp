#include <catch2/catch.hpp>

#include <regex>
#include <set>
#include <thread>
#include <vector>

#include "gateway/base/log.hpp"
#include "gateway/base/metrics.hpp"
#include "temporary_directory.hpp"

using gateway::metrics;

namespace {
bool has_line(const std::string& text, const std::string& line) {
  return text.starts_with(line + "\n") || text.find("\n" + line + "\n") != std::string::npos;
}
}  // namespace

TEST_CASE("every metric is exposed under its name from the start") {
  const metrics meters;
  const auto text = meters.expose();
  for (const auto* name : {"gateway_http_requests_in_flight",
                           "gateway_http_connections",
                           "gateway_http_connections_refused_total",
                           "gateway_http_connections_evicted_total",
                           "gateway_store_commits_total",
                           "gateway_store_commit_failures_total",
                           "gateway_store_up",
                           "gateway_store_locked_out",
                           "gateway_clock_suspect",
                           "gateway_payment_actors",
                           "gateway_directory_merchants",
                           "gateway_payment_activations_total",
                           "gateway_idempotent_replays_total",
                           "gateway_payments_settled_total",
                           "gateway_writes_waiting",
                           "gateway_writes_waiting_limit",
                           "gateway_trace_spans_exported_total",
                           "gateway_trace_spans_dropped_total",
                           "gateway_webhook_workers_busy",
                           "gateway_webhook_worker_restarts_total",
                           "gateway_idempotency_keys_taken_total",
                           "gateway_idempotency_keys_purged_total",
                           "gateway_idempotency_purge_overdue_seconds",
                           "gateway_backup_last_success_timestamp_seconds",
                           "gateway_node_lease_seconds",
                           "gateway_directory_age_seconds"})
    CHECK(has_line(text, std::string{name} + " 0"));
  for (const auto* name :
       {"gateway_store_batch_units", "gateway_store_commit_seconds", "gateway_store_purge_step_seconds",
        "gateway_webhook_attempt_seconds", "gateway_webhook_commit_to_arrival_seconds"})
    CHECK(has_line(text, std::string{name} + "_count 0"));
  // The count of dropped log lines belongs to the process: tests that ran before may have dropped some.
  CHECK(has_line(text, "gateway_log_lines_dropped_total " + std::to_string(gateway::log::dropped())));
}

TEST_CASE("a labelled series is the same object at every look-up") {
  metrics meters;
  auto& answered = meters.requests("/v1/payment_intents", 200);
  CHECK(&answered == &meters.requests("/v1/payment_intents", 200));
  CHECK(&answered != &meters.requests("/v1/payment_intents", 409));
  answered.Increment();
  meters.request_seconds("/v1/payment_intents").Observe(0.003);
  meters.units("committed").Increment(3);
  meters.provider_calls("sandbox", "capture", "approved").Increment();
  meters.provider_breaker("stripe", "live").Set(1);
  meters.provider_notifications("stripe", "live", "forged").Increment();
  meters.shed("waiting").Increment();
  meters.rate_limited("platform").Increment();
  meters.rate_limit_buckets("platform").Set(2);
  meters.batch_units.Observe(5);
  const auto text = meters.expose();
  CHECK(has_line(text, R"(gateway_http_requests_total{route="/v1/payment_intents",status="200"} 1)"));
  CHECK(has_line(text, R"(gateway_http_request_seconds_bucket{route="/v1/payment_intents",le="0.005"} 1)"));
  CHECK(has_line(text, R"(gateway_store_units_total{outcome="committed"} 3)"));
  CHECK(has_line(text, R"(gateway_provider_calls_total{operation="capture",provider="sandbox",result="approved"} 1)"));
  CHECK(has_line(text, R"(gateway_provider_breaker{environment="live",provider="stripe"} 1)"));
  CHECK(has_line(text,
                 R"(gateway_provider_notifications_total{environment="live",provider="stripe",result="forged"} 1)"));
  CHECK(has_line(text, R"(gateway_writes_shed_total{reason="waiting"} 1)"));
  CHECK(has_line(text, R"(gateway_rate_limited_total{kind="platform"} 1)"));
  CHECK(has_line(text, R"(gateway_rate_limit_buckets{kind="platform"} 2)"));
  CHECK(has_line(text, R"(gateway_store_batch_units_bucket{le="4"} 0)"));
  CHECK(has_line(text, R"(gateway_store_batch_units_bucket{le="8"} 1)"));
}

TEST_CASE("the series of a destination end when it is forgotten, and restart from zero") {
  metrics meters;
  for (const auto* name : {"dest_a", "dest_ab"}) {
    meters.webhook_pending(name).Set(1);
    meters.webhook_in_flight(name).Set(1);
    meters.webhook_oldest_seconds(name).Set(1);
    meters.webhook_breaker(name).Set(1);
    meters.webhook_attempts(name, "delivered").Increment();
    meters.webhook_attempts(name, "rejected").Increment();
  }
  meters.forget_destination("dest_a");
  const auto text = meters.expose();
  CHECK(text.find(R"(destination="dest_a")") == std::string::npos);
  CHECK(has_line(text, R"(gateway_webhook_pending{destination="dest_ab"} 1)"));
  CHECK(has_line(text, R"(gateway_webhook_attempts_total{destination="dest_ab",result="rejected"} 1)"));
  meters.webhook_attempts("dest_a", "delivered").Increment();
  CHECK(has_line(meters.expose(), R"(gateway_webhook_attempts_total{destination="dest_a",result="delivered"} 1)"));
}

TEST_CASE("webhooks are counted by destination") {
  metrics meters;
  CHECK(&meters.webhook_pending("dest_a") == &meters.webhook_pending("dest_a"));
  CHECK(&meters.webhook_pending("dest_a") != &meters.webhook_pending("dest_b"));
  meters.webhook_pending("dest_a").Set(3);
  meters.webhook_in_flight("dest_a").Increment();
  meters.webhook_oldest_seconds("dest_a").Set(61);
  meters.webhook_breaker("dest_b").Set(2);
  meters.webhook_attempts("dest_a", "rejected").Increment();
  meters.webhook_attempt_seconds.Observe(0.0005);
  meters.webhook_commit_to_arrival_seconds.Observe(20'000);
  const auto text = meters.expose();
  CHECK(has_line(text, R"(gateway_webhook_pending{destination="dest_a"} 3)"));
  CHECK(has_line(text, R"(gateway_webhook_in_flight{destination="dest_a"} 1)"));
  CHECK(has_line(text, R"(gateway_webhook_oldest_seconds{destination="dest_a"} 61)"));
  CHECK(has_line(text, R"(gateway_webhook_breaker{destination="dest_b"} 2)"));
  CHECK(has_line(text, R"(gateway_webhook_attempts_total{destination="dest_a",result="rejected"} 1)"));
  CHECK(has_line(text, R"(gateway_webhook_attempt_seconds_bucket{le="0.001"} 1)"));
  CHECK(has_line(text, R"(gateway_webhook_commit_to_arrival_seconds_bucket{le="43200"} 1)"));
}

TEST_CASE("threads count into one series without losing counts") {
  metrics meters;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&meters] {
      for (int i = 0; i < 1000; ++i) meters.requests("/r" + std::to_string(i % 10), 200).Increment();
    });
  for (auto& t : threads) t.join();
  double sum = 0;
  for (int i = 0; i < 10; ++i) sum += meters.requests("/r" + std::to_string(i), 200).Value();
  CHECK(sum == 4000);
}

TEST_CASE("the dashboard and the alert rules use only metrics that exist") {
  metrics meters;
  meters.requests("/r", 200);
  meters.request_seconds("/r");
  meters.units("committed");
  meters.provider_calls("sandbox", "capture", "approved");
  meters.provider_breaker("stripe", "live");
  meters.provider_notifications("stripe", "live", "accepted");
  meters.rate_limited("key");
  meters.rate_limit_buckets("key");
  meters.webhook_pending("dest_a");
  meters.webhook_in_flight("dest_a");
  meters.webhook_oldest_seconds("dest_a");
  meters.webhook_breaker("dest_a");
  meters.webhook_attempts("dest_a", "delivered");
  meters.nodes("up");
  meters.node_requests("passed");
  meters.entities_owned("payment");
  meters.shed("waiting");
  const auto exposed = meters.expose(),
             dashboard = content_of(GATEWAY_DASHBOARD_FILE) + content_of(GATEWAY_ALERTS_FILE);
  std::set<std::string> asked;
  const std::regex name{"gateway_[a-z_]+"};
  for (auto at = std::sregex_iterator{dashboard.begin(), dashboard.end(), name}; at != std::sregex_iterator{}; ++at)
    asked.insert(at->str());
  CHECK(asked.size() > 15);
  for (const auto& one : asked) {
    INFO(one);
    CHECK(std::regex_search(exposed, std::regex{"(^|\n)" + one + "[ {]"}));
  }
}
