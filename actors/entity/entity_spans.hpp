// What an entity tells of the time that a request takes with it: spans of the request's trace, where that is recorded.
//
//   wait      from when the request was asked for until the entity has taken it up
//   begin     the commit of the intent (finish: of the outcome; conclude: of a command that needs no provider)
//   provider  a call of the provider
//
// One request runs at a time. Where nothing is recorded, each of these costs a branch.
#pragma once

#include <optional>
#include <string_view>

#include "gateway/actors.hpp"
#include "gateway/tracing.hpp"

namespace gateway::actors {

/// A call of a provider that is under way.
struct provider_span {
  trace_context where;  ///< told to the provider
  trace_time begun = 0;  ///< 0: it is no span
};

class entity_spans {
 public:
  void start(tracing& traces, const entity_key& of) {
    traces_ = &traces;
    of_ = &of;
  }

  /// The request is taken up, or goes on.
  void take(entity_request& request) {
    trace_ = request.trace;
    if (request.traced_from != 0) waited(request);
  }
  /// It is over.
  void let_go() noexcept { trace_ = {}; }
  const trace_context& trace() const noexcept { return trace_; }

  /// When a commit begins.
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
