#include "connection_limits.hpp"

#include <netinet/in.h>

#include <limits>

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
  // A host chooses the lower half of its IPv6 address at will; an IPv4 address inside one counts as itself.
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
    std::memcpy(key.data(), bytes + 12, 4);
  else
    std::memcpy(key.data(), bytes, key.size());
  return key;
}

namespace {

/// The first that is half open, else the one that has been idle for the longest time; null if there is none.
template <class List, class IsHalfOpen, class IdleSince>
counted_connection* one_to_end(List& among, IsHalfOpen is_half_open, IdleSince idle_since) {
  counted_connection* longest = nullptr;
  auto since = std::numeric_limits<counted_connection::clock::rep>::max();
  for (auto& each : among) {
    if (is_half_open(each)) return &each;
    if (const auto its = idle_since(each); its && *its < since) {
      since = *its;
      longest = &each;
    }
  }
  return longest;
}

}  // namespace

std::optional<connection_limits::admission> connection_limits::admit(const std::optional<address_key>& address,
                                                                     connection_home& home) {
  auto made = std::make_shared<counted_connection>();
  made->home_ = &home;
  const std::lock_guard lock{mutex_};
  if ((address && !make_room_at(*address)) || !make_room()) return std::nullopt;
  ++open_;
  half_open_.push_back(*made);
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

void connection_limits::opened(counted_connection& which) {
  const std::lock_guard lock{mutex_};
  which.is_half_open_ = false;
  if (which.is_leaving_) return;
  which.among_all_.unlink();
  opened_.push_back(which);
}

void connection_limits::enter(counted_connection& which, const address_key& address) {
  auto& there = by_address_[address];
  ++there.open;
  which.address_ = address;
  there.all.push_back(which);
  // It may have been asked to give way while its address was not known.
  if (which.is_leaving_) ++there.leaving;
}

bool connection_limits::make_room_at(const address_key& address) {
  const auto found = by_address_.find(address);
  const auto open = found == by_address_.end() ? 0 : found->second.open - found->second.leaving;
  if (open < most_per_address_) return true;
  if (found == by_address_.end() || found->second.leaving >= most_leaving) return false;
  auto* const gives_way = one_to_end(
      found->second.all, [](const auto& each) { return each.is_half_open_ && !each.is_leaving_; }, idle_since);
  if (gives_way == nullptr) return false;
  ask_to_leave(*gives_way);
  return true;
}

bool connection_limits::make_room() {
  if (open_ - leaving_ < most_) return true;
  if (leaving_ >= most_leaving) return false;
  auto* const gives_way =
      half_open_.empty() ? one_to_end(opened_, [](const auto&) { return false; }, idle_since) : &half_open_.front();
  if (gives_way == nullptr) return false;
  ask_to_leave(*gives_way);
  return true;
}

std::optional<counted_connection::clock::rep> connection_limits::idle_since(const counted_connection& which) {
  const auto since = which.idle_since_.load(std::memory_order_relaxed);
  return which.is_leaving_ || since == counted_connection::busy ? std::nullopt : std::optional{since};
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
  if (which.is_half_open_)
    half_open_.push_front(which);
  else
    opened_.push_back(which);
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
