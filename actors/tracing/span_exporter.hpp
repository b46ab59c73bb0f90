// Sends spans to a collector, in batches. Nothing waits for it: while the collector is away, spans are dropped.
#pragma once

#include <chrono>

#include <caf/actor_system.hpp>
#include <caf/typed_actor.hpp>

#include "gateway/actors.hpp"
#include "gateway/http_client.hpp"
#include "gateway/tracing.hpp"
#include "otlp_json.hpp"
#include "runs_on.hpp"

namespace gateway::actors {

struct exporter_settings {
  std::string url;  ///< of the collector: where posts of traces go
  trace_source source;
  std::chrono::milliseconds interval{1'000};  ///< how long a span waits at most for a batch to fill
  std::chrono::milliseconds first_pause{1'000};  ///< before a batch is sent again; then twice as long, and so on
  std::chrono::milliseconds longest_pause{30'000};  ///< also where the collector asks for a longer one
  unsigned attempts = 4;  ///< of one batch, the first included
};

/// Drained, it sends what is queued, each batch once, and answers when that is over.
using span_exporter = caf::typed_actor<caf::reacts_to<wake_atom>, caf::replies_to<drain_atom>::with<bool>>;

/// `traces` and `client` outlive it, and the client its last request. A batch that the collector does not take for the
/// moment (OTLP: 429, 502, 503, 504, or no answer) is sent again, after Retry-After if it says so; one that it refuses
/// is dropped. A thread of its own: encoding spans holds up no payment.
span_exporter spawn_span_exporter(caf::actor_system& system, tracing& traces, http_client& client,
                                  exporter_settings settings, runs_on where = runs_on::own_thread);

}  // namespace gateway::actors
