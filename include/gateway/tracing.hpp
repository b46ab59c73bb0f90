// Spans: what a request's trace tells of the time that it took here. Every room records its own; the exporter takes
// them away in batches.
//
// Off, which is the default, costs a branch: no context is recorded then, and nobody makes a span. On, a span is kept
// in a bounded queue. When that is full it is dropped and counted: nothing ever waits for whoever collects spans.
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
#include "gateway/trace_context.hpp"

namespace gateway {

/// Nanoseconds since 1970 of the system's clock, as spans tell time. Zero: not measured.
using trace_time = std::int64_t;
trace_time trace_now() noexcept;

/// By OpenTelemetry's numbers (opentelemetry-proto, trace/v1/trace.proto).
enum class span_kind : unsigned char { internal = 1, server = 2, client = 3 };

/// Its name is a text that lives as long as the process.
struct span_attribute {
  std::string_view name;
  std::variant<std::string, std::int64_t> value;
};

/// Never a secret, a customer's data or an amount: ids, names of operations and outcomes.
struct span {
  trace_context where;  ///< its trace, and its own id
  std::uint64_t parent = 0;  ///< 0: none
  std::string name;
  span_kind kind = span_kind::internal;
  trace_time begun = 0;
  trace_time ended = 0;
  std::vector<span_attribute> attributes{};
  bool failed = false;
};

struct tracing_options {
  unsigned one_in = 10;  ///< of requests without a traceparent, so many are one that is traced; 0: none is
  unsigned callers_per_second = 100;  ///< traces that callers may ask for by their sampled flag
  std::size_t most_queued = 16'384;  ///< spans; past it they are dropped
  std::size_t batch = 512;  ///< spans at which whoever takes them is woken
};

class tracing {
 public:
  /// Off.
  tracing() = default;
  /// On. The metrics outlive it.
  tracing(tracing_options options, metrics& meters);
  tracing(const tracing&) = delete;
  tracing& operator=(const tracing&) = delete;

  /// For whom there is no other.
  static tracing& off();

  bool on() const noexcept { return meters_ != nullptr; }

  /// Where a request stands: `at` is what everything that follows from it is a part of, and `parent` is its caller's
  /// span. A caller's trace goes on, also where it is not recorded here. Whether it is, the caller's sampled flag says,
  /// within callers_per_second: anyone can set it. A request without a trace begins one if it is one of those that are
  /// traced.
  struct entry {
    trace_context at{};
    std::uint64_t parent = 0;
  };
  entry enter(std::string_view traceparent) {
    if (!on() && traceparent.empty()) return {};
    return find_entry(traceparent);
  }

  /// What is a part of `of`, under an id of its own. Where nothing is recorded, the context as it is: it is told on.
  trace_context within(const trace_context& of) {
    auto inner = of;
    if (of.recorded) inner.span = fresh_id();
    return inner;
  }

  /// When something begins that becomes a span of `of`; 0 where nothing is recorded.
  trace_time begin(const trace_context& of) const noexcept { return of.recorded && on() ? trace_now() : 0; }

  void record(span&& done);

  /// At most so many, the oldest first.
  std::vector<span> take(std::size_t most);
  std::size_t queued() const;
  void count_exported(std::size_t spans);
  void count_dropped(std::size_t spans);

  const tracing_options& options() const noexcept { return options_; }
  /// Called, on whichever thread, when the queue has grown to a batch. Empty: nobody is told any more.
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
  std::int64_t asked_in_second_ = 0;  ///< which
  unsigned asked_ = 0;  ///< in that second

  mutable std::mutex access_;
  std::vector<span> queue_;
  std::function<void()> wake_;
};

}  // namespace gateway
