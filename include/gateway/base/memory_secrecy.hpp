// What keeps the process's memory from being read by others.
#pragma once

namespace gateway {

/// From now on the kernel writes no core dump of this process, and lets no process without CAP_SYS_PTRACE read its
/// memory or trace it, not even one of the same user: it holds keys and customers' data in the clear. See
/// PR_SET_DUMPABLE of prctl(2).
void forbid_dumps() noexcept;

}  // namespace gateway
