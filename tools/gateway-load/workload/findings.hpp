// The violations found: all are counted, and the first hundred are kept to be shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/scenario.hpp"

namespace gateway::load {

class findings {
 public:
  static constexpr std::size_t most_shown = 100;

  void add(std::string what, std::initializer_list<std::string_view> request_ids) {
    count_ += 1;
    if (shown_.size() == most_shown) return;
    violation one{std::move(what), {}};
    for (const auto id : request_ids)
      if (!id.empty()) one.request_ids.emplace_back(id);
    shown_.push_back(std::move(one));
  }

  std::uint64_t count() const noexcept { return count_; }
  const std::vector<violation>& shown() const noexcept { return shown_; }

 private:
  std::uint64_t count_ = 0;
  std::vector<violation> shown_;
};

}  // namespace gateway::load
