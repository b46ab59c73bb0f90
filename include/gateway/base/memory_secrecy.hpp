// Keeps other processes from reading the process's memory.
#pragma once

namespace gateway {

/// From now on the kernel writes no core dump of this process, and no process without CAP_SYS_PTRACE, even one of the
/// same user, can read its memory or trace it. The memory holds keys and customers' data in the clear. See
/// PR_SET_DUMPABLE of prctl(2).
void forbid_dumps() noexcept;

}  // namespace gateway
