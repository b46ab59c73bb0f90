// Sends requests until each has a final answer.
//
// A request without one is sent again later, after pauses that double. The engine asks a scenario for requests only
// after an answer, so the queue cannot wait for a pause to end: while nothing is in flight the next request leaves
// early.
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
#include "gateway/domain/time.hpp"

namespace gateway::load {

/// A request is given up once both are exceeded.
struct retry_limits {
  unsigned tries = 20;
  std::chrono::milliseconds time = std::chrono::seconds{60};
};

class retry_queue {
 public:
  /// `more` returns each request once, and nothing when there are no more.
  retry_queue(retry_limits limits, std::function<std::optional<request>()> more)
      : limits_{limits}, more_{std::move(more)} {}

  void next(std::vector<request>& out) {
    if (auto fresh = more_()) {
      send(out, std::move(*fresh));
    } else if (!waiting_.empty() && (in_flight_ == 0 || waiting_.front().due <= clock::now())) {
      auto again = std::move(waiting_.front().what);
      waiting_.pop_front();
      send(out, std::move(again));
    }
  }

  /// To be called with every answer. Returns false if the request is given up.
  bool on_answer(const request& sent, bool answered) {
    in_flight_ -= 1;
    const auto id = std::pair{sent.subject, sent.step};
    const auto tried = tried_.find(id);
    if (answered) {
      if (tried != tried_.end()) tried_.erase(tried);
      return true;
    }
    const auto now = clock::now();
    auto& so_far = tried == tried_.end() ? tried_.emplace(id, attempt_count{0, now}).first->second : tried->second;
    so_far.made += 1;
    if (so_far.made >= limits_.tries && now - so_far.since >= limits_.time) {
      tried_.erase(id);
      return false;
    }
    waiting_.push_back({sent, now + doubled(first_pause, so_far.made, longest_pause)});
    return true;
  }

 private:
  static constexpr duration_ms first_pause{10}, longest_pause{2'560};

  struct attempt_count {
    unsigned made;
    clock::time_point since;
  };
  struct delayed_request {
    request what;
    clock::time_point due;
  };
  struct id_hash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint32_t>& id) const noexcept {
      return std::hash<std::uint64_t>{}(id.first * 8 + id.second);
    }
  };

  void send(std::vector<request>& out, request what) {
    in_flight_ += 1;
    out.push_back(std::move(what));
  }

  retry_limits limits_;
  std::function<std::optional<request>()> more_;
  std::deque<delayed_request> waiting_;
  std::unordered_map<std::pair<std::uint64_t, std::uint32_t>, attempt_count, id_hash>
      tried_;  // only requests that have failed once
  std::uint64_t in_flight_ = 0;
};

}  // namespace gateway::load
