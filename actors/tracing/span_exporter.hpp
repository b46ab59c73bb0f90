// Sends spans to a collector, in batches. No request waits for it: while the collector is unreachable, spans are
// dropped.
#pragma once

#include <chrono>

#include <caf/actor_system.hpp>
#include <caf/typed_actor.hpp>

#include "gateway/base/tracing.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/http_client.hpp"
#include "otlp_json.hpp"
#include "process/runs_on.hpp"

namespace gateway::actors {

struct exporter_settings {
  std::string url;  ///< of the collector's endpoint for traces
  trace_source source;
  std::chrono::milliseconds interval{1'000};  ///< the longest time that a span waits for a batch to fill
  std::chrono::milliseconds first_pause{1'000};  ///< before a batch is sent again; doubles each time
  std::chrono::milliseconds longest_pause{30'000};  ///< also if the collector asks for a longer one
  unsigned attempts = 4;  ///< of one batch, the first included
};

/// On drain_atom it sends what is queued, each batch once, and then answers.
using span_exporter = caf::typed_actor<caf::reacts_to<wake_atom>, caf::replies_to<drain_atom>::with<bool>>;

/// `traces` and `client` must outlive the actor; `client` must also outlive its last request. A batch that the
/// collector cannot accept for the moment (OTLP: 429, 502, 503, 504, or no answer) is sent again, after Retry-After if
/// given; a batch that it refuses is dropped. The actor has its own thread, so that encoding spans does not delay
/// payments.
span_exporter spawn_span_exporter(caf::actor_system& system, tracing& traces, http_client& client,
                                  exporter_settings settings, runs_on where = runs_on::own_thread);

}  // namespace gateway::actors
