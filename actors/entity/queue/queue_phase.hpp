// What an entity's queue is doing: at most one request is in progress, and a loop starts those that wait. Pure.
#pragma once

#include <optional>

namespace gateway::actors {

enum class queue_phase : unsigned char {
  idle,       ///< no request is in progress, and none waits
  advancing,  ///< the loop over the waiting requests takes the next one
  starting,   ///< the loop has started a request, and is still further up the call stack
  running,    ///< a request is in progress
  suspended,  ///< the request in progress waits for another node's operation
};

enum class queue_event : unsigned char {
  begin,    ///< a request begins
  suspend,  ///< it waits for another node
  resume,   ///< it continues
  end,      ///< it has ended
  unwind,   ///< the call by which the loop started a request has returned, and the request is still in progress
  exhaust,  ///< no request waits
};

/// The phase after the event; nullopt: the event cannot happen in this phase.
constexpr std::optional<queue_phase> after(queue_phase now, queue_event event) noexcept {
  switch (now) {
    case queue_phase::idle:
      if (event == queue_event::begin) return queue_phase::running;
      break;
    case queue_phase::advancing:
      if (event == queue_event::begin) return queue_phase::starting;
      if (event == queue_event::exhaust) return queue_phase::idle;
      break;
    case queue_phase::starting:
      if (event == queue_event::suspend) return queue_phase::suspended;
      if (event == queue_event::end) return queue_phase::advancing;
      if (event == queue_event::unwind) return queue_phase::running;
      break;
    case queue_phase::running:
      if (event == queue_event::suspend) return queue_phase::suspended;
      if (event == queue_event::end) return queue_phase::advancing;
      break;
    case queue_phase::suspended:
      if (event == queue_event::resume) return queue_phase::running;
      if (event == queue_event::unwind) return queue_phase::suspended;
      break;
  }
  return std::nullopt;
}

/// Whether a request begins that is not in progress yet.
constexpr bool is_free(queue_phase now) noexcept { return now == queue_phase::idle || now == queue_phase::advancing; }

}  // namespace gateway::actors
