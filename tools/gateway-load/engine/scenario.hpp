// What is asked of the gateway, one request after the other, and what is learnt from its answers. The engine decides
// when.
//
// A schedule counts requests, not payments: each slot of it takes what the scenario gives next. A scenario of several
// steps gives a payment's next step once the one before it is answered, and begins a new payment while none is ready,
// so that requests leave on time whatever the answers do.
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

  /// Appends what leaves next: one request, or several that leave at the same moment. Nothing appended: nothing is left
  /// to be sent before an answer has come.
  virtual void next(std::vector<request>& out) = 0;
  /// Once for each request given, with its answer, or with why there is none.
  virtual void heard(const request& sent, const answer& got) = 0;
};

/// A promise that the gateway did not keep.
struct violation {
  std::string what;  ///< one line: "two executions of one key", and of which payment
  std::vector<std::string> request_ids;  ///< of the answers that show it
};

/// What verification found. Each number counts what was compared.
struct verification {
  bool done = false;  ///< false: it was not asked for
  std::uint64_t keys = 0;  ///< had one execution, and byte-identical replays
  std::uint64_t payments = 0;  ///< read back: state, sums, and timeline
  std::uint64_t events = 0;  ///< arrived, rightly signed; only with a receiver
  std::uint64_t settled = 0;  ///< requests without an answer whose outcome was asked for again
  std::uint64_t violations = 0;  ///< in all
  std::vector<violation> shown;  ///< the first hundred of them
};

}  // namespace gateway::load
