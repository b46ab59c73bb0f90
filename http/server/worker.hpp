// What a handler gets besides its request.
#pragma once

#include <memory>

#include "http/fwd.hpp"

namespace gateway::http {

/// One per I/O thread.
struct worker {
  services& shared;
  asio_actor* self = nullptr;  ///< an actor whose mailbox is this thread's io_context
  std::shared_ptr<event_followers> followers{};  ///< requests that wait for events; null until the first one waits
};

}  // namespace gateway::http
