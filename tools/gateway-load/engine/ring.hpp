// A queue in one piece of memory, which it keeps, so that pushing rarely allocates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace gateway::load {

template <class T>
class ring {
 public:
  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  T& front() noexcept { return slots_[begin_]; }

  void push(T value) {
    if (size_ == slots_.size()) grow();
    slots_[(begin_ + size_++) & (slots_.size() - 1)] = std::move(value);
  }
  T pop() {
    T taken = std::move(slots_[begin_]);
    begin_ = (begin_ + 1) & (slots_.size() - 1);
    --size_;
    return taken;
  }

 private:
  void grow() {
    std::vector<T> more(std::max<std::size_t>(64, slots_.size() * 2));
    for (std::size_t i = 0; i < size_; ++i) more[i] = std::move(slots_[(begin_ + i) & (slots_.size() - 1)]);
    slots_ = std::move(more);
    begin_ = 0;
  }

  std::vector<T> slots_;
  std::size_t begin_ = 0, size_ = 0;
};

}  // namespace gateway::load
