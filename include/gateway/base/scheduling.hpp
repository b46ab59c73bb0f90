// Which of the process's threads the kernel lets go first where there are more that can run than cores.
//
// A request is served by threads that run for some 20 microseconds at a time and wake up thousands of times a second.
// Each such wake-up would interrupt the few threads that everybody waits for: the store's writer here, and the
// database's own. So the others wait for their turn (docs/decisions/0014-begins-and-finishes-take-turns.md).
#pragma once

namespace gateway {

/// From now on this thread, and each that it starts, interrupts nobody when it wakes up (SCHED_BATCH of sched(7)). To
/// be called before there are others. A policy that the operator has chosen for the process stays as it is.
void take_turns() noexcept;

/// Takes that back for the calling thread: others wait for it.
void go_first() noexcept;

}  // namespace gateway
