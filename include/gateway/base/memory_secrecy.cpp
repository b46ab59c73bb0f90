#include "memory_secrecy.hpp"

#include <sys/prctl.h>

namespace gateway {

// prctl cannot fail for these arguments.
void forbid_dumps() noexcept { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

}  // namespace gateway
