#include "connection_pool.hpp"

#include <algorithm>
#include <utility>

namespace gateway::http {

connection_pool::connection_pool(boost::asio::io_context& context, std::size_t most_open, clock::duration idle_kept)
    : context_(context), most_open_(std::max<std::size_t>(most_open, 1)), idle_kept_(idle_kept) {}

std::shared_ptr<pooled_connection> connection_pool::take(const std::shared_ptr<connection_waiter>& who,
                                                         const std::string& origin,
                                                         std::span<const boost::asio::ip::address> addresses,
                                                         bool fresh) {
  const bool was_woken = std::exchange(who->its_turn, false);
  if (was_woken || waiting_.empty()) {
    auto kept = fresh ? nullptr : take_idle(origin, addresses);
    if (kept) return kept;
    if (auto made = open(origin)) return made;
  }
  // A woken waiter that gets nothing goes back to the front of the queue.
  waiting_.insert(was_woken ? waiting_.begin() : waiting_.end(), who);
  return nullptr;
}

void connection_pool::pass_on() {
  if (open_ < most_open_ || !idle_.empty()) wake_next();
}

void connection_pool::keep(std::shared_ptr<pooled_connection> used) {
  if (stopped_) return;
  used->watch([this, spoke = used.get()] { drop_idle(spoke); });
  idle_.push_back({std::move(used), clock::now()});
  watch_idle();
  wake_next();
}

void connection_pool::stop() {
  stopped_ = true;
  idle_.clear();
  idle_timer_.cancel();
}

/// Only a connection to one of the name's current addresses, which the policy has permitted.
std::shared_ptr<pooled_connection> connection_pool::take_idle(const std::string& origin,
                                                              std::span<const boost::asio::ip::address> addresses) {
  const auto fits = [&](const pooled_connection& kept) {
    return kept.origin() == origin && std::ranges::find(addresses, kept.peer().address()) != addresses.end();
  };
  for (auto at = idle_.end(); at != idle_.begin();) {
    --at;
    if (!fits(*at->kept)) continue;
    auto kept = std::move(at->kept);
    at = idle_.erase(at);
    if (kept->resume()) return kept;
  }
  return nullptr;
}

/// If necessary, replaces an idle connection.
std::shared_ptr<pooled_connection> connection_pool::open(const std::string& origin) {
  if (open_ >= most_open_ && idle_.empty()) return nullptr;
  auto made = std::make_unique<pooled_connection>(context_, origin);
  ++open_;
  std::shared_ptr<pooled_connection> opened{made.release(), [this](pooled_connection* ended) {
                                              delete ended;
                                              --open_;
                                              pass_on();
                                            }};
  if (open_ > most_open_) idle_.pop_front();  // wakes no waiter: the new connection uses the room
  return opened;
}

void connection_pool::drop_idle(const pooled_connection* spoke) {
  std::erase_if(idle_, [&](const idle_connection& other) { return other.kept.get() == spoke; });
}

/// One timer for all, set for the least recently used.
void connection_pool::watch_idle() {
  if (idle_watched_ || idle_.empty()) return;
  idle_watched_ = true;
  idle_timer_.expires_at(idle_.front().since + idle_kept_);
  idle_timer_.async_wait([this](const socket_error&) {
    idle_watched_ = false;
    const auto now = clock::now();
    while (!idle_.empty() && idle_.front().since + idle_kept_ <= now) idle_.pop_front();
    watch_idle();
  });
}

void connection_pool::wake_next() {
  while (!waiting_.empty()) {
    const auto next = waiting_.front().lock();
    waiting_.pop_front();
    if (!next || next->has_given_up()) continue;
    next->its_turn = true;
    next->wake();
    return;
  }
}

}  // namespace gateway::http
