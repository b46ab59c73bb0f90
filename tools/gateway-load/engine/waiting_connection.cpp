#include "waiting_connection.hpp"

#include <poll.h>

#include <algorithm>

namespace gateway::load {

const answer& waiting_connection::send(std::string_view request) {
  const auto until = clock::now() + timeout_;
  // The server may have closed the idle connection. This detects it before anything is sent.
  if (link_.now() == connection::state::free) link_.on_ready();
  if (link_.now() != connection::state::free &&
      (!link_.open() || wait_for(connection::event::opened, until) != connection::event::opened))
    return lost(loss::connect_failed);
  if (!link_.send(request)) return lost(link_.why());
  switch (wait_for(connection::event::answered, until)) {
    case connection::event::answered: return link_.got();
    case connection::event::broken: return lost(link_.why());
    default: return lost(loss::timed_out);
  }
}

connection::event waiting_connection::wait_for(connection::event wanted, clock::time_point until) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
    if (left <= 0) return connection::event::none;
    pollfd one{link_.fd(), POLLIN, 0};
    if (link_.wants_to_write()) one.events |= POLLOUT;
    ::poll(&one, 1, static_cast<int>(std::min<long long>(left, 1'000)));
    const auto now = link_.on_ready();
    if (now == wanted || now == connection::event::broken) return now;
  }
}

const answer& waiting_connection::lost(loss why) {
  link_.close();
  none_ = {};
  none_.lost = why;
  return none_;
}

}  // namespace gateway::load
