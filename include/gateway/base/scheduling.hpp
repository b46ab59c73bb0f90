// The kernel's scheduling policy for the process's threads, which matters when more of them can run than there are
// cores.
//
// A request is served by threads that run for some 20 microseconds at a time and wake up thousands of times a second.
// Under the normal policy each wake-up would interrupt the threads that every request waits for: the store's writer and
// the database's own threads. So all threads but the store's writer run under the batch policy
// (docs/decisions/0014-begins-and-finishes-alternate.md).
#pragma once

namespace gateway {

/// Sets the batch policy (SCHED_BATCH of sched(7)) for this thread and for each thread that it starts from now on: a
/// thread that wakes up interrupts no other. Call it before other threads are started. A policy that the operator has
/// chosen for the process stays.
void use_batch_scheduling() noexcept;

/// Sets the normal policy for the calling thread, if use_batch_scheduling had changed it.
void use_normal_scheduling() noexcept;

}  // namespace gateway
