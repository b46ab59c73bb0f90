// A limit on the memory of one thread's arriving requests and streamed bodies together. Each of up to ten thousand
// connections may hold a body of the largest size. Without this limit, clients that send all but the last byte of a
// large body would exhaust memory long before their requests time out.
// Concurrency: one thread.
#pragma once

#include <cstddef>

namespace gateway::http {

class buffer_budget {
 public:
  /// This much of each connection's buffer is not counted.
  static constexpr std::size_t uncounted = 32 * 1024;

  explicit buffer_budget(std::size_t most) : left_(most) {}
  buffer_budget(const buffer_budget&) = delete;
  buffer_budget& operator=(const buffer_budget&) = delete;

  bool take(std::size_t bytes) noexcept {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }
  void give_back(std::size_t bytes) noexcept { left_ += bytes; }
  std::size_t left() const noexcept { return left_; }

 private:
  std::size_t left_;
};

/// One holder's part of a budget, given back on destruction.
class budget_share {
 public:
  explicit budget_share(buffer_budget& of) : of_(of) {}
  ~budget_share() { of_.give_back(taken_); }
  budget_share(const budget_share&) = delete;
  budget_share& operator=(const budget_share&) = delete;

  /// False if less than that is left.
  bool take(std::size_t bytes) noexcept {
    if (!of_.take(bytes)) return false;
    taken_ += bytes;
    return true;
  }

 private:
  buffer_budget& of_;
  std::size_t taken_ = 0;
};

}  // namespace gateway::http
