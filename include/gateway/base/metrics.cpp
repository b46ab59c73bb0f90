#include "gateway/base/metrics.hpp"

#include <map>
#include <mutex>
#include <shared_mutex>

#include <prometheus/text_serializer.h>

#include "gateway/base/log.hpp"

namespace gateway {

namespace {

using prometheus::Histogram;
using prometheus::Labels;

Histogram::BucketBoundaries request_buckets() {
  return {0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};
}
Histogram::BucketBoundaries commit_buckets() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5};
}
Histogram::BucketBoundaries attempt_buckets() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};
}
/// The buckets reach the length of the longest retry schedule, because a delivery may arrive at its last attempt.
Histogram::BucketBoundaries arrival_buckets() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1'800, 7'200, 43'200};
}
Histogram::BucketBoundaries batch_buckets() { return {1, 2, 4, 8, 16, 32, 64, 128, 256}; }

prometheus::Family<prometheus::Counter>& counter_family(prometheus::Registry& in, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(in);
}
prometheus::Family<prometheus::Gauge>& gauge_family(prometheus::Registry& in, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(in);
}
prometheus::Family<Histogram>& histogram_family(prometheus::Registry& in, const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(in);
}

prometheus::Counter& counter(prometheus::Registry& in, const char* name, const char* help) {
  return counter_family(in, name, help).Add({});
}
prometheus::Gauge& gauge(prometheus::Registry& in, const char* name, const char* help) {
  return gauge_family(in, name, help).Add({});
}

/// The series of one family by their label values. Most look-ups find an existing series, so the lock is held shared.
/// The family's own look-up is not used, because it would build and hash a map of strings each time.
template <class Metric>
class series {
 public:
  template <class Make>
  Metric& find_or_make(std::string key, Make make) {
    {
      const std::shared_lock reading{mutex_};
      if (const auto at = known_.find(key); at != known_.end()) return *at->second;
    }
    const std::unique_lock writing{mutex_};
    auto& slot = known_[std::move(key)];
    if (slot == nullptr) slot = &make();
    return *slot;
  }

  /// Removes from `family` the series whose first label has this value.
  void forget(const std::string& value, prometheus::Family<Metric>& family) {
    const std::unique_lock writing{mutex_};
    for (auto at = known_.lower_bound(value); at != known_.end() && at->first.starts_with(value);) {
      if (at->first.size() > value.size() && at->first[value.size()] != '\n') {
        ++at;
        continue;
      }
      family.Remove(at->second);
      at = known_.erase(at);
    }
  }

 private:
  std::shared_mutex mutex_;
  std::map<std::string, Metric*> known_;
};

}  // namespace

struct metrics::families {
  explicit families(prometheus::Registry& in)
      : requests(
            counter_family(in, "gateway_http_requests_total", "HTTP requests answered, by route pattern and status.")),
        request_seconds(
            histogram_family(in, "gateway_http_request_seconds", "From first byte to answer, by route pattern.")),
        units(counter_family(in, "gateway_store_units_total", "Units of work, by outcome.")),
        provider_calls(counter_family(in, "gateway_provider_calls_total",
                                      "Calls to providers, by provider, operation and result.")),
        provider_breaker(gauge_family(in, "gateway_provider_breaker",
                                      "1 while new payments pass a provider over because it fails.")),
        provider_notifications(counter_family(in, "gateway_provider_notifications_total",
                                              "Notifications of providers, by provider, environment and result.")),
        shed(counter_family(in, "gateway_writes_shed_total",
                            "Writes refused because the gateway is overloaded, by reason.")),
        rate_limited(counter_family(in, "gateway_rate_limited_total",
                                    "Requests answered 429 because a caller sent too many, by the kind of limit.")),
        rate_limit_buckets(gauge_family(in, "gateway_rate_limit_buckets",
                                        "Callers who have used some of what they may send, by the kind of limit.")),
        webhook_pending(
            gauge_family(in, "gateway_webhook_pending", "Deliveries that have not arrived yet, by destination.")),
        webhook_in_flight(
            gauge_family(in, "gateway_webhook_in_flight", "Delivery attempts under way, by destination.")),
        webhook_oldest(
            gauge_family(in, "gateway_webhook_oldest_seconds", "Age of the oldest pending delivery, by destination.")),
        webhook_breaker(gauge_family(in, "gateway_webhook_breaker",
                                     "0: attempts are made, 1: they pause, 2: one probes; by destination.")),
        webhook_attempts(
            counter_family(in, "gateway_webhook_attempts_total", "Delivery attempts, by destination and result.")),
        nodes(gauge_family(in, "gateway_nodes", "Live nodes that share the database, by status.")),
        node_requests(counter_family(
            in, "gateway_node_requests_total",
            "Requests that met another node: passed to its open operation, taken back because it did not "
            "answer, or lost to its commit and run again.")),
        entities_owned(gauge_family(in, "gateway_entities_owned", "Entities in memory that this node owns, by kind.")) {
  }

  prometheus::Family<prometheus::Counter>& requests;
  prometheus::Family<Histogram>& request_seconds;
  prometheus::Family<prometheus::Counter>& units;
  prometheus::Family<prometheus::Counter>& provider_calls;
  prometheus::Family<prometheus::Gauge>& provider_breaker;
  prometheus::Family<prometheus::Counter>& provider_notifications;
  prometheus::Family<prometheus::Counter>& shed;
  prometheus::Family<prometheus::Counter>& rate_limited;
  prometheus::Family<prometheus::Gauge>& rate_limit_buckets;
  prometheus::Family<prometheus::Gauge>& webhook_pending;
  prometheus::Family<prometheus::Gauge>& webhook_in_flight;
  prometheus::Family<prometheus::Gauge>& webhook_oldest;
  prometheus::Family<prometheus::Gauge>& webhook_breaker;
  prometheus::Family<prometheus::Counter>& webhook_attempts;
  prometheus::Family<prometheus::Gauge>& nodes;
  prometheus::Family<prometheus::Counter>& node_requests;
  prometheus::Family<prometheus::Gauge>& entities_owned;

  std::mutex exposing;  ///< one exposition at a time: each takes over the log's own count
  series<prometheus::Counter> requests_by_route;
  series<Histogram> seconds_by_route;
  series<prometheus::Counter> units_by_outcome;
  series<prometheus::Counter> calls_by_result;
  series<prometheus::Gauge> breaker_by_provider;
  series<prometheus::Counter> notifications_by_result;
  series<prometheus::Counter> shed_by_reason;
  series<prometheus::Counter> rate_limited_by_kind;
  series<prometheus::Gauge> buckets_by_kind;
  series<prometheus::Gauge> pending_by_destination;
  series<prometheus::Gauge> in_flight_by_destination;
  series<prometheus::Gauge> oldest_by_destination;
  series<prometheus::Gauge> breaker_by_destination;
  series<prometheus::Counter> attempts_by_result;
  series<prometheus::Gauge> nodes_by_status;
  series<prometheus::Counter> node_requests_by_way;
  series<prometheus::Gauge> owned_by_kind;
};

metrics::metrics() : metrics(std::make_shared<prometheus::Registry>()) {}

metrics::metrics(std::shared_ptr<prometheus::Registry> registry)
    : requests_in_flight(gauge(*registry, "gateway_http_requests_in_flight", "HTTP requests being answered now.")),
      connections(gauge(*registry, "gateway_http_connections", "Open client connections.")),
      connections_refused(
          counter(*registry, "gateway_http_connections_refused_total", "Connections refused at a limit.")),
      connections_evicted(counter(*registry, "gateway_http_connections_evicted_total",
                                  "Idle and half-open connections closed to make room for others.")),
      commits(counter(*registry, "gateway_store_commits_total", "Transactions committed.")),
      commit_failures(counter(*registry, "gateway_store_commit_failures_total",
                              "Transactions that failed or whose outcome is unknown.")),
      batch_units(histogram_family(*registry, "gateway_store_batch_units", "Units of work in one transaction.")
                      .Add({}, batch_buckets())),
      commit_seconds(histogram_family(*registry, "gateway_store_commit_seconds",
                                      "Duration of a transaction, from its first statement to its commit.")
                         .Add({}, commit_buckets())),
      store_up(gauge(*registry, "gateway_store_up", "1 while the database answers.")),
      store_locked_out(gauge(*registry, "gateway_store_locked_out", "1 while another gateway holds the database.")),
      clock_suspect(gauge(*registry, "gateway_clock_suspect",
                          "1 while the wall clock is not trusted: nothing is purged or expired.")),
      taken_keys(
          counter(*registry, "gateway_idempotency_keys_taken_total", "Idempotency keys used for the first time.")),
      purged_keys(
          counter(*registry, "gateway_idempotency_keys_purged_total", "Idempotency keys deleted by their age.")),
      purge_overdue_seconds(gauge(*registry, "gateway_idempotency_purge_overdue_seconds",
                                  "How long the oldest idempotency key should have been gone.")),
      purge_step_seconds(histogram_family(*registry, "gateway_store_purge_step_seconds",
                                          "Duration of one transaction that deletes old idempotency keys.")
                             .Add({}, commit_buckets())),
      live_payments(gauge(*registry, "gateway_payment_actors", "Payment actors in memory.")),
      known_merchants(gauge(*registry, "gateway_directory_merchants",
                            "Merchants in memory: those that have been asked for since the start.")),
      activations(counter(*registry, "gateway_payment_activations_total", "Payment actors started.")),
      replays(
          counter(*registry, "gateway_idempotent_replays_total", "Results sent again for a repeated idempotency key.")),
      settled(counter(*registry, "gateway_payments_settled_total", "Payments settled by the reconciler.")),
      log_dropped(
          counter(*registry, "gateway_log_lines_dropped_total", "Log lines dropped because their queue was full.")),
      trace_spans_exported(
          counter(*registry, "gateway_trace_spans_exported_total", "Spans that the collector of traces has taken.")),
      trace_spans_dropped(counter(*registry, "gateway_trace_spans_dropped_total",
                                  "Spans that were lost: their queue was full, or the collector did not take them.")),
      writes_waiting(gauge(*registry, "gateway_writes_waiting", "Writes admitted that have not begun yet.")),
      writes_waiting_limit(
          gauge(*registry, "gateway_writes_waiting_limit", "How many writes may wait, found from how long they do.")),
      webhook_workers_busy(
          gauge(*registry, "gateway_webhook_workers_busy", "Webhook workers with an attempt under way.")),
      webhook_lag_seconds(gauge(*registry, "gateway_webhook_lag_seconds",
                                "How long the oldest delivery has been due that only the gateway keeps back.")),
      webhook_write_limit(
          gauge(*registry, "gateway_webhook_write_limit",
                "New writes a second that are let in while webhooks fall behind; 0 while they do not.")),
      webhook_worker_restarts(
          counter(*registry, "gateway_webhook_worker_restarts_total", "Webhook workers that died and were replaced.")),
      webhook_attempt_seconds(
          histogram_family(*registry, "gateway_webhook_attempt_seconds", "One delivery attempt, whatever came of it.")
              .Add({}, attempt_buckets())),
      webhook_commit_to_arrival_seconds(histogram_family(*registry, "gateway_webhook_commit_to_arrival_seconds",
                                                         "From an event's commit to its delivery, over all attempts.")
                                            .Add({}, arrival_buckets())),
      node_lease_seconds(gauge(
          *registry, "gateway_node_lease_seconds",
          "How long this node may serve without renewing its lease; 0: it has none and serves nothing, or it is a "
          "gateway that serves alone and needs none.")),
      directory_log_number(gauge(*registry, "gateway_directory_log_number",
                                 "Up to which number of the directory's log this node has published.")),
      directory_age_seconds(gauge(*registry, "gateway_directory_age_seconds",
                                  "How long ago the published directory was last known to be complete; 0 of a gateway "
                                  "that serves alone.")),
      audit_entries(gauge(*registry, "gateway_audit_entries", "Entries of the audit log that are linked to a chain.")),
      audit_witnessed_at(gauge(*registry, "gateway_audit_witnessed_timestamp_seconds",
                               "When the ends of the audit log's chains were last read for the process log.")),
      backup_made_at(gauge(*registry, "gateway_backup_last_success_timestamp_seconds",
                           "When the last backup was made that the audit log names; 0: it names none.")),
      recovery_required(gauge(*registry, "gateway_recovery_required",
                              "1 while the database is older than what this gateway has answered, and no writes are "
                              "taken.")),
      certificate_expires_at(gauge(*registry, "gateway_certificate_expires_timestamp_seconds",
                                   "When the certificate of the public listener expires.")),
      payment_contradictions(counter(*registry, "gateway_payment_contradictions_total",
                                     "Payments that are otherwise at their provider than was settled here, such as one "
                                     "that was paid after it had failed.")),
      registry_(std::move(registry)),
      families_(std::make_unique<families>(*registry_)) {}

metrics::~metrics() = default;

std::string metrics::expose() const {
  const std::lock_guard alone{families_->exposing};
  if (const auto missing = static_cast<double>(log::dropped()) - log_dropped.Value(); missing > 0)
    log_dropped.Increment(missing);
  return prometheus::TextSerializer{}.Serialize(registry_->Collect());
}

prometheus::Counter& metrics::requests(std::string_view route, int status) {
  const auto code = std::to_string(status);
  return families_->requests_by_route.find_or_make(code + std::string{route}, [&]() -> prometheus::Counter& {
    return families_->requests.Add({{"route", std::string{route}}, {"status", code}});
  });
}

prometheus::Histogram& metrics::request_seconds(std::string_view route) {
  return families_->seconds_by_route.find_or_make(std::string{route}, [&]() -> Histogram& {
    return families_->request_seconds.Add({{"route", std::string{route}}}, request_buckets());
  });
}

prometheus::Counter& metrics::units(std::string_view outcome) {
  return families_->units_by_outcome.find_or_make(std::string{outcome}, [&]() -> prometheus::Counter& {
    return families_->units.Add({{"outcome", std::string{outcome}}});
  });
}

prometheus::Counter& metrics::shed(std::string_view reason) {
  return families_->shed_by_reason.find_or_make(std::string{reason}, [&]() -> prometheus::Counter& {
    return families_->shed.Add({{"reason", std::string{reason}}});
  });
}

prometheus::Counter& metrics::rate_limited(std::string_view kind) {
  return families_->rate_limited_by_kind.find_or_make(std::string{kind}, [&]() -> prometheus::Counter& {
    return families_->rate_limited.Add({{"kind", std::string{kind}}});
  });
}

prometheus::Gauge& metrics::rate_limit_buckets(std::string_view kind) {
  return families_->buckets_by_kind.find_or_make(std::string{kind}, [&]() -> prometheus::Gauge& {
    return families_->rate_limit_buckets.Add({{"kind", std::string{kind}}});
  });
}

prometheus::Counter& metrics::provider_calls(std::string_view provider, std::string_view operation,
                                             std::string_view result) {
  const std::string name{provider}, what{operation}, how{result};
  return families_->calls_by_result.find_or_make(name + '\n' + what + '\n' + how, [&]() -> prometheus::Counter& {
    return families_->provider_calls.Add({{"provider", name}, {"operation", what}, {"result", how}});
  });
}

prometheus::Gauge& metrics::provider_breaker(std::string_view provider, std::string_view environment) {
  const std::string name{provider}, in{environment};
  return families_->breaker_by_provider.find_or_make(name + '\n' + in, [&]() -> prometheus::Gauge& {
    return families_->provider_breaker.Add({{"provider", name}, {"environment", in}});
  });
}

prometheus::Counter& metrics::provider_notifications(std::string_view provider, std::string_view environment,
                                                     std::string_view result) {
  const std::string name{provider}, env{environment}, how{result};
  return families_->notifications_by_result.find_or_make(name + '\n' + env + '\n' + how, [&]() -> prometheus::Counter& {
    return families_->provider_notifications.Add({{"provider", name}, {"environment", env}, {"result", how}});
  });
}

namespace {
prometheus::Gauge& of_destination(series<prometheus::Gauge>& known, prometheus::Family<prometheus::Gauge>& family,
                                  std::string_view destination) {
  return known.find_or_make(std::string{destination}, [&]() -> prometheus::Gauge& {
    return family.Add({{"destination", std::string{destination}}});
  });
}
}  // namespace

prometheus::Gauge& metrics::webhook_pending(std::string_view destination) {
  return of_destination(families_->pending_by_destination, families_->webhook_pending, destination);
}

prometheus::Gauge& metrics::webhook_in_flight(std::string_view destination) {
  return of_destination(families_->in_flight_by_destination, families_->webhook_in_flight, destination);
}

prometheus::Gauge& metrics::webhook_oldest_seconds(std::string_view destination) {
  return of_destination(families_->oldest_by_destination, families_->webhook_oldest, destination);
}

prometheus::Gauge& metrics::webhook_breaker(std::string_view destination) {
  return of_destination(families_->breaker_by_destination, families_->webhook_breaker, destination);
}

prometheus::Gauge& metrics::nodes(std::string_view status) {
  return families_->nodes_by_status.find_or_make(std::string{status}, [&]() -> prometheus::Gauge& {
    return families_->nodes.Add({{"status", std::string{status}}});
  });
}

prometheus::Counter& metrics::node_requests(std::string_view way) {
  return families_->node_requests_by_way.find_or_make(std::string{way}, [&]() -> prometheus::Counter& {
    return families_->node_requests.Add({{"way", std::string{way}}});
  });
}

prometheus::Gauge& metrics::entities_owned(std::string_view kind) {
  return families_->owned_by_kind.find_or_make(std::string{kind}, [&]() -> prometheus::Gauge& {
    return families_->entities_owned.Add({{"kind", std::string{kind}}});
  });
}

prometheus::Counter& metrics::webhook_attempts(std::string_view destination, std::string_view result) {
  const std::string where{destination}, how{result};
  return families_->attempts_by_result.find_or_make(where + '\n' + how, [&]() -> prometheus::Counter& {
    return families_->webhook_attempts.Add({{"destination", where}, {"result", how}});
  });
}

void metrics::forget_destination(std::string_view destination) {
  const std::string where{destination};
  families_->pending_by_destination.forget(where, families_->webhook_pending);
  families_->in_flight_by_destination.forget(where, families_->webhook_in_flight);
  families_->oldest_by_destination.forget(where, families_->webhook_oldest);
  families_->breaker_by_destination.forget(where, families_->webhook_breaker);
  families_->attempts_by_result.forget(where, families_->webhook_attempts);
}

}  // namespace gateway
