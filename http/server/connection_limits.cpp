#include "connection_limits.hpp"

#include <netinet/in.h>

namespace gateway::http {

std::optional<address_key> key_of(const sockaddr_storage& peer) {
  address_key key{};
  if (peer.ss_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &peer, sizeof v4);
    std::memcpy(key.data(), &v4.sin_addr, sizeof v4.sin_addr);
    return key;
  }
  if (peer.ss_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6;
  std::memcpy(&v6, &peer, sizeof v6);
  const auto* const bytes = v6.sin6_addr.s6_addr;
  // A host can choose the lower half of its IPv6 address freely. A mapped IPv4 address counts as IPv4.
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
    std::memcpy(key.data(), bytes + 12, 4);
  else
    std::memcpy(key.data(), bytes, key.size());
  return key;
}

std::optional<connection_limits::admission> connection_limits::admit(const std::optional<address_key>& address,
                                                                     connection_home& home) {
  auto made = std::make_shared<counted_connection>();
  made->home_ = &home;
  const std::lock_guard lock{mutex_};
  if ((address && !make_room_at(*address)) || !make_room()) return std::nullopt;
  ++open_;
  those_at(made->stage_).push_back(*made);
  if (address) enter(*made, *address);
  return admission{this, std::move(made)};
}

bool connection_limits::admission::count_at(const std::optional<address_key>& address) {
  if (!address) return true;
  const std::lock_guard lock{limits_->mutex_};
  if (!limits_->make_room_at(*address)) return false;
  limits_->enter(*what_, *address);
  return true;
}

void connection_limits::move_on(counted_connection& which, counted_connection::stage to) {
  const std::lock_guard lock{mutex_};
  which.stage_ = to;
  if (which.is_leaving_) return;
  which.among_all_.unlink();
  those_at(to).push_back(which);
}

void connection_limits::enter(counted_connection& which, const address_key& address) {
  auto& there = by_address_[address];
  ++there.open;
  which.address_ = address;
  there.all.push_back(which);
  // It may have been asked to close before its address was known.
  if (which.is_leaving_) ++there.leaving;
}

// These may ask several connections to close, because one that was asked before may have stayed.

bool connection_limits::make_room_at(const address_key& address) {
  const auto found = by_address_.find(address);
  if (found == by_address_.end()) return most_per_address_ > 0;
  auto& there = found->second;
  while (there.open - there.leaving >= most_per_address_) {
    counted_connection *silent = nullptr, *speaking = nullptr, *idle = nullptr;
    for (auto& each : there.all) {
      if (each.is_leaving_) continue;
      if (each.stage_ == counted_connection::stage::silent && silent == nullptr) silent = &each;
      if (each.stage_ == counted_connection::stage::speaking && speaking == nullptr) speaking = &each;
      if (is_idle_longer(each, idle)) idle = &each;
    }
    auto* const gives_way = first_to_leave(silent, speaking, idle);
    if (gives_way == nullptr || there.leaving >= most_leaving) return false;
    ask_to_leave(*gives_way);
  }
  return true;
}

bool connection_limits::make_room() {
  auto& silent = those_at(counted_connection::stage::silent);
  auto& speaking = those_at(counted_connection::stage::speaking);
  while (open_ - leaving_ >= most_) {
    counted_connection* idle = nullptr;
    for (auto& each : those_at(counted_connection::stage::open))
      if (is_idle_longer(each, idle)) idle = &each;
    auto* const gives_way = first_to_leave(silent.empty() ? nullptr : &silent.front(),
                                           speaking.empty() ? nullptr : &speaking.front(), idle);
    if (gives_way == nullptr || leaving_ >= most_leaving) return false;
    ask_to_leave(*gives_way);
  }
  return true;
}

bool connection_limits::is_idle_longer(const counted_connection& which, const counted_connection* than) {
  const auto since = which.idle_since_.load(std::memory_order_relaxed);
  return since != counted_connection::busy &&
         (than == nullptr || since < than->idle_since_.load(std::memory_order_relaxed));
}

counted_connection* connection_limits::first_to_leave(counted_connection* silent, counted_connection* speaking,
                                                      counted_connection* idle) {
  const auto now = counted_connection::clock::now();
  if (silent != nullptr && silent->accepted_at_ + silence_patience <= now) return silent;
  if (speaking != nullptr && speaking->accepted_at_ + handshake_patience <= now) return speaking;
  if (idle != nullptr) return idle;
  return silent != nullptr ? silent : speaking;
}

void connection_limits::ask_to_leave(counted_connection& which) {
  which.is_leaving_ = true;
  which.among_all_.unlink();
  ++leaving_;
  if (which.address_) ++by_address_.at(*which.address_).leaving;
  which.home_->ask_to_leave(which.shared_from_this(), *this);
}

void connection_limits::no_longer_leaving(counted_connection& which) {
  which.is_leaving_ = false;
  --leaving_;
  if (which.address_) --by_address_.at(*which.address_).leaving;
}

void connection_limits::stays(counted_connection& which) {
  const std::lock_guard lock{mutex_};
  if (!which.is_leaving_) return;
  no_longer_leaving(which);
  // To the front, because it is among the oldest. The list of open connections is unordered.
  those_at(which.stage_).push_front(which);
}

void connection_limits::leave(counted_connection& which) {
  const std::lock_guard lock{mutex_};
  if (which.is_leaving_) no_longer_leaving(which);
  which.among_all_.unlink();
  which.at_address_.unlink();
  --open_;
  if (!which.address_) return;
  const auto at = by_address_.find(*which.address_);
  if (--at->second.open == 0) by_address_.erase(at);
}

std::size_t connection_limits::open() const {
  const std::lock_guard lock{mutex_};
  return open_;
}

}  // namespace gateway::http
