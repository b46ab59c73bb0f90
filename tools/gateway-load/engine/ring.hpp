// A queue in one piece of memory, which it keeps: whoever waits in it costs no allocation.
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
  T& front() noexcept { return places_[begin_]; }

  void push(T value) {
    if (size_ == places_.size()) grow();
    places_[(begin_ + size_++) & (places_.size() - 1)] = std::move(value);
  }
  T pop() {
    T taken = std::move(places_[begin_]);
    begin_ = (begin_ + 1) & (places_.size() - 1);
    --size_;
    return taken;
  }

 private:
  void grow() {
    std::vector<T> more(std::max<std::size_t>(64, places_.size() * 2));
    for (std::size_t i = 0; i < size_; ++i) more[i] = std::move(places_[(begin_ + i) & (places_.size() - 1)]);
    places_ = std::move(more);
    begin_ = 0;
  }

  std::vector<T> places_;
  std::size_t begin_ = 0, size_ = 0;
};

}  // namespace gateway::load
