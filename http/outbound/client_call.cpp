#include "client_call.hpp"

#include <algorithm>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace gateway::http {

namespace asio = boost::asio;

client_call::client_call(client_parts& parts, std::chrono::milliseconds connect_timeout,
                         std::chrono::milliseconds answer_timeout)
    : parts_(parts),
      connect_timeout_(connect_timeout),
      last_moment_(begun_ + connect_timeout + answer_timeout),
      deadline_(parts.context),
      signal_(parts.context) {}

void client_call::interrupt(http_fault why) {
  if (over_) return;
  over_ = why;
  signal();
  break_off();
}

asio::awaitable<void> client_call::look_up() {
  if (url_->literal) {
    found_.emplace().addresses.push_back(*url_->literal);
    co_return;
  }
  found_ = parts_.lookup.find(url_->host, tenant_,
                              [&context = parts_.context, held = weak_from_this()](const found_addresses& found) {
                                asio::post(context, [held, found] {
                                  const auto waiter = held.lock();
                                  if (!waiter) return;
                                  waiter->found_ = found;
                                  waiter->signal();
                                });
                              });
  while (!found_ && !over_) {
    auto waiting = wait_for_signal();
    co_await std::move(waiting);
  }
}

asio::awaitable<void> client_call::wait_for_signal() {
  socket_error cancelled;
  signal_.expires_at(clock::time_point::max());
  auto token = asio::redirect_error(asio::use_awaitable, cancelled);
  auto waiting = signal_.async_wait(token);
  co_await std::move(waiting);
}

void client_call::set_deadline(clock::time_point at, http_fault meaning) {
  deadline_.expires_at(std::min(at, last_moment_));
  deadline_.async_wait([held = weak_from_this(), meaning](const socket_error& cancelled) {
    const auto late = held.lock();
    // If the wait had already expired when the deadline was moved, the handler is not cancelled: compare times.
    if (!cancelled && late && late->deadline() <= clock::now()) late->interrupt(meaning);
  });
}

}  // namespace gateway::http
