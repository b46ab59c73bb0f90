#include "gateway/directory/key_uses.hpp"

#include <algorithm>
#include <utility>

namespace gateway {

bool key_uses::add(key_use use) {
  const std::lock_guard hold{access_};
  const auto at = waiting_.find(use.id.value);
  if (at != waiting_.end()) {
    at->second.day = std::max(at->second.day, use.day);
    return true;
  }
  if (waiting_.size() >= most) return false;
  auto id = use.id.value;
  waiting_.emplace(std::move(id), std::move(use));
  return true;
}

std::vector<key_use> key_uses::take() {
  std::map<std::string, key_use> all;
  {
    const std::lock_guard hold{access_};
    all.swap(waiting_);
  }
  std::vector<key_use> uses;
  uses.reserve(all.size());
  for (auto& [id, use] : all) uses.push_back(std::move(use));
  return uses;
}

std::size_t key_uses::size() const {
  const std::lock_guard hold{access_};
  return waiting_.size();
}

}  // namespace gateway
