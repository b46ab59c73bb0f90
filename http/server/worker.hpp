// What a handler gets besides its request.
#pragma once

#include "http/fwd.hpp"

namespace gateway::http {

/// One per I/O thread.
struct worker {
  services& shared;
  asio_actor* self = nullptr;  ///< an actor whose mailbox is this thread's io_context
};

}  // namespace gateway::http
