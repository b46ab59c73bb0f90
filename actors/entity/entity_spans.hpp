// The spans that an entity adds to the trace of a request, if the trace is recorded:
//
//   wait      from the request until the entity starts to work on it
//   begin     the commit of the intent (finish: of the outcome; conclude: of a command that needs no provider)
//   provider  a call of the provider
//
// An entity runs one request at a time. If the trace is not recorded, each of these functions costs a branch.
#pragma once

#include <optional>
#include <string_view>

#include "gateway/base/tracing.hpp"
#include "gateway/messages/actors.hpp"

namespace gateway::actors {

/// A call of a provider that is in progress.
struct provider_span {
  trace_context where;  ///< sent to the provider
  trace_time begun = 0;  ///< 0: not recorded
};

class entity_spans {
 public:
  void start(tracing& traces, const entity_key& of) {
    traces_ = &traces;
    of_ = &of;
  }

  /// Starts or resumes the request's trace.
  void take(entity_request& request) {
    trace_ = request.trace;
    if (request.traced_from != 0) waited(request);
  }
  /// Ends the request's trace.
  void release() noexcept { trace_ = {}; }
  const trace_context& trace() const noexcept { return trace_; }

  /// The time at which a commit begins; 0: not recorded.
  trace_time begin() const noexcept { return traces_->begin(trace_); }
  void committed(unit_kind what, trace_time begun, commit_outcome outcome) {
    if (begun != 0) record_commit(what, begun, outcome);
  }

  provider_span begin_call() { return {traces_->within(trace_), begin()}; }
  void called(const provider_span& call, provider_kind provider, std::string_view operation, provider_status status,
              const std::optional<provider_error>& error) {
    if (call.begun != 0) record_call(call, provider, operation, status, error);
  }

 private:
  void waited(entity_request& request);
  void record_commit(unit_kind what, trace_time begun, commit_outcome outcome);
  void record_call(const provider_span& call, provider_kind provider, std::string_view operation,
                   provider_status status, const std::optional<provider_error>& error);
  span span_of(std::string_view name, trace_time begun) const;

  tracing* traces_ = &tracing::off();
  const entity_key* of_ = nullptr;
  trace_context trace_;
};

}  // namespace gateway::actors
