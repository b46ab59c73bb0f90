// The gateway's metrics, under their Prometheus names. The composition root creates them once; every part counts.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>
#include <string_view>

namespace gateway {

class metrics {
 public:
  metrics();

  prometheus::Registry& registry() noexcept { return *registry_; }
  /// Prometheus text exposition.
  std::string expose() const;

  /// gateway_http_requests_total{route,status}: callers keep the reference, because a look-up takes a lock.
  prometheus::Counter& requests(std::string_view route, int status);
  /// gateway_http_request_seconds{route}
  prometheus::Histogram& request_seconds(std::string_view route);
  prometheus::Gauge& requests_in_flight;   ///< gateway_http_requests_in_flight
  prometheus::Gauge& connections;          ///< gateway_http_connections
  prometheus::Counter& connections_refused;///< gateway_http_connections_refused_total
  prometheus::Counter& connections_evicted;///< gateway_http_connections_evicted_total
  prometheus::Counter& commits;            ///< gateway_store_commits_total: transactions
  prometheus::Counter& commit_failures;    ///< gateway_store_commit_failures_total
  prometheus::Counter& units(std::string_view outcome);  ///< gateway_store_units_total{outcome}
  prometheus::Histogram& batch_units;      ///< gateway_store_batch_units
  prometheus::Histogram& commit_seconds;   ///< gateway_store_commit_seconds
  prometheus::Gauge& store_up;             ///< gateway_store_up: 1 while the database answers
  prometheus::Gauge& store_locked_out;     ///< gateway_store_locked_out: 1 while another gateway holds the database
  prometheus::Gauge& clock_suspect;        ///< gateway_clock_suspect: 1 while nothing is purged or expired
  prometheus::Counter& taken_keys;         ///< gateway_idempotency_keys_taken_total
  prometheus::Counter& purged_keys;        ///< gateway_idempotency_keys_purged_total
  /// gateway_idempotency_purge_overdue_seconds: for how long the oldest key has been due for purging; 0 if none is.
  prometheus::Gauge& purge_overdue_seconds;
  prometheus::Histogram& purge_step_seconds; ///< gateway_store_purge_step_seconds: one transaction of the purge
  prometheus::Gauge& live_payments;        ///< gateway_payment_actors
  prometheus::Gauge& known_merchants;      ///< gateway_directory_merchants
  prometheus::Counter& activations;        ///< gateway_payment_activations_total
  prometheus::Counter& replays;            ///< gateway_idempotent_replays_total
  prometheus::Counter& settled;            ///< gateway_payments_settled_total: by the reconciler
  prometheus::Counter& log_dropped;        ///< gateway_log_lines_dropped_total
  /// gateway_trace_spans_exported_total: spans that a collector has accepted
  prometheus::Counter& trace_spans_exported;
  prometheus::Counter& trace_spans_dropped;  ///< gateway_trace_spans_dropped_total
  prometheus::Gauge& writes_waiting;  ///< gateway_writes_waiting: admitted writes that have not begun yet
  /// gateway_writes_waiting_limit: how many writes may wait, derived from how long they wait.
  prometheus::Gauge& writes_waiting_limit;
  /// gateway_writes_shed_total{reason}: writes rejected with `overloaded`, by what was exhausted.
  prometheus::Counter& shed(std::string_view reason);
  /// gateway_rate_limited_total{kind}: requests answered 429, by the limit: of a `key`, a `platform` or an `address`.
  prometheus::Counter& rate_limited(std::string_view kind);
  /// gateway_rate_limit_buckets{kind}: callers who have used some of their limit. Computed when it is exposed.
  prometheus::Gauge& rate_limit_buckets(std::string_view kind);
  /// gateway_provider_calls_total{provider,operation,result}
  prometheus::Counter& provider_calls(std::string_view provider, std::string_view operation, std::string_view result);
  /// gateway_provider_breaker{provider,environment}: 1 while new payments bypass the provider
  prometheus::Gauge& provider_breaker(std::string_view provider, std::string_view environment);

  /// gateway_provider_notifications_total{provider,environment,result}: notifications that providers posted, by result.
  /// `accepted` was stored; `unavailable` could not be stored; `forged`, `stale` and `unreadable` were rejected;
  /// `expired` was stored and could not be applied in time.
  prometheus::Counter& provider_notifications(std::string_view provider, std::string_view environment,
                                              std::string_view result);

  // Webhooks. By destination: the destination's id.
  prometheus::Gauge& webhook_pending(
      std::string_view destination);  ///< gateway_webhook_pending{destination}: deliveries
  prometheus::Gauge& webhook_in_flight(
      std::string_view destination);  ///< gateway_webhook_in_flight{destination}: attempts
  prometheus::Gauge& webhook_oldest_seconds(
      std::string_view destination);  ///< gateway_webhook_oldest_seconds{destination}: age, 0 if none
  /// gateway_webhook_breaker{destination}: 0 closed, 1 open, 2 probing.
  prometheus::Gauge& webhook_breaker(std::string_view destination);
  /// gateway_webhook_attempts_total{destination,result}: result as to_string(attempt_result).
  prometheus::Counter& webhook_attempts(std::string_view destination, std::string_view result);
  /// Removes the series of a destination that is no longer used. References that the five functions above returned for
  /// it must no longer be used.
  void forget_destination(std::string_view destination);
  prometheus::Gauge& webhook_workers_busy;  ///< gateway_webhook_workers_busy
  /// gateway_webhook_lag_seconds: for how long the oldest due delivery has waited for the gateway alone.
  prometheus::Gauge& webhook_lag_seconds;
  /// gateway_webhook_write_limit: new writes a second that are admitted while webhooks fall behind; 0: no limit.
  prometheus::Gauge& webhook_write_limit;
  prometheus::Counter& webhook_worker_restarts;  ///< gateway_webhook_worker_restarts_total
  prometheus::Histogram&
      webhook_attempt_seconds;  ///< gateway_webhook_attempt_seconds: one attempt, from its start to its end
  /// gateway_webhook_commit_to_arrival_seconds: of deliveries that arrived, from the event's commit to the answer.
  prometheus::Histogram& webhook_commit_to_arrival_seconds;

  // Several nodes.
  prometheus::Gauge& nodes(std::string_view status);  ///< gateway_nodes{status}: live nodes as this one sees them
  prometheus::Gauge& node_lease_seconds;  ///< gateway_node_lease_seconds: how long this node may still serve
  /// gateway_node_requests_total{way}: requests that met another node on their entity; `passed` to the node that runs
  /// an operation, `taken_back` because it did not answer, or run again after a `lost_claim`.
  prometheus::Counter& node_requests(std::string_view way);
  /// gateway_directory_log_number: the log number up to which the snapshot is published
  prometheus::Gauge& directory_log_number;
  /// gateway_directory_age_seconds: since the snapshot was last known to hold everything in the log.
  prometheus::Gauge& directory_age_seconds;
  prometheus::Gauge& audit_entries;  ///< gateway_audit_entries
  /// gateway_audit_witnessed_timestamp_seconds: when the ends of the audit log's chains were last read for the log.
  prometheus::Gauge& audit_witnessed_at;
  /// gateway_backup_last_success_timestamp_seconds: the last backup in the audit log; 0: there is none.
  prometheus::Gauge& backup_made_at;
  prometheus::Gauge& recovery_required;  ///< gateway_recovery_required: 1 while writes wait for `gatewayctl recover`
  /// gateway_certificate_expires_timestamp_seconds: the end of the public listener's certificate.
  prometheus::Gauge& certificate_expires_at;
  /// gateway_payment_contradictions_total: differences at a provider that contradict a final state recorded here.
  prometheus::Counter& payment_contradictions;
  /// gateway_entities_owned{kind}: entities in memory that this node owns.
  prometheus::Gauge& entities_owned(std::string_view kind);

 private:
  struct families;
  explicit metrics(std::shared_ptr<prometheus::Registry> registry);

  std::shared_ptr<prometheus::Registry> registry_;
  std::unique_ptr<families> families_;

 public:
  ~metrics();
};

}  // namespace gateway
