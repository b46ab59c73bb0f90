// A scenario decides which requests are sent, and learns from their answers. The engine decides when they are sent.
//
// A schedule counts requests, not payments: each of its slots takes the scenario's next request. A scenario of several
// steps gives a payment's next step once the step before it is answered. While no payment is ready for its next step it
// begins a new one, so that requests leave on time even when answers are late.
// Concurrency: one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "request.hpp"

namespace gateway::load {

class scenario {
 public:
  virtual ~scenario() = default;

  /// Appends one request, or several that are to leave at the same moment. Appends nothing if no request can be sent
  /// before the next answer.
  virtual void next(std::vector<request>& out) = 0;
  /// Called once for each request, with its answer or with the reason why there is none.
  virtual void on_answer(const request& sent, const answer& got) = 0;
};

/// A promise that the gateway did not keep.
struct violation {
  std::string what;  ///< one line that names the payment: "create of pay_x_1: two executions of one key"
  std::vector<std::string> request_ids;  ///< of the answers that prove it
};

/// What verification compared and found.
struct verification {
  bool done = false;  ///< false: verification was not requested
  std::uint64_t keys = 0;  ///< keys with one execution and byte-identical replays
  std::uint64_t payments = 0;  ///< payments read back, with state, sums and timeline
  std::uint64_t events = 0;  ///< events that arrived and were signed correctly; only with a receiver
  std::uint64_t settled = 0;  ///< requests without an answer whose outcome became known by a repeat
  std::uint64_t violations = 0;  ///< in all
  std::vector<violation> shown;  ///< the first hundred of them
  std::uint64_t customers = 0;  ///< customers read back, each as the same one all the time
  std::uint64_t subscriptions = 0;  ///< subscriptions read back, with status, cycles and events
};

}  // namespace gateway::load
