// Requests that are sent until they are answered for good.
//
// Those that were not are sent again later, ever more slowly. A scenario cannot wait for time to pass, only for
// answers: so while nothing else is under way the next one leaves early.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/request.hpp"

namespace gateway::load {

/// A request is given up after both.
struct patience {
  unsigned tries = 20;
  std::chrono::milliseconds time = std::chrono::seconds{60};
};

class insisting {
 public:
  /// `more` gives each request for the first time, and nothing once all were given.
  insisting(patience with, std::function<std::optional<request>()> more) : patience_{with}, more_{std::move(more)} {}

  void next(std::vector<request>& out) {
    if (auto fresh = more_()) {
      send(out, std::move(*fresh));
    } else if (!waiting_.empty() && (under_way_ == 0 || waiting_.front().due <= clock::now())) {
      auto again = std::move(waiting_.front().what);
      waiting_.pop_front();
      send(out, std::move(again));
    }
  }

  /// Of every answer. False: given up.
  bool heard(const request& sent, bool answered) {
    under_way_ -= 1;
    const auto id = std::pair{sent.subject, sent.step};
    const auto tried = tried_.find(id);
    if (answered) {
      if (tried != tried_.end()) tried_.erase(tried);
      return true;
    }
    const auto now = clock::now();
    auto& so_far = tried == tried_.end() ? tried_.emplace(id, attempts{0, now}).first->second : tried->second;
    so_far.made += 1;
    if (so_far.made >= patience_.tries && now - so_far.since >= patience_.time) {
      tried_.erase(id);
      return false;
    }
    waiting_.push_back({sent, now + std::chrono::milliseconds{10L << std::min(so_far.made, 8u)}});
    return true;
  }

 private:
  struct attempts {
    unsigned made;
    clock::time_point since;
  };
  struct later {
    request what;
    clock::time_point due;
  };
  struct mixed {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint32_t>& id) const noexcept {
      return std::hash<std::uint64_t>{}(id.first * 8 + id.second);
    }
  };

  void send(std::vector<request>& out, request what) {
    under_way_ += 1;
    out.push_back(std::move(what));
  }

  patience patience_;
  std::function<std::optional<request>()> more_;
  std::deque<later> waiting_;
  std::unordered_map<std::pair<std::uint64_t, std::uint32_t>, attempts, mixed>
      tried_;  // only those that were not answered at once
  std::uint64_t under_way_ = 0;
};

}  // namespace gateway::load
