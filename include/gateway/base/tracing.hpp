// Spans, which show where the time of a request was spent. Every part of the gateway records its own spans; the
// exporter sends them in batches.
//
// Tracing is off by default and then costs one branch: contexts are not recorded, so no spans are made. When it is on,
// spans go into a bounded queue. A full queue drops new spans and counts them: no request waits for the collector.
//
// Concurrency: any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/base/metrics.hpp"
#include "gateway/base/trace_context.hpp"

namespace gateway {

/// Nanoseconds since 1970 on the system clock, as spans state time. Zero: not measured.
using trace_time = std::int64_t;
trace_time trace_now() noexcept;

/// OpenTelemetry's numbers (opentelemetry-proto, trace/v1/trace.proto).
enum class span_kind : unsigned char { internal = 1, server = 2, client = 3 };

/// `name` points to text that lives as long as the process.
struct span_attribute {
  std::string_view name;
  std::variant<std::string, std::int64_t> value;
};

/// Holds ids, names of operations and outcomes; never a secret, a customer's data or an amount.
struct span {
  trace_context where;  ///< the span's trace, and its own id
  std::uint64_t parent = 0;  ///< 0: none
  std::string name;
  span_kind kind = span_kind::internal;
  trace_time begun = 0;
  trace_time ended = 0;
  std::vector<span_attribute> attributes{};
  bool failed = false;
};

struct tracing_options {
  unsigned one_in = 10;  ///< one in this many requests without a traceparent is traced; 0: none
  unsigned callers_per_second = 100;  ///< traces that callers may request by their sampled flag
  std::size_t most_queued = 16'384;  ///< spans; any more are dropped
  std::size_t batch = 512;  ///< spans at which the exporter is woken
};

class tracing {
 public:
  /// Tracing is off.
  tracing() = default;
  /// Tracing is on. `meters` must outlive this.
  tracing(tracing_options options, metrics& meters);
  tracing(const tracing&) = delete;
  tracing& operator=(const tracing&) = delete;

  /// A shared instance that is off, for callers without one of their own.
  static tracing& off();

  bool on() const noexcept { return meters_ != nullptr; }

  /// The request's place in a trace: `at` is the parent of everything that the request causes, and `parent` is its
  /// caller's span. A caller's trace is continued even if this gateway does not record it. The caller's sampled flag
  /// decides whether it is recorded, up to callers_per_second, because any caller can set the flag. A request without a
  /// trace starts one if it is sampled (one_in).
  struct entry {
    trace_context at{};
    std::uint64_t parent = 0;
  };
  entry enter(std::string_view traceparent) {
    if (!on() && traceparent.empty()) return {};
    return find_entry(traceparent);
  }

  /// A child context of `of` with a new span id; `of` unchanged if it is not recorded.
  trace_context within(const trace_context& of) {
    auto inner = of;
    if (of.recorded) inner.span = fresh_id();
    return inner;
  }

  /// The start time of a span within `of`; 0 if it is not recorded.
  trace_time begin(const trace_context& of) const noexcept { return of.recorded && on() ? trace_now() : 0; }

  void record(span&& done);

  /// Takes at most `most` spans, the oldest first.
  std::vector<span> take(std::size_t most);
  std::size_t queued() const;
  void count_exported(std::size_t spans);
  void count_dropped(std::size_t spans);

  const tracing_options& options() const noexcept { return options_; }
  /// Sets what is called, on any thread, when the queue has grown to a batch. Empty: nothing is called.
  void when_a_batch_is_there(std::function<void()> call);

 private:
  entry find_entry(std::string_view traceparent);
  bool caller_may_ask();
  std::uint64_t fresh_id() noexcept;

  const tracing_options options_{};
  metrics* const meters_ = nullptr;
  const std::uint64_t seed_ = 0;
  const std::uint64_t trace_seed_ = 0;
  std::atomic<std::uint64_t> ids_{0};

  std::mutex asking_;
  std::int64_t asked_in_second_ = 0;  ///< the second that `asked_` counts
  unsigned asked_ = 0;  ///< in that second

  mutable std::mutex access_;
  std::vector<span> queue_;
  std::function<void()> wake_;
};

}  // namespace gateway
